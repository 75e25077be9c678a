"""``codex``: the user's messages within a limit, and one summary after them.

Follows the local compaction of Codex CLI (``compact.rs``, public source, copies of
2025 and 2026). It is due at 90 % of the window. The new history is the initial
context, the messages that the user wrote (chosen from the newest back within 20,000
tokens, the first that does not fit cut in its middle, in their original order), and
one user message that introduces a summary, last. Assistant and tool messages go,
and so do earlier summaries: the new one is written from them as well.

In the middle of a turn, where the model waits for nothing but its tools, the initial
context stands before the last message of the user instead.

Kept in the faithful profile: images in user messages are lost, an open call is
lost (its result is left out when it comes), and if the model writes nothing, its last
message before stands for the summary, whatever it says, or nothing but the introduction if
there is none. A request that is longer than the model's window loses its oldest
messages, as in the original when the endpoint refuses it; after any other failure the
history stays as it was.

With a provider that compacts by itself the original asks it to (``mode=remote``): the
endpoint's output, the messages of the user and one opaque item, is the new history. The
default ``mode=local`` is what all other providers get, and what can be read.

Adapted: the 20,000 tokens are in proportion to the case's window (the product's is
272,000), at most three quarters of the rest of the budget, so that a quarter is
left to the summary; tokens are counted, not estimated from bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.bounds import without_middle
from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.native_output import compacted_natively
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
from pytest_compaction.compactors.base.read_limits import WHOLE, read_limits
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    Written,
    summary_message,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import live_request, newest_within
from pytest_compaction.compactors.base.violations import AS_WRITTEN, SET_OFF_AGAIN
from pytest_compaction.compactors.parameters import check_choice, check_whole
from pytest_compaction.compactors.products.codex.sections import SECTIONS
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, Text, leading_system, pending_calls
from pytest_compaction.conversation.tokens import TokenCounter

PRODUCT_WINDOW: Final = 272_000
PREAMBLE: Final = (
    "Another model worked on this before and left the summary below. The tools stand as it "
    "left them. Build on what was done and do not do it again. Its summary:"
)
INITIAL_CONTEXT: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
)
"""How messages begin that the client wrote in the user's role; they always stay."""
VIOLATIONS: Final = {
    **AS_WRITTEN,
    "pending-call-kept": "assistant messages go, an open call with them",
    "last-user-kept": "a user message over the limit is cut in its middle, and its images go",
    "summary-not-empty": "where the model writes nothing, its last message stands for the summary",
    "log-order-and-text": "in the middle of a turn the initial context comes after older messages "
    "of the user",
    "within-budget": "a last message that stands for the summary is taken whole",
}
REMOTE_VIOLATIONS: Final = {
    "pending-call-kept": "the endpoint keeps user messages only, so an open call goes",
    "within-budget": "every user message comes back, whatever they take",
    "never-larger": "the output is taken whatever its size",
    "progress-or-stop": "nothing checks whether compacting once more is of use",
    "summariser-input-bounded": "the whole conversation is sent, whatever its size",
}


