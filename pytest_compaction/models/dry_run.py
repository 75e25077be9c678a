"""A dry run of the models: calls are rendered and counted, but not made.

Calls that the store holds are answered from it, so that later calls are those of the real
run.

:class:`DryRunCaller` and :class:`DryRunModel` estimate: the offline model stands in for replies
that are not stored. :class:`MissingCalls` and :class:`CompactingModel` export: nothing stands in.
What depends on a missing reply is not asked, so that every call that is noted is one that the run
itself will make.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Literal

from pytest_compaction.conversation import Message, Opaque, TokenCounter, canonical_json
from pytest_compaction.models.calls.check import CHECK_TOKENS, EndpointCheck
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.chat.summary import within_budget
from pytest_compaction.models.embeddings import EmbedReply, EmbedRequest, embedded
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.own_tokens import input_tokens, own_tokens, ratios, script_of
from pytest_compaction.models.parameters import Parameters, refusal_of
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    NotRecordedError,
    ReadReply,
    ReadRequest,
    SummaryReply,
    SummaryRequest,
    read_by,
)
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.models.usage import OwnTokens, Usage, pooled
from pytest_compaction.models.wire.call import (
    Call,
    Caller,
    CallReply,
    ChainedCaller,
    LocalCaller,
)
from pytest_compaction.models.wire.server_edits import assumed
from pytest_compaction.text import Reading

CRITERION_TOKENS: Final = 40
NUMBER_TOKENS: Final = 30
"""Tokens that a judgement is assumed to take for each criterion, and for each fact or trap."""
CLAIM_TOKENS: Final = 30
"""Tokens that the outcome of a claim in a view is assumed to take."""
_SHORT_TOKENS: Final = 150
"""Tokens that a short reply is assumed to take: an entry or two."""
_FILLER: Final = "the work went on as planned and more was said of it in passing"
Length = Literal["short", "middle", "long"]
_NATIVE: Final = canonical_json({"type": "compaction", "encrypted_content": "A" * 2000})
"""An opaque item of middling length, in place of the one that the endpoint would return."""
_ORDER: Final = ("check", "compaction", "responder", "reader", "judge")


@dataclass(frozen=True, slots=True)
class Planned:
    """Calls of one role to one model: those to make, and how many the store answers.

    ``usage`` and ``usd`` (US dollars, ``None`` without a price) are of the calls to make.
    """

    role: str
    model: str
    stored: int
    usage: Usage
    usd: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """All planned calls by role and model, and the strategies that were not run for it.

    ``ends`` are the estimates with short and with long replies if the length of replies
    decides how often a log is compacted, and empty if not. ``views`` are the tokens of each view
    that a strategy compacts which may ask a model by itself. ``own_tokens`` tell how the input was
    taken from tokens counted here to those of a model.
    """

    planned: tuple[Planned, ...]
    assumed: tuple[str, ...] = ()
    ends: tuple[Estimate, ...] = ()
    views: tuple[int, ...] = ()
    own_tokens: OwnTokens = ()

    @property
    def calls(self) -> int:
        """Number of calls to make."""
        return sum(part.usage.calls for part in self.planned)

    @property
    def stored(self) -> int:
        """Number of calls that the store answers."""
        return sum(part.stored for part in self.planned)

    @property
    def usage(self) -> Usage:
        """Tokens of the calls to make."""
        return sum((part.usage for part in self.planned), Usage())

    @property
    def usd(self) -> float | None:
        """US dollars for the calls to make; ``None`` if one has no price."""
        known = [part.usd for part in self.planned if part.usd is not None]
        return sum(known) if len(known) == len(self.planned) else None


class CallToMake(Exception):  # noqa: N818 - nothing is wrong: the real run would make this call
    """A call that the real run would make; the tokens of its reply are noted in ``entry``."""

    def __init__(self, entry: Entry) -> None:
        super().__init__("a call to make")
        self.entry = entry


@dataclass
class Entry:
    """A call to make: the tokens that it reads, counted here, and those of its reply."""

    role: str
    model: str
    script: str
    read: int
    written: int = 0


class DryRunCaller(LocalCaller):
    """A caller that answers from the store, and notes every other call without making it.

    ``known`` are tokens of earlier runs. Stored calls add to them.
    """

    def __init__(
        self,
        store: Store | None,
        tokens: TokenCounter,
        check: EndpointCheck | None = None,
        known: OwnTokens = (),
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._check = check
        self.own_tokens = known
        self._entries: dict[str, Entry] = {}
        self._stored: Counter[tuple[str, str]] = Counter()

    async def call(self, call: Call) -> CallReply:
        """The stored reply; raises :class:`CallToMake` if there is none."""
        found = None if self._store is None else await self._store.find(call)
        if found is not None or call.digest in self._entries:
            self._stored[call.role, call.model] += 1
        if found is not None:
            told = own_tokens(call, found, self._tokens)
            self.own_tokens = pooled(self.own_tokens, told)
            return found
        if self._check is not None and call.operation == "chat.completions":
            for check in await self._check.missing(call.model):
                self._enter(check).written = CHECK_TOKENS
        raise CallToMake(self._enter(call))

    def _enter(self, call: Call) -> Entry:
        if call.digest not in self._entries:
            read, script = input_tokens(call.body, self._tokens), script_of(call.body)
            self._entries[call.digest] = Entry(call.role, call.model, script, read)
        return self._entries[call.digest]

    def planned(self, prices: PriceTable) -> tuple[Planned, ...]:
        """All calls by role and model, their input in tokens of the model where they are known."""
        usage: dict[tuple[str, str], Usage] = {key: Usage() for key in self._stored}
        known = ratios(self.own_tokens)
        for entry in self._entries.values():
            key = (entry.role, entry.model)
            read = round(entry.read * known.get((entry.model, entry.script), 1))
            usage[key] = usage.get(key, Usage()) + Usage(1, read, 0, entry.written)
        return tuple(
            Planned(*key, self._stored[key], mine, prices.cost(key[1], mine) if mine.calls else 0.0)
            for key, mine in sorted(
                usage.items(), key=lambda one: (_ORDER.index(one[0][0]), one[0])
            )
        )


class DryRunModel:
    """Renders every request as the real model does; the offline model replies in its place.

    ``length`` is how long summaries and answers are assumed to be: as long as the rules
    make them (``middle``), an entry or two (``short``), or as long as is allowed (``long``).
    """

    def __init__(self, real: Model, tokens: TokenCounter, length: Length = "middle") -> None:
        self._real = real
        self._tokens = tokens
        self._length = length
        self._stand_in = OfflineModel(tokens)

    @property
    def name(self) -> str:
        return self._real.name

    def at_trial(self, trial: int) -> DryRunModel:
        return DryRunModel(self._real.at_trial(trial), self._tokens, self._length)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """A stored summary, or an extract as long as the budget allows."""
        try:
            return await self._real.summarize(request)
        except CallToMake as call:
            room = self._room(request.budget)
            reply = await self._stand_in.summarize(replace(request, budget=room))
            if self._length == "long":
                # The summary with entries added to each section until the budget is full.
                each = self._tokens.text(f"- {_FILLER}") + 1
                sections = request.sections
                count = max(0, request.budget // (each * len(sections))) + 1
                more = tuple(f"{_FILLER} {number}" for number in range(count))
                entries = tuple((s.id, (*reply.summary.of(s.id), *more)) for s in sections)
                full = within_budget(Summary(entries), sections, request.budget, self._tokens.text)
                written = self._tokens.text(full.render(sections))
                reply = SummaryReply(full, replace(reply.usage, output_tokens=written))
            call.entry.written = reply.usage.output_tokens
            return reply

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """A stored answer, or one by rules, as if the server made the edits asked for."""
        try:
            return await self._real.answer(request)
        except CallToMake as call:
            spec = replace(request.answer, max_tokens=self._room(request.answer.max_tokens))
            reply = await self._stand_in.answer(replace(request, answer=spec, parameters={}))
            if self._length == "long":
                missing = spec.max_tokens - reply.usage.output_tokens
                usage = replace(reply.usage, output_tokens=spec.max_tokens)
                reply = replace(reply, text=reply.text + " more" * missing, usage=usage)
            call.entry.written = reply.usage.output_tokens
            reply = replace(reply, by_rules=self._length == "middle")
            if not request.parameters:
                return reply
            read = self._tokens.messages(request.view)
            return replace(reply, applied=assumed(request.parameters, read))

    def _room(self, tokens: int) -> int:
        return min(tokens, _SHORT_TOKENS) if self._length == "short" else tokens

    def refuses(self, parameters: Parameters) -> str | None:
        return refusal_of(self._real, parameters)

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """A stored judgement, or unscored; its length follows from what it must contain."""
        try:
            return await self._real.judge(request)
        except CallToMake as call:
            numbers = len(request.nuggets) or len(request.facts) + len(request.traps)
            criteria = max(len(replace(request, by_evidence=by).criteria) for by in (False, True))
            call.entry.written = CRITERION_TOKENS * criteria + NUMBER_TOKENS * numbers
            return JudgeReply(unscored="estimated")

    async def read(self, request: ReadRequest) -> ReadReply:
        """A stored reply, or all unread; its length follows from the number of claims."""
        try:
            return await read_by(self._real, request)
        except CallToMake as call:
            call.entry.written = CLAIM_TOKENS * len(request.claims)
            return ReadReply((Reading("unread", why="estimated"),) * len(request.claims))

    async def compact(self, request: CompactRequest) -> CompactReply:
        """A stored compaction, or the user's messages and an item of middling length."""
        try:
            return await self._real.compact(request)
        except CallToMake as call:
            call.entry.written = self._tokens.text(_NATIVE)
            kept = [message for message in request.messages if message.role == "user"]
            item = Message("estimated", "assistant", (Opaque(_NATIVE),), "synthetic")
            return CompactReply((*kept, item))

    async def embed(self, request: EmbedRequest) -> EmbedReply:
        try:
            return await embedded(self._real, request)
        except CallToMake:
            return EmbedReply(("",) * len(request.texts))


