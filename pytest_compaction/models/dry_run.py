"""A dry run of the models: calls are rendered and counted, and none is made.

What the store holds is answered from it, so that what follows is what would really
follow; for the rest the offline model stands in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Literal

from pytest_compaction.conversation.messages import Message, Opaque, canonical_json
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.spending_limit import most_usage
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.chat import summary_reply as summary_text
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.parameters import Parameters, refusal_of
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.models.wire.server_edits import assumed
from pytest_compaction.rubric import applicable

CRITERION_TOKENS: Final = 40
NUMBER_TOKENS: Final = 30
"""What a judgement is taken to need for each criterion, and for each fact or stale value."""
_SHORT_TOKENS: Final = 150
"""What a short reply is taken to need: an entry or two."""
_FILLER: Final = "the work went on as planned and more was said of it in passing"
Length = Literal["short", "middle", "long"]
_NATIVE: Final = canonical_json({"type": "compaction", "encrypted_content": "A" * 2000})
_ORDER: Final = ("compaction", "responder", "judge")


@dataclass(frozen=True, slots=True)
class Planned:
    """Calls of one role to one model: those to be made, and how many the store answers.

    ``usage`` and ``usd`` (US dollars, ``None`` without a price) are of those to be made.
    """

    role: str
    model: str
    stored: int
    usage: Usage
    usd: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """All planned calls by role and model, and the strategies that were not run for it.

    ``ends`` are the same with short and with long replies, where their length decides how
    often a log is compacted; else there are none.
    """

    planned: tuple[Planned, ...]
    assumed: tuple[str, ...] = ()
    ends: tuple[Estimate, ...] = ()

    @property
    def calls(self) -> int:
        """Calls to be made."""
        return sum(part.usage.calls for part in self.planned)

    @property
    def stored(self) -> int:
        """Calls that the store answers."""
        return sum(part.stored for part in self.planned)

    @property
    def usage(self) -> Usage:
        """What the calls to be made take."""
        return sum((part.usage for part in self.planned), Usage())

    @property
    def usd(self) -> float | None:
        """US dollars for the calls to be made; ``None`` if one has no price."""
        known = [part.usd for part in self.planned if part.usd is not None]
        return sum(known) if len(known) == len(self.planned) else None


class Rehearsed(Exception):  # noqa: N818 - nothing is wrong: the call is one to be made
    """A call that would be made; ``write`` books how long its reply is taken to be."""

    def __init__(self, entry: _Entry) -> None:
        super().__init__("rehearsed")
        self.entry = entry


@dataclass
class _Entry:
    """A call that would be made: the tokens that it reads, and those of the reply."""

    role: str
    model: str
    read: int
    written: int = 0


class Rehearsal:
    """A caller that answers from the store and books everything else without asking."""

    def __init__(self, store: Store | None, tokens: TokenCounter) -> None:
        self._store = store
        self._tokens = tokens
        self._entries: dict[str, _Entry] = {}
        self._stored: Counter[tuple[str, str]] = Counter()

    async def call(self, call: Call) -> CallReply:
        """The stored reply; without one :class:`Rehearsed` is raised."""
        digest, model = call.digest, str(call.body.get("model"))
        found = None if self._store is None else self._store.find(call)
        if found is not None or digest in self._entries:
            self._stored[call.role, model] += 1
        if found is not None:
            return found
        if digest not in self._entries:
            read = most_usage(call, self._tokens).input_tokens
            self._entries[digest] = _Entry(call.role, model, read)
        raise Rehearsed(self._entries[digest])

    async def close(self) -> None:
        """Nothing is open."""

    def planned(self, prices: PriceTable) -> tuple[Planned, ...]:
        """All calls by role and model."""
        usage: dict[tuple[str, str], Usage] = {}
        for entry in self._entries.values():
            key = (entry.role, entry.model)
            usage[key] = usage.get(key, Usage()) + Usage(1, entry.read, 0, entry.written)
        keys = sorted({*usage, *self._stored}, key=lambda key: (_ORDER.index(key[0]), key[1]))
        planned: list[Planned] = []
        for role, model in keys:
            mine = usage.get((role, model), Usage())
            usd = prices.cost(model, mine) if mine.calls else 0.0
            planned.append(Planned(role, model, self._stored[role, model], mine, usd))
        return tuple(planned)


class RehearsedModel:
    """Renders every request as the real model does; the offline model replies in its place.

    ``length`` says how long summaries and answers are taken to be: as long as the rules
    make them (``middle``), an entry or two (``short``), or all that there is room for
    (``long``).
    """

    def __init__(self, real: Model, tokens: TokenCounter, length: Length = "middle") -> None:
        self._real = real
        self._tokens = tokens
        self._length = length
        self._stand_in = OfflineModel(tokens)

    @property
    def name(self) -> str:
        """The name of the real model."""
        return self._real.name

    def at_trial(self, trial: int) -> RehearsedModel:
        """The same for one repetition."""
        return RehearsedModel(self._real.at_trial(trial), self._tokens, self._length)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """A stored summary, or an extract as long as the budget allows."""
        try:
            return await self._real.summarize(request)
        except Rehearsed as call:
            room = self._room(request.budget)
            reply = await self._stand_in.summarize(replace(request, budget=room))
            if self._length == "long":
                reply = self._filled(reply, request)
            call.entry.written = reply.usage.output_tokens
            return reply

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """A stored answer, or one by rules; a server is taken to make the edits asked for."""
        try:
            return await self._real.answer(request)
        except Rehearsed as call:
            spec = replace(request.answer, max_tokens=self._room(request.answer.max_tokens))
            reply = await self._stand_in.answer(replace(request, answer=spec, parameters={}))
            if self._length == "long":
                missing = spec.max_tokens - reply.usage.output_tokens
                usage = replace(reply.usage, output_tokens=spec.max_tokens)
                reply = replace(reply, text=reply.text + " more" * missing, usage=usage)
            call.entry.written = reply.usage.output_tokens
            if not request.parameters:
                return reply
            read = self._tokens.messages(request.view)
            return replace(reply, applied=assumed(request.parameters, read))

    def _room(self, tokens: int) -> int:
        return min(tokens, _SHORT_TOKENS) if self._length == "short" else tokens

    def _filled(self, reply: SummaryReply, request: SummaryRequest) -> SummaryReply:
        """The summary with entries added to each section until the budget is full."""
        each = self._tokens.text(f"- {_FILLER}") + 1
        sections = request.sections
        count = max(0, request.budget // (each * len(sections))) + 1
        more = tuple(f"{_FILLER} {number}" for number in range(count))
        entries = tuple((s.id, (*reply.summary.of(s.id), *more)) for s in sections)
        full = summary_text.within_budget(
            Summary(entries), sections, request.budget, self._tokens.text
        )
        written = self._tokens.text(full.render(sections))
        return SummaryReply(full, replace(reply.usage, output_tokens=written))

    def refuses(self, parameters: Parameters) -> str | None:
        """As the real model does."""
        return refusal_of(self._real, parameters)

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """A stored judgement, or none; its length is taken from what it must hold."""
        try:
            return await self._real.judge(request)
        except Rehearsed as call:
            numbers = len(request.facts) + len(request.traps)
            criteria = len(applicable(request.kind))
            call.entry.written = CRITERION_TOKENS * criteria + NUMBER_TOKENS * numbers
            return JudgeReply(unscored="estimated")

    async def compact(self, request: CompactRequest) -> CompactReply:
        """A stored compaction, or the user's messages and an item of middling length."""
        try:
            return await self._real.compact(request)
        except Rehearsed as call:
            call.entry.written = self._tokens.text(_NATIVE)
            kept = [message for message in request.messages if message.role == "user"]
            item = Message("estimated", "assistant", (Opaque(_NATIVE),), "synthetic")
            return CompactReply((*kept, item))
