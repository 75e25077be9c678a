"""Files that a run writes when it ends: which, when, by whom; and what CI services read of it."""

import csv
import json
import os
from importlib import resources
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from support.dialogue_project import TALKS, project
from support.scenarios import last_line, own, records, run, set_up
from support.worker_counts import BOTH

from pytest_compaction.folders import write_whole
from pytest_compaction.reports import files as report_file
from pytest_compaction.reports.json_report import SCHEMA

VALIDATOR = Draft202012Validator(
    json.loads(resources.files("pytest_compaction.reports").joinpath(SCHEMA).read_text("utf-8"))
)
FORMS = ("md", "json", "csv")
HALF = "forget_limit"
"""A strategy of which half of the items are below the pass score."""


def reports(*names):
    return [f"--compaction-report={name}" for name in names]


@BOTH
def test_every_form_is_written_once_by_the_process_that_the_user_started(pytester, workers):
    set_up(pytester)
    names = [f"out/run.{form}" for form in FORMS]
    result = run(pytester, workers, *reports(*names), compactor=HALF)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"report: {name}" for name in names])
    assert str(result.stdout).count("report: out/run.md") == 1
    assert sorted(path.name for path in (pytester.path / "out").iterdir()) == sorted(
        f"run.{form}" for form in FORMS
    )
    data = json.loads((pytester.path / "out/run.json").read_text("utf-8"))
    assert [item["status"] for item in data["items"]].count("failed") == 4
    with (pytester.path / "out/run.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 8


@pytest.mark.exhaustive
def test_any_number_of_workers_writes_the_same_bytes(pytester):
    set_up(pytester)
    found = []
    for workers in ("-n0", "-n2"):
        run(pytester, workers, *reports("a.md", "a.json", "a.csv"), compactor=HALF)
        texts = [(pytester.path / f"a.{form}").read_text("utf-8") for form in FORMS]
        found.append([text.replace("0002-", "0001-") for text in texts])
    assert found[0] == found[1]


def test_the_json_has_the_decision_of_the_gate(pytester):
    set_up(pytester)
    result = run(
        pytester, *reports("a.json"), "--compaction-threshold=overall>=3.5", compactor=HALF
    )
    gate = json.loads((pytester.path / "a.json").read_text("utf-8"))["gate"]
    assert (gate["outcome"], gate["line"]) == ("failed", last_line(result))
    (rule,) = gate["rules"]
    assert (rule["rule"], rule["outcome"], rule["interval"]) == (
        "overall>=3.5",
        "failed",
        None,
    )


def test_a_run_that_was_stopped_has_reports_that_say_so(pytester):
    set_up(pytester)
    given = ["-x", "--compaction-judge=has_a_bug", "--compaction-threshold=overall>=1"]
    run(pytester, *given, *reports("a.json", "a.md"))
    data = json.loads((pytester.path / "a.json").read_text("utf-8"))
    assert (data["run"]["complete"], data["gate"]["outcome"]) == (False, "undecided")
    assert data["run"]["items"] == 1
    assert "was stopped before all items ran" in (pytester.path / "a.md").read_text("utf-8")


@pytest.mark.parametrize("instead", ["--collect-only", "--compaction-estimate", "--compactors"])
def test_where_nothing_runs_nothing_is_written(pytester, instead):
    set_up(pytester)
    run(pytester, instead, *reports("a.md"))
    assert not (pytester.path / "a.md").exists()


def test_reports_are_written_without_a_summary_and_without_a_terminal(pytester):
    set_up(pytester, "first")
    for number, option in enumerate(("--no-summary", "-pno:terminal")):
        run(pytester, option, *reports(f"{number}.csv"))
        assert (pytester.path / f"{number}.csv").exists()


def test_a_shard_has_reports_without_a_decision(pytester):
    set_up(pytester)
    given = ["--compaction-shard=1/1", "--compaction-threshold=overall>=5"]
    run(pytester, *given, *reports("a.json"), compactor=HALF)
    data = json.loads((pytester.path / "a.json").read_text("utf-8"))
    assert data["gate"] == {"outcome": "none", "line": None, "rules": []}
    assert data["run"]["shard"] == {"index": 1, "count": 1}


@pytest.mark.parametrize(
    ("name", "why"),
    [("file/out.md", "*"), ("folder.md", "it is a folder"), ("fifo.md", "it is not a file")],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_item_runs(pytester, name, why):
    set_up(pytester)
    (pytester.path / "file").write_text("")
    (pytester.path / "folder.md").mkdir()
    os.mkfifo(pytester.path / "fifo.md")
    result = run(pytester, *reports(name), compactor="counted")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--compaction-report={name}: cannot write this file: {why}*"])
    assert not (pytester.path / "calls.log").exists()


def test_a_report_that_is_interrupted_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "out.md"
    path.write_text("old")

    def breaks(self, data):
        with self.open("wb") as file:
            file.write(data[:3])
        raise KeyboardInterrupt

    monkeypatch.setattr(type(path), "write_bytes", breaks)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"a new report")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_leads_to_the_new_report(tmp_path):
    target, link = tmp_path / "real.md", tmp_path / "link.md"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (KeyError("facts"), "please report this fault, KeyError: 'facts'"),
    ],
)
def test_a_report_that_could_not_be_written_in_the_end_makes_a_green_run_red(
    pytester, monkeypatch, error, said
):
    set_up(pytester, "first")

    def fails(run):
        raise error

    monkeypatch.setitem(report_file.FORMS, ".md", fails)
    given = [*reports("a.md", "a.csv"), "--compaction-threshold=overall>=1"]
    result = run(pytester, *given)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"report: a.md was not written: {said}", "report: a.csv"])
    assert result.parseoutcomes()["errors"] == 1
    result.stdout.fnmatch_lines(["ERROR compaction::report=a.md - report=a.md: was not written*"])
    assert last_line(result).startswith("GATE PASSED")
    assert not (pytester.path / "a.md").exists()


