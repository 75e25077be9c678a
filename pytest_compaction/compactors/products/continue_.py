"""``continue``: a summary inside the system message (IDE), or in place of everything (CLI).

Follows Continue at d0a3c0b6 (public source) and, for the CLI, version 1.5.47 of its package; both
read on 2026-11-29. In the IDE a user compacts up to a
message: everything between the earlier summary and that message is summarised, with the
earlier summary in front as a user message. Each request then leaves out everything up to
the message, and the summary stands at the end of the system message. Only the user
triggers it, and nothing takes over when it fails. In the CLI
(``mode=cli``) the history becomes the system message and one assistant message with
the summary, which is asked for without sections; a conversation too long to be summarised loses its
newest end first. The CLI reserves for the reply 35 % of the window, at most 64,000 tokens, and
15,000 more: 121,000 of 200,000 tokens set it off.

Kept from the original: the last user message and an open call are gone (the result of such a
call is left out when it comes).

Mended: endpoints refuse a conversation that the model begins. In the CLI the summary is a message
of the user, where the original has one of the assistant and nothing else. In the IDE a line in
the user's name stands first if the model is the next to speak after a compaction.

Adapted: the message up to which the IDE compacts is the last one; constants in tokens are
in proportion to the case's window (the product's is taken to be 200,000); leaving out the
newest end never separates a call from its result.

``continue-prune``: pruning to a token budget by rules, after ``compileChatMessages``.

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

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import LEFT_OUT, LEFT_OUT_ID, cut_before
from pytest_compaction.compactors.base.history import (
    dump,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.base.product import ProductCompactor, scaled
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    sections_of,
    without_preamble,
)
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    TokenCounter,
    ToolResult,
    leading_system,
    pending_calls,
    readable,
    structure_faults,
    text_message,
)

PRODUCT_WINDOW: Final = 200_000
MAX_RESERVE: Final = 15_000
REPLY_SHARE: Final = 0.35
MOST_REPLY: Final = 64_000
REQUEST_RESERVE: Final = 150
SECTIONS: Final = sections_of("continue")
CLI_SECTIONS: Final = sections_of("continue-cli")
PREAMBLE: Final = "Summary of the conversation so far, which it replaces:"
OPENING: Final = "[The conversation goes on from the summary that the system message ends with.]"
CANCELLED: Final = "[the tool call was cancelled]"


@dataclass(eq=False)
class Continue(ProductCompactor):
    """Summarises everything; the summary joins the system message or is all that is left.

    ``max_output`` is what the CLI reserves for a reply, in tokens of a 200,000-token window;
    without it, 35 % of the window, at most 64,000.
    """

    name = "continue"
    asks = "continue"
    description = "Continue: the summary joins the system message; mode=cli: it replaces all"
    sections = SECTIONS
    preamble = PREAMBLE
    drops_calls = True

    mode: str = choice("ide", "cli")
    max_output: int | None = whole(None, 1, PRODUCT_WINDOW - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode == "ide":
            self.traits = replace(self.traits, changes_system=True)
            self.also_violates("continue-ide")
        else:
            self.asks, self.sections = "continue-cli", CLI_SECTIONS

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        observed = super().observe(state, new, context)
        first = len(state["messages"])
        added = load(observed["messages"][first:])
        if "summary" not in state or not added or added[0].role == "user":
            return observed
        if leading_system(load(state["messages"])) < first:
            return observed
        opening = text_message("continue-opening", "user", OPENING, "synthetic")
        return {**observed, "messages": [*state["messages"], *dump([opening, *added])]}

    def due(self, state: State, context: Context) -> str | None:
        return None if self.mode == "ide" else super().due(state, context)

    def due_at(self, context: Context) -> int:
        """Tokens at which the CLI compacts.

        The window without the reply, and without a reserve: the reply's size or a fifth
        of the rest, whichever is more, at most 15,000.
        """
        output = self._reply(context)
        rest = context.window - output
        reserve = min(max(output, -(-rest // 5)), scaled(MAX_RESERVE, PRODUCT_WINDOW, context))
        return max(rest - reserve, 1)

    def _reply(self, context: Context) -> int:
        if self.max_output is not None:
            return scaled(self.max_output, PRODUCT_WINDOW, context)
        most = scaled(MOST_REPLY, PRODUCT_WINDOW, context)
        return math.ceil(min(context.window * REPLY_SHARE, most))

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        base = load(state["system"]) if "system" in state else before[:first]
        room = context.budget - context.tokens.messages(base) - SUMMARY_OVERHEAD
        conversation = self._conversation(state, before[first:], base, context)
        written = await self.written(conversation, room, context)
        if self.mode == "cli":
            return self.replaced(state, before, base, written)
        if written.error:
            return unchanged(state, written.error)
        cycle = self.cycle(state)
        message = _system_with_summary(base, written.text, f"continue-summary-{cycle}")
        noted: State = {"system": dump(base), "summary": written.text}
        return rewritten(state, before, (*base[:-1], message), message.id, cycle=cycle, **noted)

    def _conversation(
        self, state: State, messages: Sequence[Message], base: Sequence[Message], context: Context
    ) -> tuple[Message, ...]:
        if self.mode == "cli":
            limit = context.window - context.tokens.messages(base)
            limit -= self._reply(context)
            limit -= scaled(REQUEST_RESERVE, PRODUCT_WINDOW, context)
            return pruned_from_end(without_preamble(messages, PREAMBLE), limit, context.tokens)
        earlier: tuple[Message, ...] = ()
        if "summary" in state:
            earlier = (text_message("continue-earlier", "user", state["summary"], "synthetic"),)
        cancelled = tuple(
            Message(f"continue-cancelled-{id}", "tool", (ToolResult(id, CANCELLED),), "synthetic")
            for id in pending_calls(messages)
        )
        said = (message for message in messages if message.id != "continue-opening")
        return (*earlier, *said, *cancelled)


def _system_with_summary(base: Sequence[Message], text: str, id: str) -> Message:
    """The last system message with the summary at its end; a new one if there is none."""
    parts = base[-1].parts if base else ()
    role = base[-1].role if base else "system"
    return Message(id, role, (*parts, Text(f"{PREAMBLE}\n\n{text}")), "synthetic")


def pruned_from_end(
    messages: Sequence[Message], limit: int, tokens: TokenCounter
) -> tuple[Message, ...]:
    """The messages without the newest ones, until they take at most ``limit`` tokens.

    Two go at once if the last but one is a user message or has calls, else one. The rest
    of a group with several calls goes too.
    """
    end = len(messages)
    while end and tokens.messages(messages[:end]) > limit:
        paired = end >= 2 and (messages[end - 2].role == "user" or messages[end - 2].calls)
        end -= 2 if paired else 1
    return tuple(messages[: cut_before(messages, end)] if end < len(messages) else messages)


MARGIN: Final = 1000
REPLY_RESERVE: Final = 1000
_TOO_MUCH: Final = "what must stay takes {} tokens more than are available"


@dataclass(eq=False)
class ContinuePrune(ProductCompactor):
    """Keeps system prompt, last sequence, and of the rest the newest that fits.

    ``max_output`` is the limit of a reply, in tokens of a 200,000-token window.
    """

    name = "continue-prune"
    traits = Traits()
    description = "Continue: oldest messages pruned to a token budget, last tool sequence kept"

    max_output: int = whole(4096, 1)

    def due(self, state: State, context: Context) -> str | None:
        used = context.tokens.messages(load(state["messages"]))
        limit = self.available(context.window, context)
        return f"{used} tokens used, {limit} are available" if used > limit else None

    def available(self, length: int, context: Context) -> int:
        """Tokens for messages in a context of that length, minus its margin and the reply."""
        margin = min(MARGIN, length * 2 // 100)
        short = replace(context, window=length)
        return length - margin - scaled(min(self.max_output, REPLY_RESERVE), PRODUCT_WINDOW, short)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
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
        return rewritten(state, before, after, status="truncated")


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
