"""``truncate``: a sliding window that forgets the oldest messages.

The arithmetic is that of Roo Code's sliding window (v3.25, from its public
source): the first message stays, and of the others ``floor(n * fraction)``,
rounded down to an even number, are removed from the old end. Roo takes the step
once and does not count afterwards; here it is repeated until the view fits the
budget, and it never separates a tool call from its result. A first message for
which the budget has no room is forgotten too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.cuts import fitted, too_small
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.parameters import check_share
from pytest_compaction.compactors.products.roo import without_oldest
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message


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

    def __init__(self, fraction: float = 0.5) -> None:
        check_share("fraction", fraction, whole=True)
        self.fraction = fraction

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Remove the oldest messages, step by step, until the view fits the budget."""
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
        spans = spans_between(before, after)
        return Outcome({**state, "messages": dump(after)}, "truncated", spans)

    def step(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Remove one fraction; the same messages if nothing can go."""
        return without_oldest(messages, self.fraction)


STRATEGY: Final = Truncate
