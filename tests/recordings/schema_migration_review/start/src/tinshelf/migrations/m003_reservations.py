"""Reservations."""

VERSION = 3

UP = """
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    member_id INTEGER NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    made_on TEXT NOT NULL
);
CREATE UNIQUE INDEX ux_reservations_item_id_member_id ON reservations (item_id, member_id);
"""
