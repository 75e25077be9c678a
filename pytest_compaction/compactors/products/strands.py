"""``strands``: the oldest 30 % of the messages become a summary, again and again until it fits.

After the summarizing conversation manager of Strands Agents 1.62.0 (the published package,
Apache-2.0, read on 2026-11-30). It acts when a request overflows, and before that only if told to
(``threshold=0.7`` is what the original takes then). The oldest 30 % of the messages, an earlier
summary among them, but never one of the newest ten, become one summary of bullet points in the
third person, a user message. The cut moves forward past tool results, and past a call whose result
does not follow it. If the request still overflows, the next 30 % follow, until all but ten messages
are summarised.

Kept from the original: the newest ten messages stay whatever they take, and the last user message
goes if it lies before the ten. A reply without text is an error, and what earlier rounds did stays.

Adapted: whether a request overflows is counted against the budget. Where a round would
replace one message by one summary, the original goes on for ever; here the rounds end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.history import load, rewritten, unchanged
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    ProductCompactor,
)
from pytest_compaction.compactors.base.summaries import sections_of, summary_room
from pytest_compaction.compactors.parameters import whole, within
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import Message, leading_system

PREAMBLE: Final = "Summary of the conversation before these messages:"
TOO_FEW: Final = "too few messages to summarise: all are among the newest, which stay"


@dataclass(eq=False)
class Strands(ProductCompactor):
    """Summarises the oldest messages, a share of them at a time.

    ``ratio`` is that share, 0.1 to 0.8, ``keep`` how many of the newest always stay, and
    ``threshold`` the share of the window at which it is due by itself, 0 for never.
    """

    name = "strands"
    asks = "strands"
    sections = sections_of("strands")
    preamble = PREAMBLE
    description = "the oldest 30 % summarised until it fits, ten messages kept (Strands Agents)"

    ratio: float = within(0.3, 0.1, 0.8)
    keep: int = whole(10, 0)
    threshold: float = within(0, 0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.threshold < LOW_TRIGGER:
            self.also_violates("due-again")

    def due(self, state: State, context: Context) -> str | None:
        return super().due(state, context) if self.threshold else None

    def due_at(self, context: Context) -> int:
        return math.ceil(context.window * self.threshold)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        cycle = self.cycle(state)
        after, id, error = before, "", None
        while not id or context.tokens.messages(after) > context.budget:
            replaced, error = await self._round(after, cycle, context)
            if replaced is None or len(replaced) >= len(after):
                break
            after, id = replaced, f"strands-summary-{cycle}"
            cycle += 1
        if not id:
            few = context.tokens.messages(before) > context.budget
            return unchanged(state, error or (TOO_FEW if few else None))
        return rewritten(state, before, after, id, cycle=cycle - 1)

    async def _round(
        self, messages: tuple[Message, ...], cycle: int, context: Context
    ) -> tuple[tuple[Message, ...] | None, str | None]:
        """The view after the oldest messages gave way to a summary; or why they did not."""
        first = leading_system(messages)
        start = first + self.oldest(messages[first:])
        gone, kept = messages[first:start], messages[start:]
        if not gone:
            return None, None
        room = summary_room((*messages[:first], *kept), context)
        written = await self.written(gone, room, context)
        if written.error:
            return None, written.error
        return (*messages[:first], self.summary(cycle, written.text), *kept), None

    def oldest(self, messages: Sequence[Message]) -> int:
        """Number of messages that the next round summarises; 0 if only the newest are left."""
        count = min(max(int(len(messages) * self.ratio), 1), len(messages) - self.keep)
        if count <= 0:
            return 0
        while count < len(messages) and _cannot_begin(messages, count):
            count += 1
        return count if count < len(messages) else 0


def _cannot_begin(messages: Sequence[Message], index: int) -> bool:
    """Whether what stays cannot begin here: at a result, or at a call without one right after."""
    if messages[index].results:
        return True
    following = messages[index + 1 : index + 2]
    return bool(messages[index].calls and following and not following[0].results)
