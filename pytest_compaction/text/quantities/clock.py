"""Times of the day as they are written and spoken: "3 pm", "15:00", "half past nine"."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.quantities.spellings import HOURS, any_of

HALF_DAY: Final = 43200
"""Seconds."""
_NUMBERS: Final = re.compile(rf"\d+|\b(?:{any_of(HOURS)})\b")
_EARLY: Final = 5
"""The last hour that is "at night" behind midnight."""


def other_half(seconds: int) -> int:
    """The same time in the other half of the day."""
    return (seconds + HALF_DAY) % (2 * HALF_DAY)


def written(text: str) -> tuple[int, int, bool]:
    """Seconds since midnight, the seconds of the minute, and whether the half of the day is said.

    ``text`` is a time in digits, in lower case, or "noon" or "midnight".
    """
    if text in {"noon", "midnight"}:
        return (HALF_DAY if text == "noon" else 0), 0, True
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    hour, minute, second = (*numbers, 0, 0)[:3]
    half = re.search(r"[ap](?=\.?m)", text)
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    sure = half is not None or not 1 <= hour <= 12 or text.startswith("0")
    return hour * 3600 + minute * 60 + second, second, sure


def spoken(text: str) -> tuple[int, bool]:
    """Seconds since midnight of a spoken time, and whether the half of the day is said."""
    said = [HOURS.get(word) or int(word) for word in _NUMBERS.findall(text.replace("twenty", "20"))]
    hour = said[-1] % 12
    minutes = 0
    if re.search(r" (?:past|to) ", text):
        minutes = 30 if "half" in text else 15 if "quarter" in text else said[0]
        minutes = -minutes if " to " in text else minutes
    early = hour <= _EARLY and "night" in text
    later = re.search("afternoon|evening|night", text) is not None and not early
    seconds = (hour * 3600 + minutes * 60) % HALF_DAY + (HALF_DAY if later else 0)
    return seconds, later or early or "morning" in text
