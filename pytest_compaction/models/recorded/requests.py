"""The requests for words that compacting a case makes, each with what answers it.

A strategy is run as in an estimate: what nobody has answered is answered by rules, so that the
requests after it are made too. Each request is noted with its place and with the digest that
recorded words are compared by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_compaction.conversation import Message, TokenCounter, short_hash
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.chat.prompts import frame
from pytest_compaction.models.dry_run import CallToMake, DryRunModel, Entry
from pytest_compaction.models.own_tokens import input_tokens, script_of
from pytest_compaction.models.place import Place, current_place
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    NoReplyError,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.recorded.archive import words_digest
from pytest_compaction.models.summary_prompt import prompt_digest
from pytest_compaction.models.wire.call import Call, CallReply, LocalCaller

State = Literal["recorded", "stale", "missing"]
Find = Callable[[Call, Place, int], Awaitable[tuple[State, CallReply | None]]]
"""What there is for a call at a place, and the number of the call there."""


@dataclass
class WordsRequest:
    """A request at its place. ``number`` counts those of one place from 1.

    ``read`` and ``written`` are the tokens that it takes. ``prompt`` is the digest of the prompt
    without what it is filled with, and ``flaws`` are those of the summary.
    """

    place: Place
    number: int
    state: State
    reply: CallReply | None
    entry: Entry
    digest: str
    covers: tuple[str, ...] = ()
    prompt: str = ""
    flaws: tuple[str, ...] = ()


class WordsRequestCaller(LocalCaller):
    """A caller that notes each call; nothing is sent.

    After the first call of a case that nothing answers, the later ones are missing as well: they
    depend on its reply.
    """

    def __init__(self, find: Find, tokens: TokenCounter) -> None:
        self.requests: list[WordsRequest] = []
        self._find = find
        self._tokens = tokens
        self._numbers: Counter[Place] = Counter()
        self._missed = False

    def begin(self) -> None:
        """What comes is asked for another case, strategy or trial."""
        self._numbers.clear()
        self._missed = False

    def note(
        self, begun: int, messages: Sequence[Message], prompt: str, flaws: tuple[str, ...]
    ) -> None:
        """Say what the calls since ``begun`` were asked about, and what was wrong with the last."""
        noted = self.requests[begun:]
        for each in noted:
            each.covers = tuple(dict.fromkeys(m.id for m in (*messages[:1], *messages[-1:])))
            each.prompt = prompt
        if noted and noted[-1].reply is not None:
            noted[-1].flaws = flaws

    async def call(self, call: Call) -> CallReply:
        """The reply that is there; raises :class:`CallToMake` if there is none."""
        place = current_place()
        read = input_tokens(call.body, self._tokens)
        entry = Entry(call.role, call.model, script_of(call.body), read)
        if place is None or call.operation != "chat.completions":  # other replies are no text
            raise CallToMake(entry)
        self._numbers[place] += 1
        number = self._numbers[place]
        found: tuple[State, CallReply | None] = ("missing", None)
        if not self._missed:
            found = await self._find(call, place, number)
        state, reply = found
        self.requests.append(WordsRequest(place, number, state, reply, entry, words_digest(call)))
        if reply is None:
            self._missed = True
            raise CallToMake(entry)
        return reply


class WordsRequestModel(DryRunModel):
    """The model of a strategy in such a run. ``name`` is that of the model that is asked."""

    def __init__(
        self, name: str, caller: WordsRequestCaller, tokens: TokenCounter, trial: int = 1
    ) -> None:
        super().__init__(ChatModel(name, caller, tokens, trial=trial), tokens)
        self._caller = caller

    def at_trial(self, trial: int) -> WordsRequestModel:
        return WordsRequestModel(self.name, self._caller, self._tokens, trial)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """The summary that is there, or one by rules."""
        prompt = prompt_digest(request.prompt or frame(), request.sections, request.instructions)
        begun = len(self._caller.requests)
        flaws: tuple[str, ...] = ()
        try:
            reply = await super().summarize(request)
            flaws = reply.flaws
            return reply
        except NoReplyError as error:
            flaws = (error.flaw,)
            raise
        finally:
            self._caller.note(begun, request.messages, prompt, flaws)

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """The answer that is there, or one by rules: some strategies ask for notes so."""
        begun = len(self._caller.requests)
        try:
            return await super().answer(request)
        finally:
            self._caller.note(begun, request.view, short_hash(request.question), ())
