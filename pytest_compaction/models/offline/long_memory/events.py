"""What happened with a thing, in the order in which it was told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import fields_of
from pytest_compaction.models.offline.long_memory.reading import Reading, Statement
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
