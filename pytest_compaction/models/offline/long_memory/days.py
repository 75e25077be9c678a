"""The days between two things that have a date, each by its newest date."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading, Statement
from pytest_compaction.models.offline.long_memory.subject import Subject
from pytest_compaction.text.words import content_stems, normalize

_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_MONTH: Final = "|".join(_MONTHS)
_DATE: Final = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,? (?P<year>\d{{4}}))?"
)
_BETWEEN: Final = re.compile(
    r"\b(?:between|from)\s+(?P<first>.+?)\s+(?:and|to|until)\s+(?P<second>.+?)\s*\?", re.IGNORECASE
)
_YEAR: Final = 2023
"""Where none is said: one without a leap day."""


def days_between(question: str, subject: Subject | None, reading: Reading) -> list[str]:
    """The number of days and both statements; nothing unless both have a date."""
    asked = _BETWEEN.search(question)
    if asked is None:
        return []
    found: list[tuple[date, Statement]] = []
    for text in (asked["first"], asked["second"]):
        normal = normalize(text)
        if subject is not None:
            normal = normal.replace(subject.name, " ")
        dated = _newest(frozenset(content_stems(normal)), subject, reading)
        if dated is None:
            return []
        found.append(dated)
    (first, one), (second, other) = found
    return [f"{_days(first, second)} days.", one.proper, other.proper]


def _newest(
    wanted: frozenset[str], subject: Subject | None, reading: Reading
) -> tuple[date, Statement] | None:
    told = [said for said in reading.told if _DATE.search(said.normal)]
    if subject is not None:
        told = [said for said in told if said.exchange in subject.exchanges]
    told = [said for said in told if wanted and 2 * len(wanted & said.stems) > len(wanted)]
    for said in reversed(told):
        match = _DATE.search(said.normal)
        if match is not None:
            month = _MONTHS.index(match["month"] or match["month2"]) + 1
            try:
                day = int(match["day"] or match["day2"])
                return date(int(match["year"] or _YEAR), month, day), said
            except ValueError:
                continue
    return None


def _days(first: date, second: date) -> int:
    """Without a year the shorter way is meant: December and January are neighbours."""
    apart = abs((second - first).days)
    if first.year == second.year == _YEAR and apart > 183:
        return 365 - apart
    return apart
