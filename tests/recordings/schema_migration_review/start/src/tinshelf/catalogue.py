"""The things that can be lent."""

from __future__ import annotations

from dataclasses import dataclass

from tinshelf.errors import RuleError
from tinshelf.store import Store


@dataclass(frozen=True)
class Item:
    """A kind of thing; there may be several of it."""

    id: int
    title: str
    shelf: str
    copies: int
    out: int

    @property
    def free(self) -> int:
        """How many are on the shelf."""
        return self.copies - self.out


_ITEMS = """
SELECT items.id, items.title, items.shelf, items.copies,
    (SELECT count(*) FROM loans WHERE loans.item_id = items.id AND loans.back_on IS NULL) AS out
FROM items
"""


def add_item(store: Store, title: str, shelf: str, copies: int = 1) -> Item:
    """Put a thing on a shelf."""
    with store.change() as connection:
        connection.execute(
            "INSERT INTO items (title, shelf, copies) VALUES (?, ?, ?)", (title, shelf, copies)
        )
    return item(store, title)


def item(store: Store, title: str) -> Item:
    """The item with a title. Raises RuleError with L11."""
    row = store.one(f"{_ITEMS} WHERE items.title = ? ORDER BY items.id", title)
    if row is None:
        raise RuleError("L11", title)
    return Item(**dict(row))


def search(store: Store, words: str) -> list[Item]:
    """Items whose title holds all the words, by title."""
    found = [Item(**dict(row)) for row in store.rows(f"{_ITEMS} ORDER BY items.title")]
    wanted = words.casefold().split()
    return [thing for thing in found if all(word in thing.title.casefold() for word in wanted)]
