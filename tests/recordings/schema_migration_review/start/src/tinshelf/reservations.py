"""Who gets a thing next."""

from __future__ import annotations

import sqlite3

from tinshelf.catalogue import item
from tinshelf.errors import RuleError
from tinshelf.members import member
from tinshelf.store import Store


def reserve(store: Store, card: str, title: str, on: str) -> int:
    """Put a member at the end of the queue for a thing. Returns the place in the queue."""
    thing = item(store, title)
    try:
        with store.change() as connection:
            connection.execute(
                "INSERT INTO reservations (item_id, member_id, made_on) VALUES (?, ?, ?)",
                (thing.id, member(store, card).id, on),
            )
    except sqlite3.IntegrityError as error:
        raise RuleError("L40", f"{title}, card {card}") from error
    return queue(store, title).index(card) + 1


def queue(store: Store, title: str) -> list[str]:
    """The cards that wait for a thing, in their order."""
    rows = store.rows(
        "SELECT members.card FROM reservations"
        " JOIN members ON members.id = reservations.member_id"
        " WHERE reservations.item_id = ? ORDER BY reservations.made_on, reservations.id",
        item(store, title).id,
    )
    return [row["card"] for row in rows]


def cancel(store: Store, card: str, title: str) -> bool:
    """Take a member out of a queue."""
    with store.change() as connection:
        done = connection.execute(
            "DELETE FROM reservations WHERE item_id = ? AND member_id = ?",
            (item(store, title).id, member(store, card).id),
        )
    return done.rowcount > 0
