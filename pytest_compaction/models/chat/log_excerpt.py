"""The part of a log that a judge is shown: all of a short log, the best excerpts of a long one.

A log is cut into excerpts of a few lines. Those that state a fact are chosen first (from
the messages that the fact names as its evidence, if these are known). Then come those
that rank best for the question, the facts, the stale claims and the answer, so that a
judge can check what the answer says beyond the facts. Excerpts are shown in the order of
the log, each with its message; ``[…]`` stands for what was left out. Nothing here is
random: the same request gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, zip_longest
from typing import Final

from pytest_compaction.cache import Form, KeptResults, SizedCache
from pytest_compaction.case import Fact
from pytest_compaction.conversation import TokenCounter, identity
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
    """The excerpts of one message, in order, indexed when one is first searched.

    A message stands in the logs of several points, and is searched by all probes of a case: it
    is cut, stemmed, and read for a fact, once for all of them.
    """

    def __init__(self, text: str) -> None:
        self.texts = tuple(_pieces(text))
        self._stating: dict[tuple[int, Statement], bool] = {}

    def stating(self, statement: Statement, besides: Container[int] = ()) -> list[int]:
        """The numbers of the excerpts that state this when they are read alone, ``besides`` some.

        What is not asked for is not read.
        """
        if all(number in besides for number in range(len(self.texts))):
            return []
        places = self._index.candidates(statement)
        return [n for n in places if n not in besides and self._states(n, statement)]

    def _states(self, number: int, statement: Statement) -> bool:
        if (number, statement) not in self._stating:
            stated = self._index.text(number).is_stated(statement)
            self._stating[number, statement] = stated
        return self._stating[number, statement]

    @cached_property
    def stems(self) -> tuple[Sequence[str], ...]:
        """The stems of each excerpt."""
        return tuple(map(_stems, self.texts))

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


def _stems(text: str) -> Sequence[str]:
    return content_stems(normalize(text))


_message_excerpts = lru_cache(maxsize=4096)(MessageExcerpts)


@dataclass(frozen=True)
class PreparedLog:
    """A log cut into excerpts, and indexed when first searched, once for all probes.

    ``excerpts`` are pairs of the line that names the message, and the text. ``parts`` are the
    messages: the id, the number of the first excerpt, and the excerpts.
    """

    excerpts: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, int, MessageExcerpts], ...]
    _costs: dict[Callable[[str], int], list[int]] = field(default_factory=dict)

    @cached_property
    def _index(self) -> BM25:
        return BM25(chain.from_iterable(message.stems for _, _, message in self.parts))

    def costs(self, count: Callable[[str], int]) -> list[int]:
        """The tokens that each excerpt takes of the budget."""
        if count not in self._costs:
            self._costs[count] = [count(text) + _LABEL_TOKENS for _, text in self.excerpts]
        return self._costs[count]

    def evidence(self, fact: Fact, besides: Set[int] = frozenset()) -> list[int]:
        """The excerpts that state a fact, in order, ``besides`` some that are not looked at.

        They are those of the messages that the fact names, or of all if none of these is known.
        """
        wanted = {id for id, _, _ in self.parts}.intersection(fact.evidence)
        return [
            first + number
            for id, first, message in self.parts
            if not wanted or id in wanted
            for number in message.stating(fact.statement, {n - first for n in besides})
        ]

    def scores(self, query: str, response: str) -> list[float]:
        """How well each excerpt fits a query and the response to it."""
        stems = dict.fromkeys(_stems(query))
        totals = list(self._index.scores(list(stems)))
        for stem in dict.fromkeys(_stems(response)):
            if stem not in stems:
                for number, score in self._index.term(stem).items():
                    totals[number] += score
        return totals


_PREPARED: Final[SizedCache[LogDigest, PreparedLog]] = SizedCache(
    _MOST_CHARACTERS, lambda log: sum(len(text) for _, text in log.excerpts)
)


def prepare(digest: LogDigest) -> PreparedLog:
    """A log cut into excerpts; the latest are cached."""
    return _PREPARED.get(digest, lambda: _prepared(digest))


def _prepared(digest: LogDigest) -> PreparedLog:
    excerpts: list[tuple[str, str]] = []
    parts: list[tuple[str, int, MessageExcerpts]] = []
    for id, role, text in digest.messages or (("", "log", digest.whole),):
        message = _message_excerpts(text)
        parts.append((id, len(excerpts), message))
        label = f"[{role} {id}]" if id else f"[{role}]"
        excerpts += [(label, piece) for piece in message.texts]
    return PreparedLog(tuple(excerpts), tuple(part for part in parts if part[2].texts))


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
        parts = [request.digest, request.facts, request.traps, request.question, request.response]
        about = identity(["excerpts", tokens.name, budget, *parts])
    chosen = kept.once(about, _CHOICE, lambda: _chosen(log, request, budget, tokens.text))
    lines: list[str] = []
    last = -1
    for number in chosen:
        label, text = log.excerpts[number]
        if number != last + 1:
            lines.append(GAP)
        if number == 0 or number != last + 1 or label != log.excerpts[last][0]:
            lines.append(label)
        lines.append(text)
        last = number
    if last + 1 < len(log.excerpts):
        lines.append(GAP)
    return "\n".join(lines)


def _chosen(
    log: PreparedLog, request: JudgeRequest, budget: int, count: Callable[[str], int]
) -> list[int]:
    """The numbers of the best excerpts, in order, as far as they fit.

    Evidence comes first, one excerpt of each fact in turn, and then what ranks best.
    """
    costs = log.costs(count)
    if sum(costs) <= budget:
        return list(range(len(costs)))
    forms = [
        request.question,
        *(form for fact in request.facts for form in (*fact.forms, *chain(*fact.keys))),
        *(text for trap in request.traps for text in (trap.text, *trap.current)),
    ]
    scores = log.scores("\n".join(forms), request.response)
    ranked = sorted(range(len(scores)), key=lambda number: -scores[number])
    chosen = _fitting(ranked, costs, budget)
    # If all evidence is among them, it makes no difference that it comes first.
    if any(log.evidence(fact, chosen) for fact in request.facts):
        turns = zip_longest(*map(log.evidence, request.facts))
        first = (number for turn in turns for number in turn if number is not None)
        chosen = _fitting(chain(first, ranked), costs, budget)
    return sorted(chosen)


def _fitting(numbers: Iterable[int], costs: Sequence[int], budget: int) -> set[int]:
    """The excerpts that fit, taken in this order; what does not fit is passed over."""
    least = min(costs)
    chosen: set[int] = set()
    for number in numbers:
        if number not in chosen and costs[number] <= budget:
            chosen.add(number)
            budget -= costs[number]
            if budget < least:
                break
    return chosen
