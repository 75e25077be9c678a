"""Lines as a tool prints them: with numbers in front, or as records one below the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.words import STOPWORDS

_NUMBERED: Final = re.compile(r" {0,6}(\d{1,6})(?: {2}(?! *[\d.]+(?: |$))|\t|$)")
"""A number, and no row of figures."""
_COMMIT: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40} ")
_WORD: Final = re.compile(r"\s*([^\s\d]+)\s")


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers of a numbered listing: each must follow the one before."""
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match[1]) if match else None for match in found]
    kept: list[str] = []
    for at, (line, match) in enumerate(zip(lines, found, strict=True)):
        number = numbers[at]
        if match and number is not None and _has_neighbour(numbers, at, number):
            kept.append(line[match.end() :])
        else:
            kept.append(line)
    return kept


def _has_neighbour(numbers: Sequence[int | None], at: int, number: int) -> bool:
    before = numbers[at - 1] if at else None
    after = numbers[at + 1] if at + 1 < len(numbers) else None
    return before == number - 1 or after == number + 1


def are_records(before: str, line: str) -> bool:
    """Whether two lines are entries of a list: of commits, or both begin with one telling word."""
    if _COMMIT.match(before) or _COMMIT.match(line):
        return True
    first, second = _WORD.match(before), _WORD.match(line)
    return bool(first and second and first[1] == second[1] and first[1].lower() not in STOPWORDS)
