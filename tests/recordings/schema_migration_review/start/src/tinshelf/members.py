"""The members of a branch."""

from __future__ import annotations

from dataclasses import dataclass

from tinshelf.errors import RuleError
from tinshelf.store import Store


@dataclass(frozen=True)
class Member:
    """Somebody with a card."""

    id: int
    card: str
    name: str
    joined: str
    note: str | None


def add_member(store: Store, card: str, name: str, joined: str) -> Member:
    """Give out a card."""
    with store.change() as connection:
        connection.execute(
            "INSERT INTO members (card, name, joined) VALUES (?, ?, ?)", (card, name, joined)
        )
    return member(store, card)


def member(store: Store, card: str) -> Member:
    """The member with a card. Raises RuleError with L10."""
    row = store.one("SELECT id, card, name, joined, note FROM members WHERE card = ?", card)
    if row is None:
        raise RuleError("L10", card)
    return Member(**dict(row))


def annotate(store: Store, card: str, note: str | None) -> Member:
    """Set or remove the note on a member."""
    found = member(store, card)
    with store.change() as connection:
        connection.execute("UPDATE members SET note = ? WHERE id = ?", (note, found.id))
    return member(store, card)
