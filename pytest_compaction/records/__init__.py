"""Records: one JSON object for each item, the files that hold a run, and baselines.

Other rooms import from here alone. A :class:`RunWriter` writes a run, :func:`load_run` reads one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.records.baseline_file import *
    from pytest_compaction.records.baselines import *
    from pytest_compaction.records.comparability import *
    from pytest_compaction.records.items import *
    from pytest_compaction.records.model_use import *
    from pytest_compaction.records.probe_record import *
    from pytest_compaction.records.record import *
    from pytest_compaction.records.run import *
    from pytest_compaction.records.run_file import *
    from pytest_compaction.records.run_folder import *
    from pytest_compaction.records.shards import *
    from pytest_compaction.records.texts import *
    from pytest_compaction.records.view_reading import *

_NAMES: Final = {
    "baseline_file": (
        "accepted_place check_accepted is_sampled read_baseline_file write_accepted "
        "write_baseline_file"
    ),
    "baselines": (
        "Baseline Source at_pass_score check_whole judged_again load_baseline measured_there "
        "parse_source strategies_of"
    ),
    "comparability": "cases_note changed_cases differences version_note",
    "items": "Item ItemFact Scalar TEXTS columns finite finite_record item_of row_of",
    "model_use": "ROLES Use figures_of run_pricing uses",
    "probe_record": "compaction_of record_without_verdict scored_record",
    "record": (
        "Record RecordType Status blank_record charged rounded spent_before status_from type_of "
        "went_wrong_later with_error words_of"
    ),
    "run": "Run",
    "run_file": "RunWriter load_run write_run",
    "run_folder": (
        "BaselineError DEFAULT_FOLDER LAST RunFileError find_run is_run_file newest_run "
        "own_tokens_in own_tokens_of run_files"
    ),
    "shards": "MergeError MergedRun ShardEnd ShardPart merge_runs",
    "texts": "RunTexts TextWriter copy_texts view_file",
    "view_reading": "is_read_alike read_again",
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
