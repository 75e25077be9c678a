"""The responder: answers one probe from a view, and sees nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.parameters import Parameters, refusal_of
from pytest_compaction.models.protocol import AnswerReply, AnswerRequest, Model, UnsupportedError


@dataclass(frozen=True, slots=True)
class Responder:
    """Asks a model one question and bounds its answer; ``tokens`` counts it."""

    model: Model
    tokens: TokenCounter

    async def answer(
        self,
        view: Sequence[Message],
        question: str,
        spec: AnswerSpec,
        parameters: Parameters | None = None,
        kind: str = "",
    ) -> AnswerReply:
        """The model's answer, cut at ``spec.max_tokens``, so that copying the view gains nothing.

        ``parameters`` are the request parameters of the view; see :meth:`check`.
        ``kind`` is that of the probe.
        """
        given = parameters or {}
        self.check(given)
        request = AnswerRequest(tuple(view), question, spec, given, kind=kind)
        reply = await self.model.answer(request)
        return replace(reply, text=bounded(reply.text, spec.max_tokens, self.tokens))

    def check(self, parameters: Parameters) -> None:
        """Raise :class:`UnsupportedError` if the model does not take these request parameters."""
        refusal = refusal_of(self.model, parameters)
        if refusal is not None:
            raise UnsupportedError(refusal)


def bounded(text: str, limit: int, tokens: TokenCounter) -> str:
    """The longest beginning of a text that has at most so many tokens."""
    if tokens.text(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens.text(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low]
