"""The values of a sentence, those whose unit stands in a name included: ``LEASE_SECONDS = 45``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pytest_compaction.text.quantities import values

_MAY_HOLD: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|half|an|"
    r"hundred|thousand|million|dozen|twice|thrice|noon|midnight|first|second|third|fourth|fifth|"
    r"zero|single|pair|jan\w*|feb\w*|march|apr\w*|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|"
    r"a (?:minute|day|week|fortnight|month|year))\b"
)
_UNIT_IN_NAME: Final = re.compile(
    r"[a-z0-9]_(seconds?|secs?|s|ms|millis|minutes?|mins?|hours?|days?|weeks?|bytes|kb|mb|gb|"
    r"percent|pct)\b|\b[a-z]+(seconds|minutes|hours|millis|days|bytes)\b"
)
_RANGE: Final = re.compile(r"\s?(?:-|\bto\b|\band\b|\bor\b)\s?")
_NUMBER: Final = re.compile(r"-?\d[\d,_]*(?:\.\d+)?")
_OF: Final = re.compile(r"\b(?:of|among)(?: (?:the|its|their|his|her|our|all|those|these))* $")
_STOP: Final = re.compile(r"[;:()]|\. |\b(?:and|but|while)\b")
_NEAR: Final = 50
"""Characters between a whole and its part."""
_SPELLED: Final = {"millis": "ms", "pct": "percent"}


@lru_cache(maxsize=8192)
def held_values(normal: str) -> tuple[tuple[values.Key, tuple[int, int]], ...]:
    """What each value of a normalised sentence can be asked by, and where it stands."""
    if not _MAY_HOLD.search(normal):
        return ()
    found = values.values_of(normal)
    keys = [(key, span) for value, span in _apart(normal, found) for key in value.held]
    keys += shares_said_first(normal, found)
    unit = _UNIT_IN_NAME.search(normal)
    if unit:
        name = unit[1] or unit[2]
        for value in found:
            text = normal[value.span[0] : value.span[1]]
            if value.kind == "number" and _NUMBER.fullmatch(text):
                spelled = values.values_of(f"{text} {_SPELLED.get(name, name)}")
                keys.extend((key, value.span) for one in spelled for key in one.held)
    return tuple(keys)


def shares_said_first(
    normal: str, found: Sequence[values.Value]
) -> Iterator[tuple[values.Key, tuple[int, int]]]:
    """The share in "of its 97 lines 96 agree", which is "96 of 97" with the whole said first."""
    numbers = [value for value in found if value.kind == "number"]
    for whole, part in pairwise(numbers):
        between = normal[whole.span[1] : part.span[0]]
        if (
            _OF.search(normal, 0, whole.span[0])
            and len(between) <= _NEAR
            and not _STOP.search(between)
            and isinstance(part.value, Decimal)
            and isinstance(whole.value, Decimal)
            and part.value < whole.value
        ):
            yield ("fraction", (part.value, whole.value)), part.span


def _apart(
    normal: str, found: Sequence[values.Value]
) -> Iterator[tuple[values.Value, tuple[int, int]]]:
    """Each value with its place; the two ends of "45 to 30 seconds" with a place of their own."""
    for number, value in enumerate(found):
        start, end = value.span
        between = _RANGE.search(normal, start, end)
        if between and number and found[number - 1].span == value.span:
            yield value, (between.end(), end)
        elif between and number + 1 < len(found) and found[number + 1].span == value.span:
            yield value, (start, between.start())
        else:
            yield value, value.span
