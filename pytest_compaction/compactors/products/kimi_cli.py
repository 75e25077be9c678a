"""``kimi-cli``: a summary in six tagged sections, and the last two messages.

After the compaction of Kimi CLI 1.52.0 (the published package, Apache-2.0, read on 2026-11-30). It
is due at 85 % of the window, or when fewer than 50,000 tokens of it are left. The last two messages
of user or assistant stay, with the tool results after them. All before becomes one user message: a
line that the context was compacted, and the summary in six tagged sections. The summariser reads
texts and tool results; what tools were called, and with which arguments, it is not shown. A model
that fails is asked three times.

Kept from the original: the two messages stay whatever they take, the last user message
may be summarised, and an empty reply is taken for the summary.

Adapted: the 50,000 tokens are in proportion to the case's window (the product's is 262,144). The
list of running background tasks, which the original adds, is not in a log.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import with_parts
from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    ProductCompactor,
    scaled,
    tag_tokens,
    tagged,
)
from pytest_compaction.compactors.base.summaries import (
    sections_of,
    summary_room,
    without_preamble,
)
from pytest_compaction.compactors.parameters import choice, portion, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import Message, Text, ToolResult

PRODUCT_WINDOW: Final = 262_144
SECTIONS: Final = sections_of("kimi-cli")
PREAMBLE: Final = "The context up to here was compacted. What it held:"


@dataclass(eq=False)
class KimiCli(ProductCompactor):
    """Summarises everything before the last ``keep`` messages of user and assistant.

    ``threshold`` is the share of the window at which it is due, ``reserve`` how many tokens of
    a 262,144-token window are to stay free. With ``calls`` the summariser reads tool calls too.
    """

    name = "kimi-cli"
    asks = "kimi-cli"
    takes_instruction = True
    sections = SECTIONS
    preamble = PREAMBLE
    attempts = 3
    takes_empty = True
    description = "last two messages kept; six tagged sections written without tool calls (Kimi)"

    keep: int = whole(2, 1)
    threshold: float = portion(0.85, whole=True)
    reserve: int = whole(50_000, 0)
    calls: bool = choice(False, True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.threshold, 1 - self.reserve / PRODUCT_WINDOW) < LOW_TRIGGER:
            self.also_violates("set-off-again")

    def due_at(self, context: Context) -> int:
        reserve = scaled(self.reserve, PRODUCT_WINDOW, context) if self.reserve else 0
        return math.ceil(min(context.window * self.threshold, context.window - reserve))

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        start = first + kept_from(before[first:], self.keep)
        gone, kept = without_preamble(before[first:start], PREAMBLE), before[start:]
        if not gone:
            return unchanged(state)
        room = summary_room((*before[:first], *kept), context)
        room -= tag_tokens(SECTIONS, context)
        shown = gone if self.calls else said_and_returned(gone)
        written = await self.written(shown or gone, room, context)
        written = replace(written, text=tagged(written.summary, SECTIONS))
        return self.replaced(state, before, before[:first], written, kept)


def kept_from(messages: Sequence[Message], count: int) -> int:
    """Index of the first of the last ``count`` messages of user and assistant; 0 if fewer."""
    own = [i for i, message in enumerate(messages) if message.role in {"user", "assistant"}]
    return own[-count] if len(own) >= count else 0


def said_and_returned(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with texts and results alone; those that have neither are left out."""
    said = Text | ToolResult
    shown = (with_parts(m, lambda p: p if isinstance(p, said) else None) for m in messages)
    return tuple(message for message in shown if message.parts)
