"""All invariants, group by group, in the order in which they are declared and reported."""

from typing import Final

from pytest_compaction.checking.invariants import budget, content, state, structure
from pytest_compaction.checking.invariants.invariant import DECLARED, Invariant

__all__ = ["INVARIANTS", "Invariant", "budget", "content", "state", "structure"]

INVARIANTS: Final[tuple[Invariant, ...]] = tuple(
    one
    for group in ("structure", "content", "budget", "state")
    for one in DECLARED
    if one.group == group
)