class Codex(ProductCompactor):
    """Keeps the initial context and the newest user messages; one summary comes last.

    ``users`` is the limit for user messages in tokens of a 272,000-token window, ``limit`` a
    lower threshold than 90 % of the window, in the same measure (0 for none). ``mode`` is
    ``local`` or ``remote``. ``read_results`` and ``read_arguments`` are the characters that
    the summariser may read of a result and of each argument, or ``all``.
    """

    name = "codex"
    description = "Codex CLI: newest user messages within 20k tokens, then one summary, last"
    drops_calls = True

    def __init__(
        self,
        users: int = 20_000,
        limit: int = 0,
        mode: str = "local",
        read_results: int | str = WHOLE,
        read_arguments: int | str = WHOLE,
        profile: str = FAITHFUL,
    ) -> None:
        check_whole("users", users, 1)
        check_whole("limit", limit, 0)
        check_choice("mode", mode, ("local", "remote"))
        self.users = users
        self.limit = limit
        self.remote = mode == "remote"
        self.limits = read_limits(WHOLE, read_results, read_arguments)
        self.set_profile(profile)
        traits = Traits(needs_model=True, keeps_tail=True, opaque=self.remote)
        again = SET_OFF_AGAIN if limit else {}
        self.set_traits(traits, {**(REMOTE_VIOLATIONS if self.remote else VIOLATIONS), **again})

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due at 90 % of the window, or at the lower limit that was set."""
        limit = context.window * 9 // 10
        if self.limit:
            limit = min(limit, scaled(self.limit, PRODUCT_WINDOW, context))
        used = context.tokens.messages(load(state["messages"]))
        return f"{used} tokens used, {limit} is the limit" if used >= limit else None

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Summarise everything; continue from the user's messages and that summary."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        if self.hardened and pending_calls(before):
            return unchanged(state, "a tool call is still without result; nothing was summarised")
        first = _initial_context(before)
        if first >= len(before):
            return unchanged(state)
        if self.remote:
            return await self._compacted_remotely(state, before, context)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        limit = min(scaled(self.users, PRODUCT_WINDOW, context), room * 3 // 4)
        users = self._users(before, first, limit, context)
        room -= context.tokens.messages(users)
        conversation = without_preamble(before[first:], PREAMBLE)
        written = await self._written(conversation, room, context)
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"codex-summary-{cycle}", written.text, PREAMBLE)
        after = (*self._opened(before, first, users, context), message)
        larger = context.tokens.messages(after) >= context.tokens.messages(before)
        if larger and self.hardened:
            return unchanged(state)
        spans = spans_between(before, after, message.id)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    async def _written(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        """The summary of the newest messages that fit the window."""
        readable = newest_within(messages, context.window - max(room, 0), context.tokens)
        written = await write_summary(
            context,
            readable or messages[-1:],
            SECTIONS,
            room,
            as_written=self.faithful,
            limits=self.limits,
        )
        if written.empty and self.faithful:
            return Written(text=_last_said(messages))
        return written

    async def _compacted_remotely(
        self, state: State, before: Sequence[Message], context: Context
    ) -> Outcome[State]:
        """The outcome with the output of the endpoint in place of the conversation."""
        head = leading_system(before)
        size = context.tokens.messages(before[head:])
        if self.hardened and size > context.window:
            return unchanged(
                state, f"the conversation takes {size} tokens; the window holds {context.window}"
            )
        cycle = int(state.get("cycle", 0)) + 1
        output = await compacted_natively(before[head:], f"codex-{cycle}", context)
        if output.error:
            return unchanged(state, output.error)
        after = (*before[:head], *output.messages)
        was, now = context.tokens.messages(before), context.tokens.messages(after)
        if self.hardened and (now >= was or now > context.budget):
            return unchanged(state, f"the endpoint's output takes {now} tokens")
        spans = spans_between(before, after, output.item)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    def _opened(
        self,
        before: Sequence[Message],
        first: int,
        users: Sequence[Message],
        context: Context,
    ) -> tuple[Message, ...]:
        """What stands before the summary: the initial context and the messages of the user.

        In the middle of a turn the initial context, but not the system prompt, stands before
        the last of them, as the original puts it there anew.
        """
        head = leading_system(before)
        in_turn = bool(before[-1].results or before[-1].calls) and context.reason != "manual"
        if self.hardened or not in_turn:
            return (*before[:first], *users)
        return (*before[:head], *users[:-1], *before[head:first], *users[-1:])

    def _users(
        self, messages: Sequence[Message], first: int, limit: int, context: Context
    ) -> tuple[Message, ...]:
        """The newest messages of the user within ``limit`` tokens, in their order.

        The faithful profile cuts the first that does not fit; the hardened one leaves it
        out whole, except that the last one stays if it takes at most half of the budget.
        """
        typed = [m for m in messages[first:] if m.role == "user" and m.origin == "log"]
        typed = [message for message in typed if not _is_context(message)]
        if self.faithful:
            return _within(typed, limit, context.tokens)
        live = live_request(messages, context)
        chosen: list[Message] = []
        spent = 0
        for message in reversed(typed):
            spent += context.tokens.message(message)
            if spent > limit and message is not live:
                break
            chosen.append(message)
        return tuple(reversed(chosen))


def _within(messages: Sequence[Message], limit: int, tokens: TokenCounter) -> tuple[Message, ...]:
    """The text of the newest messages within ``limit`` tokens; the first over it is cut."""
    chosen: list[Message] = []
    left = limit
    for message in reversed(messages):
        plain = _text_only(message)
        if plain is None:
            continue
        cost = tokens.message(plain)
        if cost <= left:
            chosen.append(plain)
            left -= cost
            continue
        cut = _cut_to(plain, left, tokens)
        if cut is not None:
            chosen.append(cut)
        break
    return tuple(reversed(chosen))


def _text_only(message: Message) -> Message | None:
    """The message with its text alone, because the original reads nothing else of it."""
    if all(isinstance(part, Text) for part in message.parts):
        return message
    return replace(message, parts=(Text(message.text),)) if message.text.strip() else None


def _cut_to(message: Message, limit: int, tokens: TokenCounter) -> Message | None:
    """The message with its middle left out; ``None`` if hardly anything would be left."""
    text = message.text
    length = len(text) * limit // max(tokens.message(message), 1)
    while length >= 80:
        cut = replace(message, parts=(Text(without_middle(text, length)),))
        if tokens.message(cut) <= limit:
            return cut
        length = length * 9 // 10
    return None


def _last_said(messages: Sequence[Message]) -> str:
    """The newest text of the model; empty if it never said anything."""
    said = (message.text for message in reversed(messages) if message.role == "assistant")
    return next((text for text in said if text.strip()), "")


def _is_context(message: Message) -> bool:
    return message.text.lstrip().startswith(INITIAL_CONTEXT)


def _initial_context(messages: Sequence[Message]) -> int:
    """Where the conversation begins: after the system prompt and the client's own messages."""
    count = leading_system(messages)
    while count < len(messages) and messages[count].role == "user":
        if not _is_context(messages[count]):
            break
        count += 1
    return count


STRATEGY: Final = Codex
