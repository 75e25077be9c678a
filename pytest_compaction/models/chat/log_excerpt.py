"""The part of a log that a judge is shown: all of a short log, the best excerpts of a long one.

A log is cut into excerpts of a few lines. Those that state a fact are chosen first (from
the messages that the fact names as its evidence, if these are known). Then come those
that rank best for the question, the facts, the stale claims and the answer, so that a
judge can check what the answer says beyond the facts. Excerpts are shown in the order of
the log, each with its message; ``[…]`` stands for what was left out. Nothing here is
random: the same request gives the same text.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop
from itertools import chain
from typing import Any, Final

from pytest_compaction.cache.kept_results import Form, KeptResults
from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.case.case import Fact
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.chat.message_excerpts import MessageExcerpts, message_excerpts
from pytest_compaction.models.protocol import JudgeRequest, LogDigest
from pytest_compaction.text import BM25, content_stems, normalize

GAP: Final = "[…]"
_LABEL_TOKENS: Final = 16
"""Tokens set aside for a line that names a message, and for a gap."""
_QUESTIONS: Final = 64
"""The most probes of a log that scores are remembered for."""


_MOST_CHARACTERS: Final = 20_000_000
"""Characters of all logs that are held ready."""
_MOST_GROWING: Final = 4
"""Cases whose index the log of a further point is added to."""


def _places(kept: Any) -> list[list[int]]:
    return [[int(number) for number in numbers] for numbers in kept]


_EVIDENCE: Final[Form[list[list[int]]]] = Form(list, _places)
"""For each fact, the numbers of the excerpts that state it."""
_CHOICE: Final[Form[list[int]]] = Form(list, lambda kept: [int(number) for number in kept])
"""The numbers of the excerpts that a judge is shown, in order."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of one message."""

    message: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class PreparedLog:
    """A log cut into excerpts, and indexed when first asked, once for all probes.

    ``parts`` are its messages: the id, the number of the first excerpt, and the excerpts.
    """

    excerpts: tuple[Excerpt, ...]
    parts: tuple[tuple[str, int, MessageExcerpts], ...]
    _indexed: Callable[[], BM25]
    _costs: dict[Callable[[str], int], list[int]] = field(default_factory=dict)
    _asked: dict[str, tuple[frozenset[str], Sequence[float]]] = field(default_factory=dict)

    @property
    def index(self) -> BM25:
        """The index of the excerpts."""
        return self._indexed()

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
        """How well each excerpt fits what is asked and the response to it.

        What is asked is the same for all strategies and trials, and so weighed once.
        """
        if asked not in self._asked:
            if len(self._asked) >= _QUESTIONS:
                self._asked.clear()
            stems = content_stems(normalize(asked))
            self._asked[asked] = (frozenset(stems), self.index.scores(stems))
        known, found = self._asked[asked]
        totals = list(found)
        for stem in dict.fromkeys(content_stems(normalize(response))):
            if stem not in known:
                for number, score in self.index.term(stem).items():
                    totals[number] += score
        return totals


_PREPARED: Final[SizedCache[LogDigest, PreparedLog]] = SizedCache(
    _MOST_CHARACTERS, lambda log: sum(len(excerpt.text) for excerpt in log.excerpts)
)


def prepare(digest: LogDigest) -> PreparedLog:
    """A log cut into excerpts and indexed; the latest are remembered."""
    return _PREPARED.get(digest, lambda: _prepared(digest))


class _GrowingLog:
    """The log of a case as far as it was asked for; each of its beginnings is a prepared log."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, str, str]] = []
        self._ends: list[tuple[int, int]] = [(0, 0)]
        """How many excerpts and parts there are before the first message, and after each."""
        self._excerpts: list[Excerpt] = []
        self._parts: list[tuple[str, int, MessageExcerpts]] = []
        self._index = BM25()
        self._to_index: deque[MessageExcerpts] = deque()

    def begins_as(self, messages: Sequence[tuple[str, str, str]]) -> bool:
        """Whether one of the two is a beginning of the other."""
        return all(map(operator.eq, self._messages, messages))

    def until(self, messages: Sequence[tuple[str, str, str]]) -> PreparedLog:
        """The log with these messages, of which those that are not known yet are added."""
        for message in messages[len(self._messages) :]:
            self._add(*message)
        excerpts, parts = self._ends[len(messages)]
        return PreparedLog(
            tuple(self._excerpts[:excerpts]),
            tuple(self._parts[:parts]),
            lambda: self._indexed(excerpts),
        )

    def _indexed(self, excerpts: int) -> BM25:
        while len(self._index) < excerpts:
            found = self._to_index[0].stems()  # which takes long, and may be interrupted
            self._to_index.popleft()
            for stems in found:
                self._index.add(stems)
        return self._index.beginning(excerpts)

    def _add(self, id: str, role: str, text: str) -> None:
        message = message_excerpts(text)
        if message.texts:
            self._parts.append((id, len(self._excerpts), message))
        label = f"[{role} {id}]" if id else f"[{role}]"
        self._excerpts += [Excerpt(id, label, piece) for piece in message.texts]
        self._to_index.append(message)
        self._messages.append((id, role, text))
        self._ends.append((len(self._excerpts), len(self._parts)))


_GROWING: Final[OrderedDict[str, _GrowingLog]] = OrderedDict()


def _prepared(digest: LogDigest) -> PreparedLog:
    """The prepared log; those of the points of a case that follow one another share an index."""
    messages = digest.messages or (("", "log", digest.whole),)
    growing = _GROWING.pop(digest.case, None)
    if growing is None or not growing.begins_as(messages):
        growing = _GrowingLog()
    _GROWING[digest.case] = growing
    while len(_GROWING) > _MOST_GROWING:
        _GROWING.popitem(last=False)
    return growing.until(messages)


def excerpts_for(
    request: JudgeRequest,
    budget: int,
    tokens: TokenCounter,
    kept: KeptResults | None = None,
) -> str:
    """The best excerpts of the request's log, together at most ``budget`` tokens.

    ``kept`` keeps which they are, and which state the facts, from run to run.
    """
    log, kept = prepare(request.digest), kept or KeptResults()
    about = ""
    if kept.keeps:
        asked = [request.digest, request.facts, request.traps, request.question, request.response]
        about = identity(["excerpts", tokens.name, budget, *asked])
    chosen = kept.once(about, _CHOICE, lambda: _chosen(log, request, budget, tokens.text, kept))
    return _rendered(log.excerpts, chosen)


def _chosen(
    log: PreparedLog,
    request: JudgeRequest,
    budget: int,
    count: Callable[[str], int],
    kept: KeptResults,
) -> list[int]:
    """The numbers of the best excerpts, in order."""
    costs = log.costs(count)
    if sum(costs) <= budget:
        return list(range(len(costs)))
    least = min(costs)
    chosen: set[int] = set()
    spent = 0
    for number in _by_importance(log, request, kept):
        if number not in chosen and spent + costs[number] <= budget:
            chosen.add(number)
            spent += costs[number]
            if spent + least > budget:
                break
    return sorted(chosen)


def _by_importance(log: PreparedLog, request: JudgeRequest, kept: KeptResults) -> Iterator[int]:
    """Evidence first, one excerpt for each fact in turn; then all others by rank and place."""
    about = identity(["evidence", request.digest, request.facts]) if kept.keeps else ""
    evidence = kept.once(about, _EVIDENCE, lambda: [log.evidence(f) for f in request.facts])
    for place in range(max((len(found) for found in evidence), default=0)):
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
