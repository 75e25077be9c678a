"""Asks a model about a view: a question, or a forced choice; and what it read to answer.

With request parameters the server edits the view: the tokens are those that it reports, and the
messages are reconstructed as far as they can be known. An opaque summary states nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.case import AnswerSpec, Choice, Probe
from pytest_compaction.compactors import PLACEHOLDER, View
from pytest_compaction.conversation import (
    Message,
    Part,
    TokenCounter,
    ToolCall,
    ToolResult,
    leading_system,
    text_message,
)
from pytest_compaction.metrics import view_index
from pytest_compaction.models import (
    CLEARING,
    COMPACTION,
    AnswerReply,
    AnswerRequest,
    Applied,
    Model,
    ModelError,
    NotAskedError,
    Parameters,
    RequestSlot,
    UnsupportedError,
    Usage,
    clearable,
    due_edits,
    edits_of,
    parameter_names,
    refusal_of,
    requests_in,
)


@dataclass(frozen=True, slots=True)
class Responder:
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
        """The answer, cut at ``spec.max_tokens``, so that copying the view gains nothing."""
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


@dataclass(frozen=True, slots=True)
class Reminded:
    """The reply to a forced choice with the constraint put before it; ``failure``: why none."""

    text: str
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """Puts the choices of compliance probes to a responder, within a turn.

    ``by_rules``: the offline model has no will of its own, so it is not asked. It takes the
    option that complies if the view states the constraint, and the habit if not. ``known`` says
    whether it does where a model read the view, and is ``None`` where rules read.
    """

    responder: Responder
    turn: RequestSlot
    by_rules: bool
    known: bool | None = None

    async def replies(
        self, view: View, probe: Probe, choice: Choice, reminds: bool
    ) -> tuple[AnswerReply, Reminded | None]:
        """The reply from the view, with the usage of both questions, and the one when reminded."""
        asked = [choice.asked(probe.question)]
        if reminds:
            asked.append(choice.asked(probe.question, [fact.text for fact in probe.facts]))
        if self.by_rules:
            made = [
                self._by_rules(view, probe, choice, each, n > 0) for n, each in enumerate(asked)
            ]
            found: list[AnswerReply | BaseException] = [*made]
        else:
            with requests_in(self.turn):
                replies = (
                    self.responder.answer(view.messages, each, probe.answer, view.parameters)
                    for each in asked
                )
                found = list(await asyncio.gather(*replies, return_exceptions=True))
        reply, second = found[0], found[1] if reminds else None
        if isinstance(reply, BaseException):
            if isinstance(reply, ModelError) and isinstance(second, AnswerReply):
                reply.after("responder", second.usage)
            raise reply
        if second is None:
            return reply, None
        if isinstance(second, AnswerReply):
            return replace(reply, usage=reply.usage + second.usage), Reminded(second.text)
        if not isinstance(second, ModelError) or isinstance(second, NotAskedError):
            if isinstance(second, NotAskedError):
                second.after("responder", reply.usage)
            raise second
        spent = second.spent.get("responder", Usage())
        return replace(reply, usage=reply.usage + spent), Reminded("", str(second))

    def _by_rules(
        self, view: View, probe: Probe, choice: Choice, question: str, reminded: bool
    ) -> AnswerReply:
        known = reminded or self.known
        if self.known is None:
            from pytest_compaction.text import TextIndex  # takes long to import

            indexes = [view_index(view.messages)]
            if reminded:
                indexes.append(TextIndex("\n".join(fact.text for fact in probe.facts)))
            known = all(
                any(index.read(fact.statement).outcome == "stated" for index in indexes)
                for fact in probe.facts
            )
        count = self.responder.tokens
        read = count.messages(view.messages) + count.text(question)
        return AnswerReply(choice.letter if known else choice.habit, Usage(1, read, 0, 1))


SUMMARY: Final = "server-summary"


@dataclass(frozen=True, slots=True)
class Seen:
    """The messages that were in the context, as far as known, and the tokens read."""

    messages: tuple[Message, ...]
    tokens: int
    problem: str | None = None


def seen(view: View, applied: Applied | None, tokens: TokenCounter) -> Seen:
    """The context that was read, given the view and the edits that the reply reports.

    If an edit was due and the reply reports none, the endpoint accepted the parameters
    and ignored them: the model read the whole log.
    """
    whole = Seen(view.messages, tokens.messages(view.messages))
    if not view.parameters:
        return whole
    done = applied or Applied()
    if not done.edits:
        due = due_edits(view.parameters, view.messages, tokens)
        if not due:
            return whole
        said = f" (it says: {done.problem})" if done.problem else ""
        problem = (
            f"the endpoint took {parameter_names(view.parameters)} and reports no edit{said}, "
            f"though the log is long enough for one ({'; '.join(due)}): the answer is from the "
            "whole log; use an endpoint that has these edits and reports them, or mode=client"
        )
        return replace(whole, problem=problem)
    if COMPACTION in done.edits and done.read_tokens is None:
        return replace(
            whole,
            problem="the endpoint reports a compaction but not how many tokens were read after "
            "it, so that its context is not known; use an endpoint that reports usage",
        )
    known = view.messages
    if CLEARING in done.edits:
        # The view without its oldest tool results: as many as the server cleared.
        edit = next(edit for edit in edits_of(view.parameters) if edit.get("type") == CLEARING)
        old = clearable(edit, view.messages)
        gone = {call.id for _, call in (old[: done.cleared_uses] if done.cleared_uses else old)}
        inputs = edit.get("clear_tool_inputs")

        def left(part: Part) -> Part:
            if isinstance(part, ToolResult) and part.call_id in gone:
                return replace(part, text=PLACEHOLDER)
            if isinstance(part, ToolCall) and part.id in gone:
                emptied = inputs is True or (isinstance(inputs, list) and part.name in inputs)
                return replace(part, arguments="{}") if emptied else part
            return part

        known = tuple(
            replace(m, parts=tuple(left(part) for part in m.parts)) for m in view.messages
        )
    if COMPACTION in done.edits:  # the system prompt and the summary: everything else is gone
        known = known[: leading_system(known)]
        if done.summary:
            known = (*known, text_message(SUMMARY, "assistant", done.summary, "synthetic"))
    read = done.read_tokens
    return Seen(known, max(whole.tokens - done.cleared_tokens, 0) if read is None else read)