class MissingCalls(LocalCaller):
    """A caller that answers from the store, and notes every other call."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[str, Call] = {}

    async def call(self, call: Call) -> CallReply:
        """The stored reply; raises :class:`NotRecordedError` if there is none."""
        found = await self._store.find(call)
        if found is None:
            self._noted.setdefault(call.digest, call)
            raise NotRecordedError("this request is not in the store yet")
        return found

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls noted, each once: compactions, answers, judgements, each by digest."""
        ranked = sorted((_ORDER.index(c.role), digest) for digest, c in self._noted.items())
        return tuple(self._noted[digest] for _, digest in ranked)


class UntilMissing(ChainedCaller):
    """Passes calls on to ``following`` until one is missing, and none after that.

    A strategy that goes on without its summary would ask for what no run asks for. Embeddings do
    not depend on one another, so that one that is missing does not keep others back.
    """

    def __init__(self, following: Caller) -> None:
        super().__init__(following)
        self._missing: NotRecordedError | None = None
        self._embeds = False

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller; raises :class:`NotRecordedError` from the first miss on."""
        embeds = call.operation == "embeddings"
        if self._missing is not None and not (embeds and self._embeds):
            raise NotRecordedError(*self._missing.args)
        try:
            return await self._following.call(call)
        except NotRecordedError as error:
            self._missing, self._embeds = error, embeds
            raise


class CompactingModel(ChatModel):
    """A chat model for compactions: what :meth:`at_trial` gives stops at its first missing call.

    The engine takes one for each case, strategy and trial.
    """

    def at_trial(self, trial: int) -> ChatModel:
        other = super().at_trial(trial)
        other._caller = UntilMissing(self._caller)
        return other
