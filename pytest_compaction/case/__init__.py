"""Cases: the data model, case files, and their validation.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.case.case import *
    from pytest_compaction.case.case_set import *
    from pytest_compaction.case.files import *
    from pytest_compaction.case.index import *
    from pytest_compaction.case.kinds import *
    from pytest_compaction.case.long_memory.beam import *
    from pytest_compaction.case.long_memory.published import *
    from pytest_compaction.case.validation import *

_NAMES: Final = {
    "case": (
        "AnswerFormat AnswerSpec Case Fact FactType Needed Nugget Origin PROBE_KINDS Point Probe "
        "Trap case_from_json fact_digest log_digest probe_digest recorded_view"
    ),
    "case_set": "CaseSet find_cases is_case_file",
    "files": (
        "CaseFileError MAX_FILE_BYTES MAX_SHOWN_FAULTS checked_case decoded files_below "
        "holds_cases is_lines read_bytes read_text shorten"
    ),
    "index": "CaseEntry CaseIndex INDEX_FOLDER ProbeEntry",
    "kinds": (
        "ABILITIES Ability CHOICE_KIND Change Choice DEFAULT_TYPE LETTERS NeededHow ProbeKind "
        "TEXT_KINDS read_letter"
    ),
    "long_memory.beam": "Batch MARKER Pair Question read_conversation write_conversation",
    "long_memory.published": ("QUESTIONS QUESTIONS_FOLDER has_questions size_name size_rank"),
    "validation": "CaseFault read_checked read_json refuse_faults schema_faults",
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
