"""The offline model: answers every request by rules, without key or network, reproducibly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.cache import Form, KeptResults, Latest
from pytest_compaction.conversation import Message, TokenCounter, identity
from pytest_compaction.models.parameters import cannot_take
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    SummaryReply,
    SummaryRequest,
    UnsupportedError,
)
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import CriterionScore
from pytest_compaction.text import Reading

OFFLINE: Final = "offline"


SUMMARY: Final = Form.of(SummaryReply, Summary, Usage)
ANSWER: Final = Form.of(AnswerReply, Usage)
JUDGEMENT: Final = Form.of(JudgeReply, CriterionScore, Reading, Usage)
"""The replies as they are kept from run to run."""


class OfflineModel:
    """Summarises extractively, answers by retrieval, judges from evidence.

    Usage counts the tokens that a model would have read and written, so that
    strategies can be compared by what they would cost. Replies are made once where ``kept``
    keeps them. What makes them is imported when the first is made, because that takes long.
    """

    name = OFFLINE

    def __init__(
        self,
        counter: TokenCounter | None = None,
        kept: KeptResults | None = None,
    ) -> None:
        self._counter = counter or TokenCounter()
        self._kept = kept or KeptResults()
        # The probes at a point follow one another, with the same view.
        self._identity: Latest[Sequence[Message], str] = Latest(identity)

    def at_trial(self, trial: int) -> OfflineModel:
        """The model itself, because rules answer the same in every trial."""
        return self

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Fill the sections from the messages; see :mod:`.summary`."""
        return self._kept.once(
            self._about("summarize", request), SUMMARY, lambda: self._summary(request)
        )

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """Answer from the view; see :mod:`.answer`. Takes no request parameters."""
        if request.parameters:
            raise UnsupportedError(cannot_take(self, request.parameters))
        about = ""
        if self._kept.keeps:
            view = self._identity.of(tuple(request.view))
            about = self._about("answer", [view, request.question, request.answer])
        return self._kept.once(about, ANSWER, lambda: self._answer(request))

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """Score the response; see :mod:`.judge`. Costs no tokens."""
        about = self._about("judge", request)
        return self._kept.once(about, JUDGEMENT, lambda: _judge(request))

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Raise :class:`UnsupportedError`: only an endpoint can compact natively."""
        raise UnsupportedError(
            "the offline model has no native compaction; name a model whose endpoint has "
            "responses.compact, as in --compaction-model=gpt-5"
            f"{', or use codex:mode=local' if request.by_trigger else ''}"
        )

    def _about(self, what: str, request: Any) -> str:
        return identity([what, self._counter.name, request]) if self._kept.keeps else ""

    def _summary(self, request: SummaryRequest) -> SummaryReply:
        from pytest_compaction.models.offline import summary as offline_summary

        count = self._counter.text
        summary = offline_summary.summarize(
            request.messages, request.sections, request.budget, request.previous, count
        )
        read = self._counter.messages(request.messages)
        if request.previous is not None:
            read += count(request.previous.render(request.sections))
        return SummaryReply(summary, Usage(1, read, 0, count(summary.render(request.sections))))

    def answer_text(self, request: AnswerRequest) -> str:
        """The text of :meth:`answer`, without the tokens that a model would have read for it."""
        from pytest_compaction.models.offline.answer import answer

        return answer(request.view, request.question, request.answer, self._counter.text)

    def _answer(self, request: AnswerRequest) -> AnswerReply:
        text, count = self.answer_text(request), self._counter.text
        read = self._counter.messages(tuple(request.view)) + count(request.question)
        return AnswerReply(text, Usage(1, read, 0, count(text)))


def _judge(request: JudgeRequest) -> JudgeReply:
    from pytest_compaction.models.offline import judge as offline_judge

    return offline_judge.judge(request)
