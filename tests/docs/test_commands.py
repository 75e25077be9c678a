"""Every command that the documentation shows is run: by CI, or by a test that is named here."""

import re

import pytest
from support.pages import PAGES, README, commands, name
from support.paths import ROOT

CI = ".ci/run"
HERE = "tests/docs"
BRING = f"{HERE}/test_bring_your_own.py"
FIGURES = f"{HERE}/test_readme.py"
LONG = f"{HERE}/test_long_memory_page.py::test_a_command_runs_and_each_strategy_is_a_column"
MODEL = f"{HERE}/test_model_page.py"
MODELS = f"{HERE}/test_real_models.py"
BENCHMARKS = "tests/benchmarks/test_benchmark_runs.py"
COMPARING = f"{HERE}/test_comparing.py::test_a_run_is_accepted_and_a_change_is_compared_with_it"
SHARDS = f"{HERE}/test_matrix_of_shards.py"
REPORTS = f"{HERE}/test_reports_page.py"

FIRST = {
    "python -m pip install -e . && pytest --compactor=anchored -n 8",
    'python -m pip install -e ".[test]" && pytest tests',
}
"""The two commands of the README that a clone has to bear out."""

RUN_BY = {
    **dict.fromkeys(FIRST, CI),
    'python -m pip install -q -e ".[dev]"': CI,
    "ruff check .": CI,
    "ruff format --check .": CI,
    "mypy": CI,
    "pytest tests": CI,
    "pytest --pyargs pytest_compaction.benchmark --compactor=anchored": CI,
    "pytest --compactors": "tests/reports/test_terminal_summary.py"
    "::test_compactors_lists_every_strategy_with_one_line_and_runs_nothing",
    "pytest --help": "tests/test_options.py::test_help_lists_every_option_and_every_ini_key",
    # README.md, strategies.md, ci.md
    "pytest --compactor=none,truncate,regenerate,anchored -n 8": f"{FIGURES}"
    "::test_the_comparison_runs_over_all_workers",
    "pytest --compactor=none,said-only,random,window,truncate,regenerate,anchored -n 8": (
        f"{FIGURES}::test_the_comparison_with_nulls_runs_over_all_workers"
    ),
    "pytest --compactor=anchored,anchored+ledger": f"{BRING}"
    "::test_the_ledger_is_compared_with_a_strategy_alone",
    "pytest --compactor=my_compactor:keep_the_newest -n 8 --junitxml=compaction.xml": f"{FIGURES}"
    "::test_the_command_of_the_workflow_writes_scores_for_the_ci",
    "pytest --compactor=anchored --compaction-judge-snapshots --snapshot-update": f"{FIGURES}"
    "::test_verdicts_are_accepted_and_then_compared",
    "pytest --compactor=anchored --compaction-judge-snapshots": f"{FIGURES}"
    "::test_verdicts_are_accepted_and_then_compared",
    "pytest --compactor=my_compactor:keep_the_newest -n 4 "
    "--compaction-shard=${{ matrix.shard }}/3 --compaction-runs=runs": f"{SHARDS}"
    "::test_the_workflow_measures_in_shards_and_gates_on_the_merged_run",
    **dict.fromkeys(
        ("pytest-compaction merge", "pytest-compaction merge shards/*.jsonl -o merged.jsonl"),
        f"{SHARDS}::test_the_workflow_measures_in_shards_and_gates_on_the_merged_run",
    ),
    # reports.md
    "pytest --compactor=anchored --compaction-report=out.md --compaction-report=out.json "
    "--compaction-report=out.csv --compaction-report=badge.svg": f"{REPORTS}"
    "::test_every_file_that_the_page_names_is_written",
    "pytest --compactor=anchored --compaction-report=out.html": f"{REPORTS}"
    "::test_the_page_is_written",
    "pytest --compactor=anchored --junitxml=compaction.xml": f"{REPORTS}"
    "::test_the_properties_that_the_page_names_are_in_the_junit_file",
    # comparing.md
    **dict.fromkeys(
        (
            "pytest --compactor=my_compactor:keep_the_newest --compaction-baseline=baseline.json "
            "--compaction-baseline-update",
            "pytest --compactor=my_compactor:keep_the_newest --compaction-baseline=baseline.json",
            "pytest-compaction compare baseline.json last",
            "pytest-compaction compare baseline.json last --format=markdown -o changes.md",
            "pytest-compaction runs",
            "pytest-compaction show last",
            "pytest-compaction show last small-limit",
            "pytest-compaction gate",
            "pytest-compaction gate last --threshold='overall>=1' --baseline=baseline.json "
            "--max-drop=0.2",
        ),
        COMPARING,
    ),
    "pytest-compaction compare last@anchored last@truncate": f"{HERE}/test_comparing.py"
    "::test_strategies_of_the_last_run_are_compared",
    # clusters.md
    "pytest --compactor=anchored,regenerate --compaction-executor=dask://scheduler.example:8786": (
        "tests/session/test_cluster.py::test_a_cluster_writes_the_records_of_one_process"
    ),
    # model.md
    "pytest --compactor=my_summary:summary_and_newest,truncate": f"{MODEL}"
    "::test_the_example_runs_offline",
    "pytest --compactor=my_summary:summary_and_newest,truncate "
    "--compaction-model=gpt-5-mini": f"{MODEL}"
    "::test_the_example_asks_the_endpoint_as_the_page_says",
    # own-compactor.md, invariants.md
    "pytest --compactor=my_compactor:keep_the_newest,truncate": f"{BRING}"
    "::test_a_function_runs_beside_a_known_strategy",
    "pytest --compactor=my_compactor:keep_the_newest --compaction-check": f"{BRING}"
    "::test_the_check_finds_what_the_page_says_it_finds",
    "pytest --compactor=my_strategy:FirstLines --compaction-check": f"{BRING}"
    "::test_the_class_breaks_no_invariant",
    "pytest --compactor=my_strategy:FirstLines:keep=2,my_strategy:FirstLines:keep=2+ledger": (
        f"{BRING}::test_the_class_takes_its_parameter_and_is_composed"
    ),
    "pytest --compactor=my_messages:without_old_results,my_messages:since_the_last_request": (
        f"{BRING}::test_functions_over_other_message_objects_run_as_they_are"
    ),
    'pytest --compactor="langchain_core.messages:trim_messages:token_counter=approximate'
    ":include_system=True:start_on=['human','ai']\"": (
        f"{BRING}::test_the_trimmer_of_langchain_runs"
    ),
    "pytest --compactor=agent/compact.py:Summary:keep=6,agent.compact.newest": (
        f"{BRING}::test_what_the_table_names_is_called_as_it_says"
    ),
    # real-models.md
    "export OPENAI_API_KEY=…": f"{MODELS}::test_a_command_asks_the_endpoint",
    "pytest --compactor=none,regenerate,anchored --compaction-model=gpt-5-mini": f"{MODELS}"
    "::test_a_command_asks_the_endpoint",
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-judge=offline": (
        f"{MODELS}::test_a_command_asks_the_endpoint"
    ),
    "pytest --compactor=anchored,truncate --compaction-model=gpt-5-mini --compaction-estimate": (
        f"{MODELS}::test_an_estimate_asks_nothing"
    ),
    "pytest --compactor=anchored,truncate --compaction-model=gpt-5-mini --compaction-max-cost=2": (
        f"{MODELS}::test_a_command_asks_the_endpoint"
    ),
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-store=calls": (
        f"{MODELS}::test_what_was_recorded_is_replayed_without_the_endpoint"
    ),
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-store=calls "
    "--compaction-replay": f"{MODELS}::test_what_was_recorded_is_replayed_without_the_endpoint",
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-export=out": (
        f"{MODELS}::test_requests_and_replies_travel_in_files"
    ),
    "pytest-compaction answers out results.jsonl": (
        f"{MODELS}::test_requests_and_replies_travel_in_files"
    ),
    "pytest --compactor=anchored --compaction-model=my-model --compaction-export=out "
    "--compaction-export-plain": f"{MODELS}::test_a_model_without_an_api_reads_and_writes_text",
    "pytest-compaction answers out --plain": (
        f"{MODELS}::test_a_model_without_an_api_reads_and_writes_text"
    ),
    "pytest --compactor=anchored --compaction-model=reference --compaction-replay": (
        "tests/session/test_reference_run.py"
        "::test_without_cases_named_those_of_the_reference_run_are_measured"
    ),
    **dict.fromkeys(
        ("pytest-compaction agree", "pytest-compaction agree offline.jsonl model.jsonl"),
        "tests/commands/test_agree_command.py"
        "::test_two_runs_are_compared_and_the_judgements_of_one",
    ),
    "OPENAI_BASE_URL=http://localhost:4000/v1 pytest --compactor=anthropic:mode=server:clear=3 "
    "--compaction-model=claude-sonnet": "tests/models/wire/test_server_compaction.py"
    "::test_the_edits_are_sent_and_what_was_cleared_is_not_in_the_view",
    # init.md
    "pytest-compaction init": "tests/session/test_init.py"
    "::test_an_empty_folder_becomes_a_project_that_gates_on_the_shipped_cases",
    "pytest-compaction init my-session.jsonl": "tests/session/test_init.py"
    "::test_transcripts_become_a_project_with_a_gate_and_nothing_is_overwritten",
    # own-sessions.md
    "pytest-compaction import my-session.jsonl -o cases/": f"{FIGURES}"
    "::test_a_session_of_ones_own_is_imported_checked_and_gated",
    "pytest-compaction lint cases/": f"{FIGURES}"
    "::test_a_session_of_ones_own_is_imported_checked_and_gated",
    "pytest-compaction show cases/my-session.json --probes": f"{FIGURES}"
    "::test_a_session_of_ones_own_is_imported_checked_and_gated",
    "pytest --compactor=none,truncate,anchored --compaction-threshold='overall@anchored>=1'": (
        f"{FIGURES}::test_a_session_of_ones_own_is_imported_checked_and_gated"
    ),
    **dict.fromkeys(
        (
            "pytest --compactor=recorded,anchored --compaction-budget=recorded "
            "--compaction-runs=runs",
            "pytest-compaction report runs/0001-recorded-anchored.jsonl",
        ),
        f"{FIGURES}::test_the_loss_of_production_is_reported",
    ),
    "pytest --compactor=recorded,anchored": f"{FIGURES}"
    "::test_the_view_on_record_is_compared_with_a_strategy",
    "pytest-compaction lint": "tests/commands/test_lint_command.py"
    "::test_a_sound_case_has_no_findings",
    "pytest-compaction lint -v": "tests/commands/test_lint_command.py"
    "::test_verbose_says_which_words_of_which_message_decide",
    "pytest-compaction show": "tests/commands/test_show_command.py::test_a_whole_case",
    # page.md
    "pytest-compaction report .pytest_compaction/runs/0001-anchored.jsonl -o page.html": (
        "tests/commands/test_report_command.py::test_html_is_one_safe_page"
    ),
    "pytest-compaction report main.jsonl branch.jsonl -o changes.html": (
        "tests/commands/test_report_command.py::test_several_runs_make_one_page"
    ),
    # losses.md
    "pytest-compaction report RUN": "tests/commands/test_report_command.py"
    "::test_what_was_lost_and_what_it_costs_can_be_asked_for",
    # dialogues.md
    "pytest --compactor=anchored --compaction-cases=mtbench101.jsonl -n 8": (
        "tests/dialogues/test_dialogue_items.py"
        "::test_a_dialogue_file_on_the_command_line_is_all_that_is_needed"
    ),
    "pytest-compaction dialogues": "tests/commands/test_dialogues_command.py"
    "::test_a_real_run_can_be_read_again",
    "pytest-compaction dialogues RUN.jsonl": "tests/commands/test_dialogues_command.py"
    "::test_a_real_run_can_be_read_again",
    "pytest-compaction dialogues results/*/results.json result_summary.json mtbench101.jsonl "
    "-o report.md": "tests/commands/test_dialogues_command.py"
    "::test_a_dialogue_file_gives_a_published_summary_its_turns",
    # long-memory.md
    **dict.fromkeys(
        (
            "pytest --compactor=window,rag,light,anchored --compaction-cases=chats/100K -n 2",
            "pytest --compactor=light,light:episodic=off,light:working=off,light:scratchpad=off,"
            "light:filter=off --compaction-cases=chats/100K -n 2",
            "pytest --compactor=light:k=5,light:k=10,light:k=15,light:k=20 "
            "--compaction-cases=chats/100K -n 2",
            "pytest-compaction report RUN --table abilities",
        ),
        LONG,
    ),
    "pytest --compactor=window,rag,anchored --compaction-cases=long-memory": (
        "tests/session/test_generated_conversations.py"
        "::test_the_conversation_of_the_package_is_what_the_command_writes_and_runs_by_its_name"
    ),
    **dict.fromkeys(
        (
            "pytest-compaction generate --tokens 100000 --seed 1 -o chats/",
            "pytest --compactor=window,anchored --compaction-cases=chats/",
        ),
        "tests/session/test_generated_conversations.py"
        "::test_what_the_command_wrote_runs_and_shows_all_abilities",
    ),
    # speed.md
    "python -m tests.benchmarks": f"{BENCHMARKS}"
    "::test_the_benchmarks_are_listed_with_what_each_measures",
    **dict.fromkeys(
        (
            "python -m tests.benchmarks limit",
            "python -m tests.benchmarks limit --page=docs/speed.md",
        ),
        f"{BENCHMARKS}::test_the_limit_is_measured_and_put_on_a_page",
    ),
    "python -m tests.benchmarks statistics --page=docs/statistics.md": f"{BENCHMARKS}"
    "::test_statistics_are_measured_and_put_on_a_page",
    "python -m tests.benchmarks limit --against=../before --repeat=3": f"{BENCHMARKS}"
    "::test_two_checkouts_are_compared",
}
"""What runs each command: the file with the lanes of CI, or a test."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_of_a_page_is_run(page):
    assert commands(page) - set(RUN_BY) == set(), "say in RUN_BY what runs these commands"


def test_no_command_is_listed_that_no_page_shows():
    assert set(RUN_BY) - set().union(*map(commands, PAGES)) == set()


def test_the_readme_shows_the_two_commands_of_a_clone():
    assert commands(README) >= FIRST


@pytest.mark.parametrize("place", sorted(set(RUN_BY.values()) - {CI}))
def test_the_test_that_runs_a_command_exists(place):
    path, _, test = place.partition("::")
    assert re.search(rf"^def {test}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(
    "command", sorted(command for command, place in RUN_BY.items() if place == CI)
)
def test_ci_runs_a_command(command):
    assert command in (ROOT / CI).read_text("utf-8")


def test_ci_runs_the_commands_that_need_langchain_with_it():
    lanes = (ROOT / CI).read_text("utf-8")
    assert "WITH_LANGCHAIN=1 pytest tests/docs/test_bring_your_own.py" in lanes
