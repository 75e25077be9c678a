"""``codex``: the user's messages within a limit, and one summary or compaction item after them.

Follows Codex CLI (public source, copies of 2025 and 2026; remote version 2 at 009bd870, read on
2026-11-29; the prompt of a summary at 11baefb5, read on 2026-11-30). It is due at 90 % of the
window. The product has two ways.

``mode=remote`` (``compact_remote_v2.rs``), the default, for OpenAI's models, which never take the
local way: the endpoint gives one compaction item that only it can read. The client keeps 64,000
tokens of the user's messages, their images too (an image counts nothing, a message at least one
token), and puts the item last. Before the request, the newest tool results give way to a
placeholder until the conversation fits the window. The request is an ordinary one of the responses
API that ends with a trigger item; its reply may hold other items too, but one without exactly one
compaction item is a failure. With a model that cannot do it, such as the offline model, the
compaction fails with a sentence that names ``mode=local``.

``mode=local`` (``compact.rs``), for all providers but OpenAI: the new history is the initial
context, the messages that the user wrote (chosen from the newest back within 20,000
tokens, the first that does not fit cut in its middle, in their original order), and
one user message that introduces a summary, last. Assistant and tool messages go,
and so do earlier summaries: the new one is written from them as well.

In the middle of a turn, where the model waits for nothing but its tools, the initial
context stands before the last message of the user instead.

Kept from the original: an open call is
lost (its result is left out when it comes). Of ``local``: images in user messages are lost, and if
the model writes nothing, its last
message before stands for the summary, whatever it says, or nothing but the introduction if
there is none. A request that is longer than the model's window loses its oldest
messages, as in the original when the endpoint refuses it; after any other failure the
history stays as it was.

Adapted: the 20,000 and 64,000 tokens are in proportion to the case's window (the product's is
272,000), at most three quarters of the rest of the budget, so that a quarter is
left to the summary; tokens are counted, not estimated from bytes. The trigger is sent without the
definitions of the tools, which a case does not have, and its reply is not streamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import mask_results, newest_within
from pytest_compaction.compactors.base.history import rewritten, unchanged
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
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.products.openai_compact import compaction_items
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import (
    Image,
    Message,
    Text,
    TokenCounter,
    leading_system,
)
from pytest_compaction.models import CompactRequest, ModelError, UnsupportedError

PRODUCT_WINDOW: Final = 272_000
KEPT: Final = {"remote": 64_000, "local": 20_000}
"""Tokens of the user's messages that stay."""
OUTPUT_LEFT_OUT: Final = "[output left out to fit the window]"
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
    """Keeps the initial context and the newest user messages; the endpoint's item comes last.

    With ``mode=local`` a summary takes the place of the item. ``users`` is the limit for user
    messages in tokens of a 272,000-token window (64,000, with ``mode=local`` 20,000), ``limit`` a
    lower threshold than 90 % of the window, in the same measure (0 for none). Of ``mode=local``,
    ``read_results`` and ``read_arguments`` are the characters that the summariser may read of a
    result and of each argument, or ``all``.
    """

    name = "codex"
    asks = "codex"
    description = "Codex: newest user messages, then the endpoint's item; mode=local: one summary"
    sections = sections_of("codex")
    preamble = PREAMBLE
    drops_calls = True
    traits = Traits(needs_model=True, opaque=True, keeps_tail=True)

    mode: str = choice(*KEPT)
    users: int | None = whole(None, 1)
    limit: int = whole(0, 0)
    read_results: int | str = WHOLE
    read_arguments: int | str = WHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = read_limits(WHOLE, self.read_results, self.read_arguments)
        self.most = KEPT[self.mode] if self.users is None else self.users
        if self.mode == "local":
            self.traits = Traits(needs_model=True, keeps_tail=True)
            self.also_violates("codex-local")
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
        limit = min(scaled(self.most, PRODUCT_WINDOW, context), room * 3 // 4)
        typed = (m for m in before[first:] if m.role == "user" and m.origin == "log")
        said = [m for m in typed if not _is_context(m)]
        if self.mode == "remote":
            return await self._remote(state, before, said, limit, context)
        users = _within(said, limit, context.tokens)
        room -= context.tokens.messages(users)
        conversation = without_preamble(before[first:], PREAMBLE)
        written = await self._written(conversation, room, context)
        return self.replaced(state, before, _head(before, users, context), written)

    async def _remote(
        self,
        state: State,
        before: tuple[Message, ...],
        said: Sequence[Message],
        limit: int,
        context: Context,
    ) -> Outcome[State]:
        system = leading_system(before)
        prompt = "\n\n".join(message.text for message in before[:system])
        sent = _fitting_results(before, context)[system:]
        try:
            reply = await context.model.compact(CompactRequest(sent, prompt, by_trigger=True))
        except UnsupportedError as error:
            return unchanged(state, str(error))
        except ModelError as error:
            return unchanged(state, f"the endpoint could not compact: {error}")
        items = [message for message in reply.messages if compaction_items(message)]
        if sum(map(compaction_items, items)) != 1:
            return unchanged(state, f"the endpoint returned {len(items)} compaction items, not one")
        cycle = self.cycle(state)
        item = replace(items[0], id=f"codex-item-{cycle}", origin="synthetic")
        users = _within(said, limit, context.tokens, with_images=True)
        after = (*_head(before, users, context), item)
        return rewritten(state, before, after, item.id, cycle=cycle)

    async def _written(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        """The summary of the newest messages that fit the window."""
        readable = newest_within(messages, context.window - max(room, 0), context.tokens)
        written = await self.written(readable or messages[-1:], room, context)
        return Written(text=_last_said(messages)) if written.empty else written


def _head(
    before: Sequence[Message], users: Sequence[Message], context: Context
) -> tuple[Message, ...]:
    first, system = _initial_context(before), leading_system(before)
    if (before[-1].results or before[-1].calls) and context.reason != "manual":
        return (*before[:system], *users[:-1], *before[system:first], *users[-1:])
    return (*before[:first], *users)


def _fitting_results(messages: tuple[Message, ...], context: Context) -> tuple[Message, ...]:
    """The messages with the newest tool results left out until all fits the window."""
    for message in reversed(messages):
        if context.tokens.messages(messages) <= context.window:
            break
        if message.results:
            messages = mask_results(messages, {message.id}, OUTPUT_LEFT_OUT)
    return messages


def _within(
    messages: Sequence[Message], limit: int, tokens: TokenCounter, with_images: bool = False
) -> tuple[Message, ...]:
    """The text of the newest messages within ``limit`` tokens; the first over it is cut.

    Images come along ``with_images``, and count nothing.
    """
    chosen: list[Message] = []
    left = limit
    for message in reversed(messages):
        plain = _text_only(message)
        if plain is None:
            if with_images and left > 0:
                chosen.append(message)
                left -= 1
            continue
        cost = tokens.message(plain)
        if cost <= left:
            chosen.append(message if with_images else plain)
            left -= cost
            continue
        cut = _cut_to(plain, left, tokens)
        if cut is not None:
            images = [part for part in message.parts if with_images and isinstance(part, Image)]
            chosen.append(replace(cut, parts=(*cut.parts, *images)))
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
