"""The invariants that every compactor should keep, checked on generated logs of agents.

Surveys are loaded when first used: they draw their examples with the package hypothesis.
"""

from typing import TYPE_CHECKING

from pytest_compaction.checking.examples.known import KNOWN
from pytest_compaction.checking.faults import SummaryCache
from pytest_compaction.checking.invariants import INVARIANTS, Invariant
from pytest_compaction.checking.runner import Runner
from pytest_compaction.facade import lazy

if TYPE_CHECKING:
    from pytest_compaction.checking.surveys import (
        FEW,
        Survey,
        described,
        drawn_examples,
        shrunk,
        survey,
    )

__all__ = [
    "FEW",
    "INVARIANTS",
    "KNOWN",
    "Invariant",
    "Runner",
    "SummaryCache",
    "Survey",
    "described",
    "drawn_examples",
    "shrunk",
    "survey",
]


__getattr__ = lazy(__name__, {"surveys": "FEW Survey described drawn_examples shrunk survey"})
