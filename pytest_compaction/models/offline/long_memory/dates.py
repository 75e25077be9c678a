"""The dates that a text names, with the year of the conversation where it says none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_MONTH: Final = r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?|" + "|".join(MONTHS)
_DATE: Final = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>(?!may\b \w){_MONTH})"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,? (?P<year>(?:19|20)\d\d))?"
    r"|\b(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b"
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
NO_YEAR: Final = 2023
"""Where none is said: one without a leap day."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date of a text, where it stands, and whether the text gives its year."""

    day: date
    place: int
    has_year: bool

    @property
    def spoken(self) -> str:
        """As one says it, with the year where it is given."""
        said = f"{MONTHS[self.day.month - 1].capitalize()} {self.day.day}"
        return f"{said}, {self.day.year}" if self.has_year else said


def holds_date(normal: str) -> bool:
    """Whether a normalised text names a day."""
    return _DATE.search(normal) is not None


def dates_in(normal: str, year: int = NO_YEAR) -> list[Dated]:
    """The dates of a normalised text; ``year`` is that of those without one."""
    return [found for match in _DATE.finditer(normal) if (found := _dated(match, year))]


def year_of(texts: Iterable[str]) -> int:
    """The year that the dates of these texts name most, the later one of equals."""
    named: dict[int, int] = {}
    for normal in texts:
        for found in dates_in(normal) if _YEAR.search(normal) else ():
            if found.has_year:
                named[found.day.year] = named.get(found.day.year, 0) + 1
    return max(named, key=lambda year: (named[year], year), default=NO_YEAR)


def days_apart(first: Dated, second: Dated) -> int:
    """The days between two dates; without years the shorter way, over New Year if need be."""
    apart = abs((second.day - first.day).days)
    if not (first.has_year and second.has_year) and apart > 200:
        return 365 - apart
    return apart


def _dated(match: re.Match[str], year: int) -> Dated | None:
    try:
        if match["iso"]:
            return Dated(date.fromisoformat(match["iso"]), match.start(), True)
        name = (match["month"] or match["month2"]).rstrip(".")
        month = next(n for n, known in enumerate(MONTHS, start=1) if known.startswith(name[:3]))
        named = match["year"]
        day = int(match["day"] or match["day2"])
        return Dated(date(int(named or year), month, day), match.start(), named is not None)
    except ValueError:
        return None
