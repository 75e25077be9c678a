"""All invariants, in the order in which they are reported."""

from __future__ import annotations

from typing import Final

from pytest_compaction.checking.invariants import (
    budget,
    content,
    own_log,
    state,
    structure,
    summaries,
)
from pytest_compaction.checking.invariants.invariant import Invariant

INVARIANTS: Final[tuple[Invariant, ...]] = (
    *structure.INVARIANTS,
    *content.INVARIANTS,
    *summaries.INVARIANTS,
    *own_log.INVARIANTS,
    *budget.INVARIANTS,
    *state.INVARIANTS,
)
NAMES: Final[tuple[str, ...]] = tuple(invariant.name for invariant in INVARIANTS)
