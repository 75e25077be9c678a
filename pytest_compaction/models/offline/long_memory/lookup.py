"""The newest statement that gives what a question asks for: a person, a place, a sum, a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import fields_of, in_field
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.models.offline.long_memory.subject import Subject
from pytest_compaction.text.words import content_stems, normalize

_MONEY: Final = (
    r"(?:[$€£]\s?\d[\d,.]{0,24}|\b\d[\d,.]{0,24}\s?(?:euros?|dollars?|pounds?|francs?|[€$£]))"
)
_FORMS: Final = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given))
    for asked, given in (
        (r"\bhow much\b|\bbudget\b|\bcosts?\b|\bprice\b", _MONEY),
        (r"\bfirm\b|\bcompany\b|\bsupplier\b", r"\b[A-Z]\w{1,40} (?:(?:&|and) [A-Z]\w|Ltd|Inc)"),
        (r"^who\b|\bwhose\b|\bwho (?:is|has|the|keeps|rides)\b", r"\b[A-Z]\w{1,40} [A-Z]\w"),
        (r"\bmachine\b|\bdevice\b|\bmodel\b", r"\b[A-Z]\w{1,40}(?:(?:[ -]\w{1,40})? ?\d| [A-Z]\w)"),
        (r"^where\b", r"\b(?:in|at|of|to|on) (?:the )?\w"),
        (r"\bhow many\b", r"(?<![\d-])\b\d[\d,.]{0,24}\b\s{1,4}[a-z]"),
        (r"\bphone\b|\bnumber\b|\bcode\b|\bpolic|\bget into\b|\bextension\b", r"\d"),
    )
)
_WISH: Final = re.compile(
    r"^(?:i want|i would like|i wish|tell me|could you|when|whenever|if|from now on|each time)\b"
    r"|\bi ask\b|\bask again\b"
)
"""A wish or an instruction, which states nothing."""
_ASKS: Final = re.compile(r"\s+And:\s+|(?<=\?)\s+(?=[A-Z])")
_GENERAL: Final = frozenset(content_stems("go thing have get keep say under know name also"))


def parts_of(question: str) -> list[str]:
    """The questions that were put in one."""
    return [part for part in _ASKS.split(question) if part.strip()]


def latest(question: str, subject: Subject | None, reading: Reading) -> Statement | None:
    """The newest statement on the subject that answers, ``None`` if no statement does."""
    given = next((form for asked, form in _FORMS if asked.search(question)), None)
    normal = normalize(question)
    if subject is not None:
        normal = normal.replace(subject.name, " ")
    fields = fields_of(normal)
    told = [said for said in _on(subject, reading) if not _WISH.search(said.normal)]
    if given is not None:
        told = [said for said in told if given.search(said.proper)]
    if fields:
        return _newest_of(fields[0], told, reading)
    wanted = frozenset(content_stems(normal)) - _GENERAL
    return _most_alike(wanted, told)


def _newest_of(field: str, told: Sequence[Statement], reading: Reading) -> Statement | None:
    found = [said for said in told if _speaks_of(field, said)]
    return found[-1] if found else None


def _speaks_of(field: str, said: Statement) -> bool:
    """Whether it is the first field that the statement touches: a spare key is not the key."""
    fields = fields_of(said.normal)
    if field == "money" and "spent" in fields:
        return False
    if field in ("head", "key", "driver"):
        return fields[:1] == [field]
    return in_field(said.normal, field)


def _on(subject: Subject | None, reading: Reading) -> list[Statement]:
    if subject is None:
        return list(reading.told)
    return [said for said in reading.told if said.exchange in subject.exchanges]


def _most_alike(wanted: frozenset[str], told: Sequence[Statement]) -> Statement | None:
    """The statement that holds most of what is asked, if that is at least half; the newest."""
    best = max(told, key=lambda said: len(wanted & said.stems), default=None)
    if best is None or not wanted:
        return None
    most = len(wanted & best.stems)
    if 2 * most < len(wanted):
        return None
    return [said for said in told if len(wanted & said.stems) == most][-1]
