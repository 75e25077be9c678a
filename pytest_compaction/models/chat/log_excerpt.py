"""What of a log a judge is shown: all of a short one, the passages that matter of a long one.

A log is cut into passages of a few lines. First come the passages that state a
fact (in the messages that the fact names as its evidence, where these are known),
then what ranks best for the question, the facts, the stale claims and the answer
itself, so that what the answer says beyond the facts can be checked. Passages are
shown in the order of the log, with the message that they are from; ``[…]`` stands
for what was left out. Nothing here is random: the same request gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.models.protocol import JudgeRequest, LogDigest
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import content_stems, normalize

PASSAGE_CHARACTERS: Final = 600
"""A passage takes whole lines up to so many characters; a longer line is cut."""
GAP: Final = "[…]"
_LABEL_TOKENS: Final = 16
"""What the line that names a message, and a gap, may cost."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of one message."""

    message: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class PreparedLog:
    """A log cut into passages and indexed; made once and asked for every probe."""

    passages: tuple[Excerpt, ...]
    index: BM25


@lru_cache(maxsize=8)
def prepare(digest: LogDigest) -> PreparedLog:
    """Cut a log into passages and index them."""
    messages = digest.messages or (("", "log", digest.text),)
    passages = tuple(
        Excerpt(id, f"[{role} {id}]" if id else f"[{role}]", text)
        for id, role, whole in messages
        for text in _cut(whole)
    )
    return PreparedLog(passages, BM25([content_stems(normalize(p.text)) for p in passages]))


def _cut(text: str) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in text.splitlines():
        for start in range(0, len(line), PASSAGE_CHARACTERS):
            piece = line[start : start + PASSAGE_CHARACTERS]
            if held and size + len(piece) > PASSAGE_CHARACTERS:
                yield "\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + 1
    if any(piece.strip() for piece in held):
        yield "\n".join(held)


def excerpt(request: JudgeRequest, budget: int, count: Callable[[str], int]) -> str:
    """The passages of the request's log that matter, at most ``budget`` tokens of them."""
    log = prepare(request.digest)
    chosen: set[int] = set()
    spent = 0
    for number in _by_importance(log, request):
        cost = count(log.passages[number].text) + _LABEL_TOKENS
        if number not in chosen and spent + cost <= budget:
            chosen.add(number)
            spent += cost
    return _rendered(log.passages, chosen)


def _by_importance(log: PreparedLog, request: JudgeRequest) -> Iterator[int]:
    """Evidence first, a passage a fact in turn; then all others by rank, and by place."""
    passages = log.passages
    evidence = [_evidence(passages, fact.forms, fact.evidence) for fact in request.facts]
    for place in range(max((len(found) for found in evidence), default=0)):
        yield from (found[place] for found in evidence if place < len(found))
    asked = [
        request.question,
        *(form for fact in request.facts for form in fact.forms),
        *(text for trap in request.traps for text in (trap.text, *trap.current)),
        request.response,
    ]
    scores = log.index.scores(content_stems(normalize("\n".join(asked))))
    yield from sorted(range(len(passages)), key=lambda number: (-scores[number], number))


def _evidence(passages: Sequence[Excerpt], forms: Sequence[str], named: Sequence[str]) -> list[int]:
    """The passages that state a fact: of the messages named, or of all if none is known."""
    known = {passage.message for passage in passages}
    wanted = known.intersection(named) or known
    return [
        number
        for number, passage in enumerate(passages)
        if passage.message in wanted and _index(passage.text).states(forms)
    ]


@lru_cache(maxsize=4096)
def _index(text: str) -> TextIndex:
    return TextIndex(text)


def _rendered(passages: Sequence[Excerpt], chosen: set[int]) -> str:
    lines: list[str] = []
    last = -1
    for number in sorted(chosen):
        passage = passages[number]
        if number != last + 1:
            lines.append(GAP)
        if number == 0 or number != last + 1 or passage.label != passages[last].label:
            lines.append(passage.label)
        lines.append(passage.text)
        last = number
    if last + 1 < len(passages):
        lines.append(GAP)
    return "\n".join(lines)
