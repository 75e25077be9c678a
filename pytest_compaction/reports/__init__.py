"""Records as text: the end of a run, tables, comparisons, pages and files.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.reports.ab import *
    from pytest_compaction.reports.agreement import *
    from pytest_compaction.reports.call_progress import *
    from pytest_compaction.reports.case_page import *
    from pytest_compaction.reports.changes import *
    from pytest_compaction.reports.dialogues import *
    from pytest_compaction.reports.files import *
    from pytest_compaction.reports.finished_run import *
    from pytest_compaction.reports.gate_text import *
    from pytest_compaction.reports.items import *
    from pytest_compaction.reports.json_report import *
    from pytest_compaction.reports.lines import *
    from pytest_compaction.reports.listed_runs import *
    from pytest_compaction.reports.observed import *
    from pytest_compaction.reports.one_strategy import *
    from pytest_compaction.reports.page.page import *
    from pytest_compaction.reports.page.runs import *
    from pytest_compaction.reports.shown_item import *
    from pytest_compaction.reports.summary import *
    from pytest_compaction.reports.table import *
    from pytest_compaction.reports.tables import *
    from pytest_compaction.reports.usage import *

_NAMES: Final = {
    "ab": "AB Version ab_markdown prompts_of versions_of",
    "agreement": "agreement_json agreement_markdown agreement_text",
    "call_progress": "progress_text",
    "case_page": "Page case_messages case_overview case_probes recorded_view",
    "changes": (
        "RunComparison Side baseline_block baseline_lines comparison_json comparison_markdown "
        "comparison_text worse_title"
    ),
    "dialogues": "dialogue_json dialogue_markdown dialogue_text",
    "files": ("ACTIONS SUMMARY check_place file_line marked_failure write_files write_summary"),
    "finished_run": "FinishedRun Outcome suite_properties with_finite_figures",
    "gate_text": "Failures UNDECIDED below_text gate_line is_undecided passes",
    "items": "case_line item_lines what_was_dropped",
    "json_report": "report_json",
    "lines": (
        "Line Style WIDTH cells counted fitted interval_text width_of wrapped write_lines "
        "write_unwrapped"
    ),
    "listed_runs": "Damaged Listed run_list",
    "observed": "Observed Period observed_csv observed_json observed_tables period_of_cases",
    "one_strategy": "LOWEST",
    "page.page": "content_policy inert_json page_of",
    "page.runs": "PageRun",
    "tables": "ABILITY LONG_MEMORY run_tables",
    "shown_item": "every_item find_items item_id item_page",
    "summary": "cause_lines file_lines left_out_lines run_summary",
    "table": "TABLE_WIDTH Table csv_tables json_table markdown_table plain_table",
    "usage": "Bill estimate_lines estimate_sentence usage_lines usage_table",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
