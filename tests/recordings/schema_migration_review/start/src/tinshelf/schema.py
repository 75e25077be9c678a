"""The tables of a new file."""

from __future__ import annotations

LATEST = 3

FRESH = """
CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    card TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    joined TEXT NOT NULL,
    note TEXT
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    shelf TEXT NOT NULL,
    copies INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id),
    member_id INTEGER NOT NULL REFERENCES members (id),
    out_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    back_on TEXT,
    fee REAL NOT NULL DEFAULT 0
);
CREATE INDEX ix_loans_due_on ON loans (due_on) WHERE back_on IS NULL;
CREATE INDEX ix_loans_member_id ON loans (member_id);
CREATE TRIGGER tr_loans_closed BEFORE UPDATE OF due_on, back_on ON loans
WHEN OLD.back_on IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a closed loan stays as it is');
END;
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    member_id INTEGER NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    made_on TEXT NOT NULL
);
CREATE UNIQUE INDEX ux_reservations_item_id_member_id ON reservations (item_id, member_id);
"""
