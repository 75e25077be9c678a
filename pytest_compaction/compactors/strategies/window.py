"""``window``: the newest part of the conversation that fits the budget, and nothing else.

The plainest strategy, and one of the nulls that every other one has to beat. The system
prompt stays; the rest is cut to the longest run of whole groups that fits the budget. The
user message that this run answers comes along.
"""

from __future__ import annotations

from typing import Final

from pytest_compaction.compactors.base.cuts import cut_to_fit
from pytest_compaction.compactors.base.history import HistoryCompactor, dump, load, spans_between
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits


class Window(HistoryCompactor):
    """Keeps the system prompt and the newest whole groups that fit the budget."""

    name = "window"
    description = "the newest part that fits the budget; nothing else is kept"
    traits = Traits(keeps_tail=True, null=True)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Cut the view to its newest part; fail if not even that fits."""
        before = load(state["messages"])
        after = cut_to_fit(state, before, context)
        if isinstance(after, Outcome):
            return after
        spans = spans_between(before, after)
        return Outcome({**state, "messages": dump(after)}, "truncated", spans)


STRATEGY: Final = Window
