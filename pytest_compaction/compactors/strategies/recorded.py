"""``recorded``: the compaction that the agent of the transcript really made.

Cases imported from transcripts hold, at each point where the agent compacted its own
conversation, the view with which it continued: a summary, with or without a tail of the
log. This strategy gives that view, so that the compaction of production is judged by the
same probes as any other strategy at the same point. It asks no model. At a point without
a record it fails, and no probe is answered.
"""

from __future__ import annotations

from typing import Final

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits

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
        """Due if there is a record."""
        return "a compaction is on record here" if context.recorded else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Replace the view by the one on record; fail if there is none."""
        after = context.recorded
        if not after:
            return unchanged(state, NO_RECORD)
        before = load(state["messages"])
        summary = next((m.id for m in after if m.origin == "synthetic"), None)
        spans = spans_between(before, after, summary)
        return Outcome({**state, "messages": dump(after)}, "compacted", spans)


STRATEGY: Final = Recorded
