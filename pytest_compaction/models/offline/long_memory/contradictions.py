"""Both sides of what the user said of themselves, once so and once otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.text.words import content_stems

_NOT: Final = re.compile(r"\b(?:never|not|no|none|without|\w+n't)\b")
_DENIES: Final = re.compile(
    r"\bnever\b|\b(?:have|has|had|did|do|does|is|are|am|was|were)(?:n't| not)\b|\bno\b|\bwithout\b"
)
"""How one says that something was not done or is not there."""
_CLAUSE: Final = re.compile(r",\s{1,4}(?:and|but|so|can|could|since|because)\b|;|\sbut\s|\s-\s")
_OF_MYSELF: Final = re.compile(r"\b(?:i|i've|i'm|my|we|we've|our)\b")
_SHARE: Final = 0.5
_LEAST: Final = 0.3
"""What the other side holds of the question or of the denial, at least: people say it in other
words."""
_EMPTY: Final = frozenset(content_stems("ever anything something yet already project"))


def both_sides(question: str, reading: Reading) -> list[str]:
    """The statement that denies it and the one that speaks for it; nothing if one is missing."""
    wanted = frozenset(reading.relevance.terms(question)) - _EMPTY
    denials = [
        (reading.relevance.share(wanted, frozenset(content_stems(clause))), said)
        for said in reading.told
        if _OF_MYSELF.search(said.normal) or _DENIES.search(said.normal)
        for clause in _denying(said)
    ]
    share, denial = max(denials, key=lambda pair: pair[0], default=(0.0, None))
    if denial is None or share < _SHARE:
        return []
    other = _other_side(wanted, denial, reading)
    if other is None:
        return []
    sides = sorted((denial, other), key=lambda said: said.exchange)
    return [
        "There is contradictory information about this.",
        *(f"You said: {said.text}" for said in sides),
        "Which statement is correct?",
    ]


def _denying(said: Statement) -> Iterable[str]:
    """The clauses of a statement that deny something."""
    return (clause for clause in _CLAUSE.split(said.normal) if _DENIES.search(clause))


def _other_side(wanted: frozenset[str], denial: Statement, reading: Reading) -> Statement | None:
    """The statement without a denial that holds most of the question; the newest of equals."""
    best, found = 0.0, None
    for said in reading.told:
        if said is denial or not wanted & said.stems or not _OF_MYSELF.search(said.normal):
            continue
        if any(wanted & frozenset(content_stems(clause)) for clause in _denying(said)):
            continue
        share = reading.relevance.share(wanted, said.stems)
        if share >= best:
            best, found = share, said
    return found if best >= _LEAST else None
