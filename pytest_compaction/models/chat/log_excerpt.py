"""The part of a log that a judge is shown: all of a short log, the best excerpts of a long one.

A log is cut into excerpts of a few lines. Those that state a fact are chosen first (from
the messages that the fact names as its evidence, if these are known). Then come those
that rank best for the question, the facts, the stale claims and the answer, so that a
judge can check what the answer says beyond the facts. Excerpts are shown in the order of
the log, each with its message; ``[…]`` stands for what was left out. Nothing here is
random: the same request gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from pytest_compaction.case.case import Fact
from pytest_compaction.models.protocol import JudgeRequest, LogDigest
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import content_stems, normalize

EXCERPT_CHARACTERS: Final = 600
"""An excerpt takes whole lines up to this many characters; a longer line is cut."""
GAP: Final = "[…]"
_LABEL_TOKENS: Final = 16
"""Tokens set aside for a line that names a message, and for a gap."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of one message."""

    message: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class PreparedLog:
    """A log cut into excerpts and indexed, made once for all probes."""

    excerpts: tuple[Excerpt, ...]
    index: BM25


@lru_cache(maxsize=8)
def prepare(digest: LogDigest) -> PreparedLog:
    """Cut a log into excerpts and index them."""
    messages = digest.messages or (("", "log", digest.text),)
    excerpts = tuple(
        Excerpt(id, f"[{role} {id}]" if id else f"[{role}]", text)
        for id, role, whole in messages
        for text in _pieces(whole)
    )
    return PreparedLog(excerpts, BM25([content_stems(normalize(p.text)) for p in excerpts]))


def _pieces(text: str) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in text.splitlines():
        for start in range(0, len(line), EXCERPT_CHARACTERS):
            piece = line[start : start + EXCERPT_CHARACTERS]
            if held and size + len(piece) > EXCERPT_CHARACTERS:
                yield "\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + 1
    if any(piece.strip() for piece in held):
        yield "\n".join(held)


def excerpts_for(request: JudgeRequest, budget: int, count: Callable[[str], int]) -> str:
    """The best excerpts of the request's log, together at most ``budget`` tokens."""
    log = prepare(request.digest)
    chosen: set[int] = set()
    spent = 0
    for number in _by_importance(log, request):
        cost = count(log.excerpts[number].text) + _LABEL_TOKENS
        if number not in chosen and spent + cost <= budget:
            chosen.add(number)
            spent += cost
    return _rendered(log.excerpts, chosen)


def _by_importance(log: PreparedLog, request: JudgeRequest) -> Iterator[int]:
    """Evidence first, one excerpt for each fact in turn; then all others by rank and place."""
    excerpts = log.excerpts
    evidence = [_evidence(excerpts, fact) for fact in request.facts]
    for place in range(max((len(found) for found in evidence), default=0)):
        yield from (found[place] for found in evidence if place < len(found))
    asked = [
        request.question,
        *(form for fact in request.facts for form in (*fact.forms, *chain(*fact.keys))),
        *(text for trap in request.traps for text in (trap.text, *trap.current)),
        request.response,
    ]
    scores = log.index.scores(content_stems(normalize("\n".join(asked))))
    yield from sorted(range(len(excerpts)), key=lambda number: (-scores[number], number))


def _evidence(excerpts: Sequence[Excerpt], fact: Fact) -> list[int]:
    """The excerpts that state a fact: from the messages named, or from all if none is known."""
    known = {excerpt.message for excerpt in excerpts}
    wanted = known.intersection(fact.evidence) or known
    return [
        number
        for number, excerpt in enumerate(excerpts)
        if excerpt.message in wanted
        and _index(excerpt.text).read(fact.statement).outcome == "stated"
    ]


@lru_cache(maxsize=4096)
def _index(text: str) -> TextIndex:
    return TextIndex(text)


def _rendered(excerpts: Sequence[Excerpt], chosen: set[int]) -> str:
    lines: list[str] = []
    last = -1
    for number in sorted(chosen):
        excerpt = excerpts[number]
        if number != last + 1:
            lines.append(GAP)
        if number == 0 or number != last + 1 or excerpt.label != excerpts[last].label:
            lines.append(excerpt.label)
        lines.append(excerpt.text)
        last = number
    if last + 1 < len(excerpts):
        lines.append(GAP)
    return "\n".join(lines)