# --- GitHub Actions ------------------------------------------------------------------


@BOTH
def test_the_summary_of_a_job_gets_the_run_once(pytester, monkeypatch, workers):
    set_up(pytester)
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run(pytester, workers, "--compaction-threshold=overall>=3", compactor=HALF)
    text = summary.read_text("utf-8")
    assert text.count("# compaction: strategies:forget\\_limit") == 1
    assert "❌ **GATE FAILED overall 2.50 \\< 3.00 · on 8 of 8 items**" in text


def test_a_summary_that_cannot_be_written_is_a_line_and_no_error(pytester, monkeypatch):
    set_up(pytester, "first")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "none/summary.md"))
    result = run(pytester)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["GITHUB_STEP_SUMMARY was not written: No such file or directory"])


@BOTH
def test_a_failed_gate_is_one_workflow_command(pytester, monkeypatch, workers):
    set_up(pytester)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = run(pytester, workers, "--compaction-threshold=overall>=3", compactor=HALF)
    commands = [line for line in result.outlines if line.startswith("::")]
    assert commands == [
        "::error title=compaction%3A strategies%3Aforget_limit::GATE FAILED overall 2.50 < 3.00 · "
        "on 8 of 8 items"
    ]


def test_a_passed_gate_and_another_service_get_no_command(pytester, monkeypatch):
    set_up(pytester)
    failing = ["--compaction-threshold=overall>=3"]
    assert "::error" not in str(run(pytester, *failing, compactor=HALF).stdout)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    passing = ["--compaction-threshold=overall>=1"]
    assert "::error" not in str(run(pytester, *passing, compactor=HALF).stdout)


# --- JUnit ---------------------------------------------------------------------------


def properties(node):
    return {one.get("name"): one.get("value") for one in node.findall("properties/property")}


def suite_of(path):
    """The properties of the suite and of each test, by name."""
    (suite,) = ElementTree.parse(path).getroot()
    cases = {case.get("name"): properties(case) for case in suite.iter("testcase")}
    return properties(suite), dict(sorted(cases.items()))


def junit(pytester, workers):
    set_up(pytester)
    given = [f"--compactor={own(HALF)},none", "--compaction-threshold=overall>=3"]
    run(pytester, workers, *given, "--junitxml=out.xml", compactor=None)
    return suite_of(pytester.path / "out.xml")


@pytest.mark.exhaustive
def test_junit_is_the_same_with_any_number_of_workers(pytester):
    assert junit(pytester, "-n0") == junit(pytester, "-n2")


