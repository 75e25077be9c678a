"""What happened with a thing, in the order in which it was told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import fields_of
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.relevance import Relevant
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.models.offline.long_memory.subject import Subject

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE: Final = re.compile(rf"\b{_MONTH}\b")
_VALUE: Final = re.compile(r"\b\d[\d,.]{0,24} ?(?:euros?|dollars?|pounds?)\b|[$€£]\d|\d-\d|\d{4}")
_PAST: Final = re.compile(
    r"\b(?:\w{2,}ed|sold|tore|drew|lost|built|found|won|left|came|went|gave|took|broke|wrote|made"
    r"|bought|began|met|held|saw|said|fell|got|grew|led|sent|spoke|stole|ran|chose|caught|brought"
    r"|burst|burnt|flew|sank|rose|set|cut|put|hit|paid|told|thought|taught|sang|had)\b"
)
_STATE: Final = re.compile(r"\b(?:i|me|my|look(?:s|ed)|seem(?:s|ed)|felt|feels|was|were|is|are)\b")
"""A state, a look of things, or a word on the speaker: nothing that happened with the thing."""
_NUMBER: Final = re.compile(r"\b(\d{1,2})\b(?= (?:\w+ ){0,2}(?:events?|items?|things?|aspects?))")
_WORDS: Final = "two three four five six seven eight nine ten".split()
_USUAL: Final = 5
_APART: Final = 6
"""Events that are told within this part of their share of a view are one."""
_HEAD: Final = 45
"""Words of what the user told in an exchange that stand for it."""
_LEAST_TOLD: Final = 10
_SUMMED: Final = 9
_COUNTED: Final = 0.6
_MOST_COUNTED: Final = 6
_ASKED: Final = frozenset(
    "head deputy key driver money supplier insurance phone people".split()
) | frozenset(("spare key", "second driver", "spent", "code", "meeting place"))


def events_on(
    subject: Subject | None, question: str, reading: Reading, most: int | None = None
) -> list[Statement]:
    """The statements on what happened that small talk resembles least, in order."""
    said = [one for one in reading.told if subject is None or one.exchange in subject.exchanges]
    happened = [one for one in said if _is_event(one)]
    rarest = sorted(happened, key=reading.commonness)[: most or number_asked(question) or _USUAL]
    return [one for one in said if one in rarest]


def told_of(question: str, reading: Reading, number: int) -> list[str]:
    """What the user told in the exchanges that bear most on the question, in order."""
    apart = reading.exchanges // (_APART * number)
    chosen: list[int] = []
    for exchange in _exchanges_on(question, reading):
        if all(abs(exchange - other) > apart for other in chosen):
            chosen.append(exchange)
    return [reading.opening(exchange, _HEAD) for exchange in sorted(chosen[:number])]


def summed_up(question: str, reading: Reading) -> list[str]:
    """The same from more exchanges, each with what the assistant said that bears most on it."""
    chosen = sorted(_exchanges_on(question, reading)[:_SUMMED])
    terms = reading.relevance.terms(question)
    replies: dict[int, str] = {}
    for one in reading.relevance.ranked(terms):
        said = reading.statements[one.number]
        if not said.by_user and said.is_prose:
            replies.setdefault(said.exchange, said.text)
    lines: list[str] = []
    for exchange in chosen:
        lines.append(reading.opening(exchange, _HEAD))
        lines.extend([replies[exchange]] if exchange in replies else [])
    return lines


def counted(question: str, reading: Reading) -> list[str]:
    """How many exchanges bear on the question, and what the user told in each."""
    terms = reading.relevance.terms(question)
    best: dict[int, Relevant] = {}
    for one in reading.relevance.ranked(terms, by_user=True):
        said = reading.statements[one.number]
        if said.is_prose and not said.asks_only:
            best.setdefault(said.exchange, one)
    if not best:
        return []
    top = max(one.score for one in best.values())
    chosen = sorted(one.number for one in best.values() if one.score >= _COUNTED * top)[
        :_MOST_COUNTED
    ]
    return [f"{len(chosen)}:", *(reading.statements[number].text for number in chosen)]


def _exchanges_on(question: str, reading: Reading) -> list[int]:
    """The exchanges in which the user tells something, the most relevant first."""
    terms = reading.relevance.terms(question)
    whole = reading.relevance.exchanges(terms)
    best: dict[int, float] = {}
    for one in reading.relevance.ranked(terms, by_user=True):
        best.setdefault(reading.statements[one.number].exchange, one.score)
    found = [n for n in best if len(reading.opening(n, _HEAD).split()) >= _LEAST_TOLD]
    return sorted(found, key=lambda n: -(best[n] + whole[n]))


def number_asked(question: str) -> int | None:
    """How many events a question asks for, if it says so."""
    match = _NUMBER.search(question)
    if match:
        return int(match[1])
    words = question.lower().split()
    return next((n for n, word in enumerate(_WORDS, start=2) if word in words), None)


def numbered(events: Sequence[str]) -> list[str]:
    """Events as items of a list, in short."""
    return [f"{n}. {text.rstrip('.')}" for n, text in enumerate(events, start=1)]


def _is_event(said: Statement) -> bool:
    if _DATE.search(said.text) or _VALUE.search(said.proper):
        return False
    if _STATE.search(said.normal) or set(fields_of(said.normal)) & _ASKED:
        return False
    return _PAST.search(said.normal) is not None
