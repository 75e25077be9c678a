"""``none``: nothing is compacted. The control for measuring every loss."""

from __future__ import annotations

from typing import Final

from pytest_compaction.compactors.base.history import HistoryCompactor, unchanged
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits


class NoCompaction(HistoryCompactor):
    """Keeps the whole log, whatever the budget."""

    name = "none"
    description = "keeps the whole log: the control for measuring losses"
    traits = Traits(keeps_tail=True)

    def due(self, state: State, context: Context) -> str | None:
        """Never due."""
        return None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Change nothing."""
        return unchanged(state)


STRATEGY: Final = NoCompaction
