"""Number the conversations of a file, if there is more than one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def numbered(items: Iterable[T]) -> Iterator[tuple[int, T, bool]]:
    """The number of each item from 1, the item, and whether it is the last.

    A single item has the number 0: it needs no name of its own. One item is held back,
    because only the next one tells that it was not the last.
    """
    number = 0
    held: list[T] = []
    for item in items:
        if held:
            number += 1
            yield number, held.pop(), False
        held.append(item)
    for item in held:
        yield (number + 1 if number else 0), item, True
