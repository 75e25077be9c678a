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
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from heapq import heapify, heappop
from itertools import chain
from typing import Final

from pytest_compaction.cache import Form, KeptResults, SizedCache
from pytest_compaction.case.case import Fact
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.protocol import JudgeRequest, LogDigest
from pytest_compaction.text import BM25, LogIndex, Statement, content_stems, normalize

EXCERPT_CHARACTERS: Final = 600
"""An excerpt takes whole lines up to this many characters; a longer line is cut."""
GAP: Final = "[…]"
_LABEL_TOKENS: Final = 16
"""Tokens set aside for a line that names a message, and for a gap."""
_MOST_CHARACTERS: Final = 20_000_000
"""Characters of all logs that are held ready."""
_CHOICE: Final[Form[list[int]]] = Form(list, lambda kept: [int(number) for number in kept])
"""The numbers of the excerpts that a judge is shown, in order."""


class MessageExcerpts:
    """The excerpts of one message, in order. Building is linear in the text.

    A message stands in the logs of several points, and is asked for by all probes of a case: it
    is cut, and read for a fact, once for all of them.
    """

    def __init__(self, text: str) -> None:
        self.texts = tuple(_pieces(text))
        self._stated: dict[Statement, tuple[int, ...]] = {}

    def that_state(self, statement: Statement) -> tuple[int, ...]:
        """The numbers of the excerpts that state this; the counterparts do not matter."""
        if statement not in self._stated:
            self._stated[statement] = self._index.stating(statement)
        return self._stated[statement]

    @cached_property
    def _index(self) -> LogIndex:
        return LogIndex(self.texts)


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


_message_excerpts = lru_cache(maxsize=4096)(MessageExcerpts)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of one message, and the line that names it."""

    label: str
    text: str


@dataclass(frozen=True)
class PreparedLog:
    """A log cut into excerpts, and indexed when first asked, once for all probes.

    ``parts`` are its messages: the id, the number of the first excerpt, and the excerpts.
    """

    excerpts: tuple[Excerpt, ...]
    parts: tuple[tuple[str, int, MessageExcerpts], ...]
    _costs: dict[Callable[[str], int], list[int]] = field(default_factory=dict)

    @cached_property
    def _index(self) -> BM25:
        return BM25([_stems(excerpt.text) for excerpt in self.excerpts])

    def costs(self, count: Callable[[str], int]) -> list[int]:
        """What each excerpt takes of the budget, in tokens."""
        if count not in self._costs:
            self._costs[count] = [count(one.text) + _LABEL_TOKENS for one in self.excerpts]
        return self._costs[count]

    def evidence(self, fact: Fact) -> list[int]:
        """The excerpts that state a fact: from the messages named, or from all if none is known."""
        wanted = {id for id, _, _ in self.parts}.intersection(fact.evidence)
        return [
            first + number
            for id, first, message in self.parts
            if not wanted or id in wanted
            for number in message.that_state(fact.statement)
        ]

    def scores(self, asked: str, response: str) -> list[float]:
        """How well each excerpt fits what is asked and the response to it."""
        stems = dict.fromkeys(_stems(asked))
        totals = list(self._index.scores(list(stems)))
        for stem in dict.fromkeys(_stems(response)):
            if stem not in stems:
                for number, score in self._index.term(stem).items():
                    totals[number] += score
        return totals


def _stems(text: str) -> Sequence[str]:
    return content_stems(normalize(text))


_PREPARED: Final[SizedCache[LogDigest, PreparedLog]] = SizedCache(
    _MOST_CHARACTERS, lambda log: sum(len(excerpt.text) for excerpt in log.excerpts)
)


def prepare(digest: LogDigest) -> PreparedLog:
    """A log cut into excerpts and indexed; the latest are cached."""
    return _PREPARED.get(digest, lambda: _prepared(digest))


def _prepared(digest: LogDigest) -> PreparedLog:
    excerpts: list[Excerpt] = []
    parts: list[tuple[str, int, MessageExcerpts]] = []
    for id, role, text in digest.messages or (("", "log", digest.whole),):
        message = _message_excerpts(text)
        if message.texts:
            parts.append((id, len(excerpts), message))
        label = f"[{role} {id}]" if id else f"[{role}]"
        excerpts += [Excerpt(label, piece) for piece in message.texts]
    return PreparedLog(tuple(excerpts), tuple(parts))


def excerpts_for(
    request: JudgeRequest,
    budget: int,
    tokens: TokenCounter,
    kept: KeptResults | None = None,
) -> str:
    """The best excerpts of the request's log, together at most ``budget`` tokens.

    ``kept`` keeps which they are from run to run.
    """
    log, kept = prepare(request.digest), kept or KeptResults()
    about = ""
    if kept.keeps:
        asked = [request.digest, request.facts, request.traps, request.question, request.response]
        about = identity(["excerpts", tokens.name, budget, *asked])
    chosen = kept.once(about, _CHOICE, lambda: _chosen(log, request, budget, tokens.text))
    return _rendered(log.excerpts, chosen)


def _chosen(
    log: PreparedLog, request: JudgeRequest, budget: int, count: Callable[[str], int]
) -> list[int]:
    """The numbers of the best excerpts, in order."""
    costs = log.costs(count)
    if sum(costs) <= budget:
        return list(range(len(costs)))
    least = min(costs)
    chosen: set[int] = set()
    spent = 0
    for number in _by_importance(log, request):
        if number not in chosen and spent + costs[number] <= budget:
            chosen.add(number)
            spent += costs[number]
            if spent + least > budget:
                break
    return sorted(chosen)


def _by_importance(log: PreparedLog, request: JudgeRequest) -> Iterator[int]:
    """Evidence first, one excerpt for each fact in turn; then all others by rank and place."""
    evidence = [log.evidence(fact) for fact in request.facts]
    for place in range(max(map(len, evidence), default=0)):
        yield from (found[place] for found in evidence if place < len(found))
    asked = [
        request.question,
        *(form for fact in request.facts for form in (*fact.forms, *chain(*fact.keys))),
        *(text for trap in request.traps for text in (trap.text, *trap.current)),
    ]
    scores = log.scores("\n".join(asked), request.response)
    # A few excerpts fill the budget, so that they are taken one by one and not all sorted.
    ranked = [(-score, number) for number, score in enumerate(scores) if score]
    heapify(ranked)
    while ranked:
        yield heappop(ranked)[1]
    yield from (number for number, score in enumerate(scores) if not score)


def _rendered(excerpts: Sequence[Excerpt], chosen: Sequence[int]) -> str:
    lines: list[str] = []
    last = -1
    for number in chosen:
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
