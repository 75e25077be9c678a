"""The time between two things that have a date, each by its newest date."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.models.offline.long_memory.dates import (
    Dated,
    dates_in,
    days_apart,
    holds_date,
)
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.models.offline.long_memory.subject import Subject
from pytest_compaction.text.words import content_stems, normalize

_BETWEEN: Final = re.compile(r"\b(?:between|from) (?P<both>.+)", re.IGNORECASE)
_CUTS: Final = (
    re.compile(r",? (?:and|to|until|till) (?=when\b)"),
    re.compile(r",? (?:until|till) "),
    re.compile(r",? and (?=(?:the|my|our|i|its|completing|starting|finishing)\b)"),
    re.compile(r",? and "),
    re.compile(r" to "),
)
"""Where one event ends and the other begins, the surest first."""
_AFTER: Final = re.compile(
    r"\bhow (?:many \w+|long) (?P<way>after|before) (?P<first>.+?),? (?:did|do|does|was|were|is"
    r"|will) (?P<second>.+?) ?\?",
    re.IGNORECASE,
)
_NEAR: Final = 0.75
"""A statement so much as relevant as the best one may be a newer one on the same event."""
_UNIT: Final = re.compile(r"\bhow many (?P<unit>days|weeks|months)\b", re.IGNORECASE)
_MONTH_DAYS: Final = 30.4


def days_between(question: str, subject: Subject | None, reading: Reading) -> list[str]:
    """The time in the unit asked for and both statements; nothing unless both have a date."""
    found: list[tuple[Dated, Statement]] = []
    for text in _events(question):
        normal = normalize(text)
        if subject is not None:
            dated = _newest_on(subject, normal.replace(subject.name, " "), reading)
        else:
            dated = _newest(normal, reading)
        if dated is None:
            return []
        found.append(dated)
    if len(found) < 2:
        return []
    (first, one), (second, other) = found
    if first.day == second.day:
        first, second = _apart(question, one, other, reading)
    dates = f"from {first.spoken} till {second.spoken}"
    return [
        f"{_spoken(days_apart(first, second), question)}, {dates}.",
        *dict.fromkeys((one.text, other.text)),
    ]


def asks_between(question: str) -> bool:
    """Whether a question names two events."""
    return bool(_events(question))


def _events(question: str) -> list[str]:
    question = " ".join(question.split())
    after = _AFTER.search(question)
    if after:
        return [after["first"], after["second"]]
    asked = _BETWEEN.search(question)
    if asked is None:
        return []
    for cut in _CUTS:
        parts = cut.split(asked["both"].rstrip("?. "), maxsplit=1)
        if len(parts) > 1:
            return parts
    return []


def _newest_on(subject: Subject, normal: str, reading: Reading) -> tuple[Dated, Statement] | None:
    wanted = frozenset(content_stems(normal))
    for said in reversed(reading.told):
        if said.exchange not in subject.exchanges or not holds_date(said.normal):
            continue
        if wanted and 2 * len(wanted & said.stems) > len(wanted):
            dates = dates_in(said.normal, reading.year)
            if dates:
                return dates[0], said
    return None


def _newest(normal: str, reading: Reading) -> tuple[Dated, Statement] | None:
    """By the words of the event, as few events are told in the words of a question."""
    terms = reading.relevance.terms(normal)
    dated = reading.relevance.of(reading.dated, terms)
    if not dated:
        return None
    near = [one for one in dated if one.score >= _NEAR * dated[0].score]
    said = reading.statements[max(near, key=lambda one: one.number).number]
    return _nearest(frozenset(terms), said, reading), said


def _nearest(terms: frozenset[str], said: Statement, reading: Reading) -> Dated:
    """Of several dates of a statement, the one that stands closest to the words of the event."""
    dates = dates_in(said.normal, reading.year)
    places = [
        match.start()
        for match in re.finditer(r"[\w'\-]+", said.normal)
        if terms & frozenset(content_stems(match[0]))
    ]
    return min(dates, key=lambda d: min((abs(d.place - place) for place in places), default=0))


def _apart(
    question: str, one: Statement, other: Statement, reading: Reading
) -> tuple[Dated, Dated]:
    """Another date of one of the statements, by the words that only one event has."""
    first, second = (frozenset(reading.relevance.terms(text)) for text in _events(question))
    day = _nearest(first - second or first, one, reading)
    if one is not other:
        day = _nearest(first, one, reading)
    rest = [found for found in dates_in(other.normal, reading.year) if found.day != day.day]
    if rest:
        return day, rest[-1]
    rest = [found for found in dates_in(one.normal, reading.year) if found.day != day.day]
    return (rest[0], day) if rest else (day, day)


def _spoken(days: int, question: str) -> str:
    unit = _UNIT.search(question)
    asked = unit["unit"].lower() if unit else "days"
    if asked == "weeks" and days % 7 == 0:
        return f"{days // 7} weeks ({days} days)"
    if asked == "weeks":
        return f"{days // 7} weeks and {days % 7} days ({days} days)"
    if asked == "months":
        return f"About {round(days / _MONTH_DAYS)} months ({days} days)"
    return f"{days} days"
