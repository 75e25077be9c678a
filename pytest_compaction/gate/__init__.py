"""The gate: thresholds, baselines, and what they decide about the records of a run.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.gate.baseline import *
    from pytest_compaction.gate.coverage import *
    from pytest_compaction.gate.decision import *
    from pytest_compaction.gate.threshold import *

_NAMES: Final = {
    "baseline": (
        "ArmComparison BaselineDecision FEWEST_TRIALS MeanRule NewlyGoneRule decide_baseline "
        "fact_name outcome_of rule_text"
    ),
    "coverage": "KEY PlannedRun arms_of coverage_text planned_in",
    "decision": "Check Decision decide measure",
    "threshold": "Threshold ThresholdError check_answers check_scopes parse_threshold scopes_of",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
