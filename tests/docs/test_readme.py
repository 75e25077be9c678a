"""What the README shows is what happens: its figures, its commands, its examples."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from support.measuring_dialogues import MT_BENCH, evaluations, of_mt_bench, of_tau_bench
from support.paths import public_data

from pytest_compaction.case.files import load_cases
from pytest_compaction.options import LISTING_FLAG, OPTIONS
from pytest_compaction.records.run_file import load_run
from pytest_compaction.session.gate import parse_threshold
from tests.support.readme_blocks import (
    CASES_README,
    README,
    comparison_block,
    dialogue_blocks,
    difficulty,
    in_readme,
    suitability,
    summary_block,
)

WRITE_ANEW = "run PYTHONPATH=tests python -m support.readme_blocks"
TEXT = README.read_text("utf-8")
ROOT = README.parent
SESSIONS = [
    pytest.param(name, id=name.split("/")[0], marks=marks)
    for name, marks in (
        ("claude-code/session.jsonl", ()),
        ("pi-agent/large-session.jsonl", pytest.mark.exhaustive),
    )
]

RUN_BY_CI = {
    "python -m pip install -e . && pytest --compactor=anchored -n 8",
    'python -m pip install -e ".[test]" && pytest tests',
}
RUN_ELSEWHERE = {
    "pytest --compactors",  # tests/reports/test_terminal_summary.py
    "pytest --pyargs pytest_compaction.benchmark --compactor=anchored",  # .ci/run
    # tests/docs/test_bring_your_own.py follows the page "Test your own compactor"
    "pytest --compactor=my_compactor:keep_the_newest --compaction-check",
    "pytest --compactor=my_strategy:FirstLines --compaction-check",
    "pytest --compactor=my_strategy:FirstLines:keep=2,my_strategy:FirstLines:keep=2+ledger",
    "pytest --compactor=my_messages:without_old_results,my_messages:since_the_last_request",
    # in a lane of its own in .ci/run
    "pytest --compactor=langchain_core.messages:trim_messages:token_counter=approximate",
    "pytest --compactor=anchored,anchored+ledger",
    # with a model of another name, against a local server
    "export OPENAI_API_KEY=…",  # tests/models/test_endpoint_runs.py
    "pytest --compactor=none,regenerate,anchored --compaction-model=gpt-5-mini",
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-judge=offline",
    # tests/session/test_estimate.py, test_spending.py, test_replay.py
    "pytest --compactor=anchored,truncate --compaction-model=gpt-5-mini --compaction-estimate",
    "pytest --compactor=anchored,truncate --compaction-model=gpt-5-mini --compaction-max-cost=2",
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-store=calls",
    "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-store=calls "
    "--compaction-replay",
    # below, without pytest around it; tests/dialogues/test_dialogue_items.py,
    # tests/commands/test_dialogues_command.py
    "pytest --compactor=anchored --compaction-cases=mtbench101.jsonl -n 8",
    "pytest-compaction dialogues results/*/results.json result_summary.json mtbench101.jsonl "
    "-o report.md",
    "pytest-compaction dialogues RUN.jsonl",
    # tests/session/snapshots/test_judge_snapshots.py
    "pytest --compactor=anchored --compaction-judge-snapshots --snapshot-update",
    "pytest --compactor=anchored --compaction-judge-snapshots",
    # tests/models/wire/test_server_compaction.py, against a local server
    "OPENAI_BASE_URL=http://localhost:4000/v1 pytest --compactor=anthropic:mode=server:clear=3 "
    "--compaction-model=claude-sonnet",
    "pytest --compactor=recorded,anchored",  # tests/compactors/strategies/test_recorded.py
    "pytest-compaction lint",
    "pytest-compaction show",
}
RUN_HERE = {
    "pytest --compactor=my_compactor:keep_the_newest -n 8 --junitxml=compaction.xml",
    "pytest --compactor=my_compactor:keep_the_newest,truncate",
    "pytest --compactor=none,truncate,regenerate,anchored -n 8",
    "pytest-compaction import session.jsonl -o cases/",
    "pytest-compaction lint cases/",
    "pytest-compaction show cases/session.json --probes",
    "pytest --compactor=none,truncate,anchored --compaction-threshold='overall@anchored>=2'",
}


def code(language, mark=""):
    """Code blocks of a language whose text holds ``mark``."""
    found = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return [block for block in found if mark in block]


def run_file(pytester):
    (file,) = pytester.path.joinpath(".pytest_compaction/runs").glob("*.jsonl")
    return file


def options_of(command):
    return shlex.split(command)[1:]


def test_every_command_shown_is_run_by_ci_or_by_a_test_of_this_module():
    shown = {line for block in code("console") for line in block.splitlines() if line.strip()}
    shown |= {line.removeprefix("- run: ") for line in code("yaml")[0].splitlines()}
    inline = re.findall(r"`(pytest(?:-compaction)?\s[^`]+)`", TEXT)
    shown |= {" ".join(command.split()) for command in inline}
    assert shown == RUN_BY_CI | RUN_HERE | RUN_ELSEWHERE
    ci = (ROOT / ".ci/run").read_text("utf-8")
    assert all(command in ci for command in RUN_BY_CI)
    assert "pytest --pyargs pytest_compaction.benchmark --compactor=anchored" in ci
    assert "WITH_LANGCHAIN=1 pytest tests/docs/test_bring_your_own.py" in ci
    assert "--compactors" in (ROOT / "tests/reports/test_terminal_summary.py").read_text("utf-8")


def test_the_figures_shown_first_are_those_measured():
    assert in_readme(TEXT, "summary") == summary_block(), WRITE_ANEW


@pytest.mark.exhaustive
def test_the_comparison_shown_is_the_one_measured():
    shown = in_readme(TEXT, "comparison")
    assert shown == comparison_block(), WRITE_ANEW


def test_rows_of_the_table_on_dialogues_are_those_measured():
    """A row depends on the dialogues of its task alone; all rows are in the next test."""
    tasks = ("FR", "SA", "GR")
    (found,) = evaluations(MT_BENCH, [("anchored", "case")], tasks)
    _, heads, *rows = suitability(found).splitlines()
    shown = [line.split() for line in in_readme(TEXT, "suitability").splitlines()]
    assert shown[1] == heads.split()
    assert [row for row in shown if row[0] in tasks] == [row.split() for row in rows]


@pytest.mark.exhaustive
def test_the_figures_on_dialogues_are_those_measured():
    for name, block in dialogue_blocks().items():
        assert in_readme(TEXT, name) == block, WRITE_ANEW
    anchored, adaptive, _ = (item.whole for item in of_mt_bench())
    tools = of_tau_bench()[0].whole
    state = anchored.in_force
    said = " ".join(TEXT.split())
    for sentence in (
        f"Of {anchored.dialogues:,} a summary was ever in force in {state.some}; "
        f"{state.none - state.paid} are too short for one",
        f"and in {state.paid} summaries were paid for and none could be used",
        f"{tools.dialogues} of an airline agent",
        f"with {tools.mean_prompt:,.0f} prompt tokens each",
        f"that loses {-adaptive.spending.net_savings:.1%} net in place of "
        f"{-anchored.spending.net_savings:.1%}".replace("%", " %"),
    ):
        assert sentence in said, sentence


@pytest.mark.exhaustive
def test_the_difficulty_of_the_cases_is_as_measured():
    shown = in_readme(CASES_README.read_text("utf-8"), "cases")
    assert shown == difficulty(), WRITE_ANEW


def test_every_option_is_in_the_reference():
    shown = set(re.findall(r"^\| `(--[\w-]+)", TEXT, re.MULTILINE))
    assert shown == {option.flag for option in OPTIONS} | {LISTING_FLAG}


def test_a_compactor_of_ones_own_runs_beside_a_known_one(pytester):
    (source,) = code("python", "# my_compactor.py")
    pytester.makepyfile(my_compactor=source)
    command = "pytest --compactor=my_compactor:keep_the_newest,truncate"
    case = f"--compaction-cases={ROOT / 'cases/debugging/lease_queue.json'}"
    result = pytester.runpytest_subprocess(*options_of(command), case, "-q", "--tb=no")
    result.stdout.fnmatch_lines(["my_compactor:kee*[0-9].[0-9][0-9]*", "truncate *"])
    statuses = {record["status"] for record in load_run(run_file(pytester)).records}
    assert statuses == {"passed", "failed"}


@pytest.mark.exhaustive
def test_the_command_of_the_workflow_writes_scores_for_the_ci(pytester):
    (source,) = code("python", "# my_compactor.py")
    pytester.makepyfile(my_compactor=source)
    (command,) = (line.removeprefix("- run: ") for line in code("yaml")[0].splitlines())
    case = ROOT / "cases/debugging/lease_queue.json"
    options = [*options_of(command), f"--compaction-cases={case}", "-q", "--tb=no"]
    pytester.runpytest_subprocess(*options)
    written = (pytester.path / "compaction.xml").read_text("utf-8")
    assert written.count('name="compaction.overall"') == len(load_cases([case]).cases[0].probes)


@pytest.mark.exhaustive
def test_the_comparison_runs_over_all_workers(pytester):
    case = ROOT / "cases/debugging/lease_queue.json"
    command = "pytest --compactor=none,truncate,regenerate,anchored -n 8"
    options = [*options_of(command), f"--compaction-cases={case}", "-q", "--tb=no"]
    result = pytester.runpytest_subprocess(*options)
    result.stdout.fnmatch_lines(["compactor *", "none *", "truncate *", "regenerate *"])
    result.stdout.fnmatch_lines(["anchored *"])


def test_the_case_shown_can_be_used(tmp_path):
    (source,) = code("json")
    (tmp_path / "port.json").write_text(source, "utf-8")
    loaded = load_cases([tmp_path])
    assert not loaded.errors
    assert [case.id for case in loaded.cases] == ["port_change"]


def test_the_thresholds_shown_can_be_read():
    (source,) = code("toml", "compaction_threshold")
    thresholds = tomllib.loads(source)["tool"]["pytest"]["compaction_threshold"]
    assert len([parse_threshold(text) for text in thresholds]) == 4


def test_a_test_of_ones_own_over_cases_runs(pytester):
    (source,) = code("python", "# test_no_secrets.py")
    (case,) = code("json")
    pytester.makepyfile(test_no_secrets=source)
    pytester.mkdir("cases").joinpath("port.json").write_text(case, "utf-8")
    options = ["--compactor=none,truncate", "test_no_secrets.py", "-p", "no:cacheprovider"]
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=2)
    pytester.runpytest_inprocess("test_no_secrets.py").assert_outcomes(deselected=1)


def test_the_five_lines_are_those_of_the_benchmark():
    (shown,) = code("python", "def test_probe")
    real = (ROOT / "cases/test_probes.py").read_text("utf-8")
    assert [line.split("#")[0].strip() for line in shown.strip().splitlines()] == [
        line.split("#")[0].strip() for line in real[real.index("def test_probe") :].splitlines()
    ]


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_of_ones_own_is_imported_checked_and_gated(pytester, session):
    pytester.path.joinpath("session.jsonl").write_bytes(public_data(session).read_bytes())
    (block,) = code("console", "pytest-compaction import session.jsonl")
    *prepare, measure = block.strip().splitlines()
    for command in prepare:
        assert pytester.run(*shlex.split(command)).ret == 0
    assert json.loads(Path(pytester.path, "cases/session.json").read_text("utf-8"))["probes"]
    result = pytester.runpytest_subprocess(*options_of(measure), "-q", "--tb=no")
    result.stdout.fnmatch_lines(["compactor *", "none *", "truncate *", "anchored *"])
    result.stdout.fnmatch_lines(["GATE PASSED overall@anchored *"])
    assert result.ret == 0
