"""What happened with a thing, in the order in which it was told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import fields_of
from pytest_compaction.models.offline.long_memory.quotes import is_prose
from pytest_compaction.models.offline.long_memory.reading import Reading, Statement
from pytest_compaction.models.offline.long_memory.relevance import Relevant
from pytest_compaction.models.offline.long_memory.subject import Subject

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE: Final = re.compile(rf"\b{_MONTH}\b")
_VALUE: Final = re.compile(r"\b\d[\d,.]* ?(?:euros?|dollars?|pounds?)\b|[$€£]\d|\d-\d|\d{4}")
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
_OF_AN_EXCHANGE: Final = 3
_MOST_SUMMED: Final = 16
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


def told_of(question: str, reading: Reading, number: int) -> list[Statement]:
    """The exchanges that bear most on the question, each by the statement that does, in order."""
    terms = reading.relevance.terms(question)
    best: dict[int, Statement] = {}
    ranked: list[int] = []
    for one in reading.relevance.ranked(terms, by_user=True):
        said = reading.statements[one.number]
        if said.exchange not in best and is_prose(said):
            best[said.exchange] = said
            ranked.append(said.exchange)
    apart = reading.exchanges // (_APART * number)
    chosen: list[int] = []
    for exchange in ranked:
        if all(abs(exchange - other) > apart for other in chosen):
            chosen.append(exchange)
    return [best[exchange] for exchange in sorted(chosen[:number])]


def summed_up(question: str, reading: Reading) -> list[Statement]:
    """What bears most on the question from all over the view, in order."""
    terms = reading.relevance.terms(question)
    chosen: list[Relevant] = []
    often: Counter[int] = Counter()
    for one in reading.relevance.ranked(terms):
        said = reading.statements[one.number]
        if is_prose(said) and often[said.exchange] < _OF_AN_EXCHANGE:
            often[said.exchange] += 1
            chosen.append(one)
        if len(chosen) == _MOST_SUMMED:
            break
    return [reading.statements[n] for n in sorted(one.number for one in chosen)]


def number_asked(question: str) -> int | None:
    """How many events a question asks for, if it says so."""
    match = _NUMBER.search(question)
    if match:
        return int(match[1])
    words = question.lower().split()
    return next((n for n, word in enumerate(_WORDS, start=2) if word in words), None)


def numbered(events: Sequence[Statement]) -> list[str]:
    """Events as items of a list, in short."""
    return [f"{n}. {_short(one)}" for n, one in enumerate(events, start=1)]


def _short(said: Statement) -> str:
    return said.proper.rstrip(".")


def _is_event(said: Statement) -> bool:
    if _DATE.search(said.text) or _VALUE.search(said.proper):
        return False
    if _STATE.search(said.normal) or set(fields_of(said.normal)) & _ASKED:
        return False
    return _PAST.search(said.normal) is not None
