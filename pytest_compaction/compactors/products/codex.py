"""``codex``: the user's messages within a limit, and one summary after them.

Follows the local compaction of Codex CLI (``compact.rs``, public source, copies of
2025 and 2026). It is due at 90 % of the window. The new history is the initial
context, the messages that the user wrote (chosen from the newest back within 20,000
tokens, the first that does not fit cut in its middle, in their original order), and
one user message that introduces a summary, last. Assistant and tool messages go,
and so do earlier summaries: the new one is written from them as well.

In the middle of a turn, where the model waits for nothing but its tools, the initial
context stands before the last message of the user instead.

Kept from the original: images in user messages are lost, an open call is
lost (its result is left out when it comes), and if the model writes nothing, its last
message before stands for the summary, whatever it says, or nothing but the introduction if
there is none. A request that is longer than the model's window loses its oldest
messages, as in the original when the endpoint refuses it; after any other failure the
history stays as it was.

With a provider that compacts by itself the original asks it to; ``openai-compact`` does that.
This is what all other providers get, and what can be read.

Adapted: the 20,000 tokens are in proportion to the case's window (the product's is
272,000), at most three quarters of the rest of the budget, so that a quarter is
left to the summary; tokens are counted, not estimated from bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import newest_within
from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.base.product import (
    ProductCompactor,
    scaled,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    WHOLE,
    Written,
    read_limits,
    sections_of,
    without_middle,
    without_preamble,
)
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, Text, TokenCounter, leading_system

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


@dataclass(eq=False)
class Codex(ProductCompactor):
    """Keeps the initial context and the newest user messages; one summary comes last.

    ``users`` is the limit for user messages in tokens of a 272,000-token window, ``limit`` a
    lower threshold than 90 % of the window, in the same measure (0 for none). ``read_results``
    and ``read_arguments`` are the characters that the summariser may read of a result and of
    each argument, or ``all``.
    """

    name = "codex"
    description = "Codex CLI: newest user messages within 20k tokens, then one summary, last"
    sections = sections_of("codex")
    preamble = PREAMBLE
    drops_calls = True
    traits = Traits(needs_model=True, keeps_tail=True)

    users: int = whole(20_000, 1)
    limit: int = whole(0, 0)
    read_results: int | str = WHOLE
    read_arguments: int | str = WHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = read_limits(WHOLE, self.read_results, self.read_arguments)
        if self.limit:
            self.also_violates("set-off-again")

    def due_at(self, context: Context) -> int:
        limit = context.window * 9 // 10
        return min(limit, scaled(self.limit, PRODUCT_WINDOW, context)) if self.limit else limit

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        first = _initial_context(before)
        if first >= len(before):
            return unchanged(state)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        limit = min(scaled(self.users, PRODUCT_WINDOW, context), room * 3 // 4)
        typed = (m for m in before[first:] if m.role == "user" and m.origin == "log")
        users = _within([m for m in typed if not _is_context(m)], limit, context.tokens)
        room -= context.tokens.messages(users)
        conversation = without_preamble(before[first:], PREAMBLE)
        written = await self._written(conversation, room, context)
        head = (*before[:first], *users)
        if (before[-1].results or before[-1].calls) and context.reason != "manual":
            system = leading_system(before)  # in the middle of a turn
            head = (*before[:system], *users[:-1], *before[system:first], *users[-1:])
        return self.replaced(state, before, head, written)

    async def _written(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        """The summary of the newest messages that fit the window."""
        readable = newest_within(messages, context.window - max(room, 0), context.tokens)
        written = await self.written(readable or messages[-1:], room, context)
        return Written(text=_last_said(messages)) if written.empty else written


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
    """Start of the conversation, after the system prompt and the client's own messages."""
    count = leading_system(messages)
    while count < len(messages) and messages[count].role == "user":
        if not _is_context(messages[count]):
            break
        count += 1
    return count
