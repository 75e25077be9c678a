"""The context that a model read when the server edited it before answering.

With request parameters the model does not read the view that was sent. The tokens are
then those that the server reports. The messages are reconstructed as far as they can be
known: cleared tool results are left out, and a compaction is represented by its summary
if that can be read. An opaque summary states nothing, as in native compaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.product import PLACEHOLDER
from pytest_compaction.compactors.protocol import View
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    ToolCall,
    ToolResult,
    leading_system,
    text_message,
)
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.parameters import shown
from pytest_compaction.models.wire.server_edits import (
    CLEARING,
    COMPACTION,
    Applied,
    clearable,
    due_edits,
    edits_of,
)

SUMMARY: Final = "server-summary"
"""The id of the message that holds the server's summary."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The messages that were in the context, as far as known, and the tokens read.

    ``problem`` says why an answer from this context says nothing about the strategy.
    """

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
        return replace(whole, problem=_ignored(view, due, done.problem)) if due else whole
    if COMPACTION in done.edits and done.read_tokens is None:
        return replace(
            whole,
            problem="the endpoint reports a compaction but not how many tokens were read after "
            "it, so that its context is not known; use an endpoint that reports usage",
        )
    known = view.messages
    if CLEARING in done.edits:
        known = _cleared(view, done.cleared_uses)
    if COMPACTION in done.edits:
        known = _compacted(known, done.summary)
    read = done.read_tokens
    return Seen(known, max(whole.tokens - done.cleared_tokens, 0) if read is None else read)


def _ignored(view: View, due: Sequence[str], problem: str) -> str:
    said = f" (it says: {problem})" if problem else ""
    return (
        f"the endpoint took {shown(view.parameters)} and reports no edit{said}, though the log is "
        f"long enough for one ({'; '.join(due)}): the answer is from the whole log; use an "
        "endpoint that has these edits and reports them, or mode=client"
    )


def _cleared(view: View, uses: int) -> tuple[Message, ...]:
    """The view without its oldest tool results: as many as the server cleared."""
    edit = next(edit for edit in edits_of(view.parameters) if edit.get("type") == CLEARING)
    old = clearable(edit, view.messages)
    gone = {call.id for _, call in (old[:uses] if uses else old)}
    inputs = edit.get("clear_tool_inputs")

    def left(part: Part) -> Part:
        if isinstance(part, ToolResult) and part.call_id in gone:
            return replace(part, text=PLACEHOLDER)
        if isinstance(part, ToolCall) and part.id in gone:
            emptied = inputs is True or (isinstance(inputs, list) and part.name in inputs)
            return replace(part, arguments="{}") if emptied else part
        return part

    return tuple(replace(m, parts=tuple(left(part) for part in m.parts)) for m in view.messages)


def _compacted(messages: Sequence[Message], summary: str) -> tuple[Message, ...]:
    """The system prompt and the summary: everything else is gone."""
    system = tuple(messages[: leading_system(messages)])
    if not summary:
        return system
    return (*system, text_message(SUMMARY, "assistant", summary, "synthetic"))
