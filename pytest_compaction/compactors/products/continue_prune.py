"""``continue-prune``: pruning to a token budget by rules, after ``compileChatMessages``.

Follows what Continue (d0a3c0b6, public source) does to every request: system
prompt and the last sequence stay (the last user message; or an assistant message
with all the tool results after it; or the assistant messages at the end). Of the
context length go a margin for miscounting (2 %, at most 1,000 tokens), a reserve
for the reply (at most 1,000), the system prompt and the last sequence; while the other
messages take more than the rest, the oldest one goes, and with it tool results that would
then stand first. A last sequence that alone is too long, or whose results
match no call, is an error. No model is asked.

Kept from the original: the last user message may go while a tool sequence stays.

Mended: endpoints refuse a conversation that the model begins. Where the oldest message that stays
is one of the model, a note in the user's name stands before it.

Adapted: the context length is the case's budget, because that is the limit of the view;
the reserve for the reply is in proportion to that length (the product's window is taken to
be 200,000); an image counts 1,024 tokens, as in the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import LEFT_OUT, LEFT_OUT_ID
from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor, scaled
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Thinking,
    leading_system,
    readable,
    structure_faults,
    text_message,
)

PRODUCT_WINDOW: Final = 200_000
MARGIN: Final = 1000
REPLY_RESERVE: Final = 1000
_TOO_MUCH: Final = "what must stay takes {} tokens more than are available"


class ContinuePrune(ProductCompactor):
    """Keeps system prompt, last sequence, and of the rest the newest that fits.

    ``max_output`` is the limit of a reply, in tokens of a 200,000-token window.
    """

    name = "continue-prune"
    description = "Continue: oldest messages pruned to a token budget, last tool sequence kept"

    def __init__(self, max_output: int = 4096) -> None:
        check_whole("max_output", max_output, 1)
        self.max_output = max_output
        self.set_traits(Traits())

    def due(self, state: State, context: Context) -> str | None:
        """Due if the view takes more than the window minus margin and reply."""
        used = context.tokens.messages(load(state["messages"]))
        limit = self.available(context.window, context)
        return f"{used} tokens used, {limit} are available" if used > limit else None

    def available(self, length: int, context: Context) -> int:
        """Tokens for messages in a context of that length, minus its margin and the reply."""
        margin = min(MARGIN, length * 2 // 100)
        short = replace(context, window=length)
        return length - margin - scaled(min(self.max_output, REPLY_RESERVE), PRODUCT_WINDOW, short)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Drop the oldest messages until the rest fits."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        first = leading_system(before)
        last = last_sequence(before, first)
        faults = structure_faults(before[last:])
        if any(fault.invariant == "results-follow-calls" for fault in faults):
            return unchanged(state, "the last tool results answer no call of the message before")
        fixed = (*before[:first], *before[last:])
        room = self.available(context.budget, context) - context.tokens.messages(fixed)
        if room < 0:
            return unchanged(state, _TOO_MUCH.format(-room))
        own = (m for m in before[first:last] if m.id != LEFT_OUT_ID)
        middle = tuple(message for message in own if not _is_empty(message))
        kept = pruned(middle, room, context)
        if (kept or before[last:])[0].role != "user" and before[first].role == "user":
            note = text_message(LEFT_OUT_ID, "user", LEFT_OUT, "synthetic")
            left = room - context.tokens.message(note)
            if left < 0:
                return unchanged(state, _TOO_MUCH.format(-left))
            kept = (note, *pruned(middle, left, context))
        after = (*before[:first], *kept, *before[last:])
        if after == before:
            return unchanged(state)
        spans = spans_between(before, after)
        return Outcome({**state, "messages": dump(after)}, "truncated", spans)


def last_sequence(messages: Sequence[Message], first: int = 0) -> int:
    """Index from which the messages may not be pruned."""
    if len(messages) <= first or messages[-1].role == "user":
        return max(len(messages) - 1, first)
    start = len(messages) - 1
    if messages[start].role == "tool":
        while start > first and messages[start].role == "tool":
            start -= 1
        return start
    while start > first and messages[start - 1].role == "assistant":
        start -= 1
    return start


def pruned(messages: Sequence[Message], room: int, context: Context) -> tuple[Message, ...]:
    """Without the oldest messages, one by one, until the rest takes at most ``room`` tokens.

    Tool results that then stand first go with them.
    """
    start = 0
    spent = context.tokens.messages(messages)
    while start < len(messages) and spent > room:
        spent -= context.tokens.message(messages[start])
        start += 1
        while start < len(messages) and messages[start].role == "tool":
            spent -= context.tokens.message(messages[start])
            start += 1
    return tuple(messages[start:])


def _is_empty(message: Message) -> bool:
    carries = any(isinstance(part, Image | Thinking | Opaque) for part in message.parts)
    return not (message.calls or message.results or carries or readable(message).strip())


STRATEGY: Final = ContinuePrune
