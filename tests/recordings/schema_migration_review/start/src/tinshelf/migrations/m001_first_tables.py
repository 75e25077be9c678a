"""Members, items, loans."""

VERSION = 1

UP = """
CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    card TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    joined TEXT NOT NULL
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
    back_on TEXT
);
CREATE INDEX ix_loans_due_on ON loans (due_on) WHERE back_on IS NULL;
CREATE INDEX ix_loans_member_id ON loans (member_id);
"""
