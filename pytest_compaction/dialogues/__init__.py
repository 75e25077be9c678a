"""Dialogues: replayed with and without compaction, and what that saves and costs.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.dialogues.dialogue import *
    from pytest_compaction.dialogues.figures import *
    from pytest_compaction.dialogues.files import *
    from pytest_compaction.dialogues.measures import *
    from pytest_compaction.dialogues.replay import *
    from pytest_compaction.dialogues.replayed import *
    from pytest_compaction.dialogues.results import *

_NAMES: Final = {
    "dialogue": "BothArms Dialogue RECORD_TYPE TASKS",
    "figures": (
        "Evaluation NAMES TaskFigures evaluations_of_records figures_of is_dialogue_metric "
        "measure_dialogues pass_at spending_of"
    ),
    "files": "DialogueSet UnknownTaskError is_dialogue_file load_dialogues",
    "measures": "PASS_CONSISTENCY outcome",
    "replay": "Replayer Rules history_mode trigger_for_dialogues",
    "replayed": "Replayed record_without_comparison replayed_record",
    "results": "read_results",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
