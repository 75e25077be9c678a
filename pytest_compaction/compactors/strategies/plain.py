"""``none``: nothing is compacted. The control for measuring every loss.

``window``: the newest part of the conversation that fits the budget, and nothing else.

The plainest strategy, and one of the nulls that every other one has to beat. The system
prompt stays; the rest is cut to the longest run of whole groups that fits the budget. The
user message that this run answers comes along.

``truncate``: a sliding window that forgets the oldest messages.

The arithmetic is that of Roo Code's sliding window (v3.25, from its public
source): the first message stays, and of the others ``floor(n * fraction)``,
rounded down to an even number, are removed from the old end. Roo takes the step
once and does not count afterwards; here it is repeated until the view fits the
budget, and it never separates a tool call from its result. A first message for
which the budget has no room is forgotten too.

``recorded``: the compaction that the agent of the transcript really made.

Cases imported from transcripts hold, at each point where the agent compacted its own
conversation, the view with which it continued: a summary, with or without a tail of the
log. This strategy gives that view, so that the compaction of production is judged by the
same probes as any other strategy at the same point. It asks no model. At a point without
a record it fails, and no probe is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import cut_to_fit, fitted, too_small
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.parameters import portion
from pytest_compaction.compactors.products.roo import without_oldest
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message


class NoCompaction(HistoryCompactor):
    """Keeps the whole log, whatever the budget."""

    name = "none"
    description = "keeps the whole log: the control for measuring losses"
    traits = Traits(keeps_tail=True)
    threshold = None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        return unchanged(state)


class Window(HistoryCompactor):
    """Keeps the system prompt and the newest whole groups that fit the budget."""

    name = "window"
    description = "the newest part that fits the budget; nothing else is kept"
    traits = Traits(keeps_tail=True, null=True)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        after = cut_to_fit(state, before, context)
        if isinstance(after, Outcome):
            return after
        return rewritten(state, before, after, status="truncated")


@dataclass(eq=False)
class Truncate(HistoryCompactor):
    """Keeps the system prompt, the first message and the newest part that fits."""

    name = "truncate"
    description = "sliding window: first message kept, oldest half removed until it fits"
    traits = Traits(
        violations={
            "turns-alternate": "the first message and one that came much later are left side by "
            "side, with no note between them"
        }
    )

    fraction: float = portion(0.5, whole=True)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        after = before
        while context.tokens.messages(after) > context.budget:
            shorter = self.step(after)
            if len(shorter) == len(after):
                break
            after = shorter
        fitting = fitted(after, context)
        if fitting is None:
            return unchanged(state, too_small(after, context))
        after = fitting
        if after == before:
            return unchanged(state)
        return rewritten(state, before, after, status="truncated")

    def step(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Remove one fraction; the same messages if nothing can go."""
        return without_oldest(messages, self.fraction)


NO_RECORD: Final = (
    "the case holds no record of what its agent went on with at this point; "
    "`recorded` judges imported transcripts with compactions of their own, "
    "at the points of the case (--compaction-trigger=case)"
)


class Recorded(HistoryCompactor):
    """Gives the view on record."""

    name = "recorded"
    description = "the view with which the agent of an imported transcript really continued"
    traits = Traits(needs_record=True)

    def due(self, state: State, context: Context) -> str | None:
        return "a compaction is on record here" if context.recorded else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        after = context.recorded
        if not after:
            return unchanged(state, NO_RECORD)
        before = load(state["messages"])
        summary = next((m.id for m in after if m.origin == "synthetic"), None)
        return rewritten(state, before, after, summary)