def test_junit_has_the_figures_of_the_run_and_of_each_item(pytester, snapshot):
    suite, cases = junit(pytester, "-n0")
    assert cases.pop("overall>=3") == {}
    assert len(cases) == 16
    assert all("compaction.kind" in found for found in cases.values())
    assert suite == snapshot(name="suite")
    assert cases[f"test_probe[{own(HALF)}-first-limit]"] == snapshot(name="item")


@BOTH
def test_junit_has_no_record_of_an_item_that_went_wrong_in_its_teardown(pytester, workers):
    set_up(pytester, "first")
    pytester.path.joinpath("cases/test_later.py").write_text(
        "import pytest\n\n"
        "@pytest.fixture\ndef later():\n    yield\n    raise ValueError('later')\n\n"
        "def test_probe(case, probe, compactor, judge, later):\n"
        "    judge(probe, compactor(case).ask(probe))\n"
    )
    run(pytester, workers, "--junitxml=out.xml")
    _, cases = suite_of(pytester.path / "out.xml")
    assert cases
    for found in cases.values():
        assert found["compaction.status"] == "passed"
        assert "compaction" not in found
    assert {item["error"]["phase"] for item in records(pytester).records} == {"teardown"}


# --- a baseline ----------------------------------------------------------------------


def test_what_got_worse_than_the_baseline_stands_in_the_reports(pytester):
    set_up(pytester, "first", "second", "third")
    mine = pytester.path / "mine.py"
    mine.write_text(
        "def compact(messages, budget):\n"
        "    return [{**messages[0], 'content': 'Raise it.'}, *messages[1:]]\n"
    )
    run(pytester, "--compactor=mine:compact", compactor=None)
    mine.write_text(
        "def compact(messages, budget):\n"
        "    return [m for m in messages if '45' not in str(m.get('content'))]\n"
    )
    given = ["--compaction-baseline=.pytest_compaction/runs", "--compaction-max-newly-gone=0"]
    given += reports("a.json", "a.md")
    result = run(pytester, "--compactor=mine:compact", *given, compactor=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    data = json.loads((pytester.path / "a.json").read_text("utf-8"))
    VALIDATOR.validate(data)
    assert data["gate"]["outcome"] == "failed"
    (found,) = data["baselines"]
    assert found["differences"]["overall"]["difference"]["value"] == -2.5
    assert found["items"]["newly_below"] == 6
    rules = {rule["rule"]: rule["outcome"] for rule in data["gate"]["rules"]}
    assert rules["overall vs runs: drop<=0.1"] == "inconclusive"
    assert rules["artifact vs runs: drop<=0.1"] == "passed"
    text = (pytester.path / "a.md").read_text("utf-8")
    assert "## Against the baseline" in text
    assert "6 newly below 3.5, 0 recovered." in text


# --- runs that have little to tell ---------------------------------------------------

ALL = ("a.html", "a.md", "a.json", "a.csv")


@pytest.mark.parametrize(
    "given",
    [
        ["-k", "nowhere"],
        ["--compaction-judge=refuses"],
        ["--compaction-cases=cases/first.json"],
        ["--compaction-responder=echo"],
    ],
    ids=["empty", "unscored", "one case", "full of escapes"],
)
def test_every_form_is_made_of_a_run_with_little_to_tell_and_is_harmless(pytester, given):
    set_up(pytester)
    result = run(pytester, *given, *reports(*ALL), compactor=HALF)
    result.stdout.fnmatch_lines([f"report: {name}" for name in ALL])
    assert "was not written" not in str(result.stdout)
    assert not any("\x1b" in (pytester.path / name).read_text("utf-8") for name in ALL)


def test_every_form_is_made_of_a_run_of_dialogues(pytester):
    project(pytester)
    result = run(pytester, TALKS, *reports(*ALL), compactor="forget")
    result.stdout.fnmatch_lines([f"report: {name}" for name in ALL])
    data = json.loads((pytester.path / "a.json").read_text("utf-8"))
    VALIDATOR.validate(data)
    assert {item["type"] for item in data["items"]} == {"dialogue"}
    assert all(item["consistency"] is not None for item in data["items"])
    assert "Response quality by task" in (pytester.path / "a.md").read_text("utf-8")
