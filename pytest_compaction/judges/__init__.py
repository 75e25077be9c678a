"""Judges: the replies of models on an answer become a verdict, which a snapshot can keep.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.judges.model_judge import *
    from pytest_compaction.judges.panel import *
    from pytest_compaction.judges.rubric_file import *
    from pytest_compaction.judges.snapshots import *
    from pytest_compaction.judges.verdict import *

_NAMES: Final = {
    "model_judge": "ModelJudge log_digest",
    "panel": "PanelJudge combined view_verdict",
    "rubric_file": "read_rubric rubric_text",
    "snapshots": (
        "REFUSED Snapshot Tolerance VerdictMovedError has_moved movements read_snapshot "
        "snapshot_of snapshot_text"
    ),
    "verdict": (
        "BelowPassScoreError FactOutcome JudgeScores NEXT_ONLY NULL Nuggets OverBudgetError "
        "REPORTED Scores UnscoredError Verdict complied unreadable unscored_verdict "
        "verdict_from_reply"
    ),
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
