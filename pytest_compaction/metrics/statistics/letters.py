"""The compact letter display: what shares a letter does not differ."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

_ALPHABET: Final = string.ascii_lowercase + string.ascii_uppercase


def letters(names: Sequence[str], differ: Callable[[str, str], bool]) -> dict[str, str]:
    """The letters of each name: two names share one if and only if they do not differ.

    ``names`` come best first, so that the first letters are those of the best. ``differ``
    is asked once for each two names, in their order. Beyond 52 letters they have a number
    (``a2``). Source: Piepho, "An algorithm for a letter-based representation of
    all-pairwise comparisons" (2004): insert and absorb, then sweep.
    """
    columns = [frozenset(names)] if names else []
    told = set()
    for first, second in combinations(names, 2):
        if differ(first, second):
            columns = _inserted(columns, first, second)
        else:
            told.add((first, second))
    place = {name: number for number, name in enumerate(names)}
    columns.sort(key=lambda column: sorted(place[name] for name in column))
    kept = _swept(columns, told)
    return {
        name: "".join(_letter(number) for number, column in enumerate(kept) if name in column)
        for name in names
    }


def _inserted(columns: list[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    """Part every column that holds both names, and absorb what lies within another column."""
    both = [column for column in columns if first in column and second in column]
    kept = [column for column in columns if not (first in column and second in column)]
    for part in [column - {name} for column in both for name in (second, first)]:
        if not any(part <= other for other in kept):
            kept = [other for other in kept if not other <= part]
            kept.append(part)
    return kept


def _swept(columns: list[frozenset[str]], told: set[tuple[str, str]]) -> list[frozenset[str]]:
    """Leave out columns, the last first, whose every pair stands together in another one."""
    covers = {column: {pair for pair in told if column.issuperset(pair)} for column in columns}
    kept = list(columns)
    for column in reversed(columns):
        others = [other for other in kept if other != column]
        shared = set().union(*(covers[other] for other in others))
        if covers[column] <= shared and column <= frozenset().union(*others):
            kept = others
    return kept


def _letter(number: int) -> str:
    turn, place = divmod(number, len(_ALPHABET))
    return _ALPHABET[place] + (str(turn + 1) if turn else "")
