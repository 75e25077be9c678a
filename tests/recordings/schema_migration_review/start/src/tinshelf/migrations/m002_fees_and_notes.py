"""Late fees, notes on members, and closed loans stay as they are."""

VERSION = 2

UP = """
ALTER TABLE loans ADD COLUMN fee REAL NOT NULL DEFAULT 0;
ALTER TABLE members ADD COLUMN note TEXT;
CREATE TRIGGER tr_loans_closed BEFORE UPDATE OF due_on, back_on ON loans
WHEN OLD.back_on IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a closed loan stays as it is');
END;
"""
