"""The model ``recorded``: summaries that a large language model wrote once, in place of new ones.

Each request is rendered as it would be sent, and its digest is compared with that of the request
that the words answered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.parameters import Parameters
from pytest_compaction.models.place import Place, current_place
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    NotAskedError,
    StaleError,
    SummaryReply,
    SummaryRequest,
    UnsupportedError,
)
from pytest_compaction.models.recorded.archive import (
    RECORDED_WORDS,
    STALE,
    RecordedWords,
    record_command,
)
from pytest_compaction.models.wire.call import Call, CallReply, LocalCaller


class _WordsCaller(LocalCaller):
    """Answers calls with the words of their place. ``stale`` counts those of another request."""

    def __init__(self, recorded: RecordedWords) -> None:
        self.stale = 0
        self._recorded = recorded
        self._numbers: Counter[Place] = Counter()

    async def call(self, call: Call) -> CallReply:
        """The words; raises :class:`NotAskedError` if there are none that count.

        Under a gate that is a :class:`StaleError`.
        """
        place = current_place()
        if place is None:
            raise NotAskedError(
                "words are recorded for compactions alone, and something else is asked here; name "
                "a model that can be asked: --compaction-model=NAME"
            )
        self._numbers[place] += 1
        number, archive = self._numbers[place], self._recorded.archives.get(place.case)
        words = archive.at(place, number) if archive else None
        if archive is None or words is None:
            kind = StaleError if self._recorded.strict else NotAskedError
            raise kind(
                f"request {number} of {place.strategy} at {place.point} of {place.case} (trial "
                f"{place.trial}) has no recorded words; {record_command(place.strategy)}"
            )
        if not words.answer(call, place):
            if self._recorded.strict:
                raise StaleError(
                    f"the recorded words of {place.strategy} at {place.point} of {place.case} "
                    f"answer another request, of {archive.date_of(place.strategy)}, than the one "
                    f"that would be sent now; {record_command(place.strategy)}"
                )
            self.stale += 1
        return words.reply


class RecordedModel:
    """Summarises with recorded words; it answers no probe and judges nothing."""

    name = RECORDED_WORDS

    def __init__(self, recorded: RecordedWords, tokens: TokenCounter, trial: int = 1) -> None:
        self._recorded = recorded
        self._tokens = tokens
        self._caller = _WordsCaller(recorded)
        self._chat = ChatModel(RECORDED_WORDS, self._caller, tokens, trial=trial)

    def at_trial(self, trial: int) -> RecordedModel:
        return RecordedModel(self._recorded, self._tokens, trial)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """The recorded summary, read as a reply is; ``stale`` if it answers another request."""
        before = self._caller.stale
        reply = await self._chat.summarize(request)
        return replace(reply, flaws=(*reply.flaws, *self._flaws_since(before)))

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """The recorded text that a strategy asked for in the form of an answer."""
        before = self._caller.stale
        reply = await self._chat.answer(request)
        return replace(reply, flaws=self._flaws_since(before))

    def refuses(self, parameters: Parameters) -> str | None:
        """``None``: a request with parameters is one as any other."""
        return None

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """Unscored: no verdicts are recorded."""
        return JudgeReply(unscored="no verdicts are recorded; name another judge")

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Raise: what an endpoint makes of messages is no text."""
        raise UnsupportedError("what an endpoint compacts by itself is not among recorded words")

    def _flaws_since(self, before: int) -> tuple[str, ...]:
        return (STALE,) if self._caller.stale > before else ()
