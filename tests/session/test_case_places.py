"""Where the cases of a run are, and that none is measured or left out in silence."""

import json
import os

import pytest
from support.scenarios import case, last_line, records, run, set_up, set_up_with, write_cases
from support.worker_counts import BOTH

from pytest_compaction.session import named_files

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
GATE = "--compaction-threshold=overall>=1"


@pytest.fixture
def shipped(monkeypatch, tmp_path_factory):
    """Stands for the cases of the package, which take long to measure."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "of-the-package.json").write_text(json.dumps(case("of-the-package")), "utf-8")
    monkeypatch.setattr(named_files, "shipped_cases", lambda: folder)
    return folder


def measured(pytester):
    return {record["case"] for record in records(pytester).records}


def without_cases(pytester):
    return set_up_with(pytester)


def unrelated(pytester):
    place = without_cases(pytester)
    (place / "court.json").write_text('{"docket": 7}')
    (place / "rows.jsonl").write_text('{"docket": 7}\n[8]\n')
    (place / "test_courts.py").write_text("def test_court(): pass\n")


def link_to_nothing(pytester):
    without_cases(pytester).rmdir()
    (pytester.path / "cases").symlink_to("gone")


def a_file(pytester):
    without_cases(pytester).rmdir()
    (pytester.path / "cases").write_text("")


OTHERS = {
    "the folder cases holds no case file": without_cases,
    "the folder cases holds no case file ": unrelated,
    "cases is no folder": a_file,
    "cases is a link to a folder that is not there": link_to_nothing,
}


@pytest.mark.parametrize("said", OTHERS)
def test_the_shipped_cases_are_named_in_header_and_gate_and_what_was_not_read_is_said(
    pytester, shipped, said
):
    OTHERS[said](pytester)
    result = run(pytester, GATE)
    result.stdout.fnmatch_lines(["compaction: * | 1 shipped case, 4 probes | *"])
    assert f"compaction: {said.strip()}" in result.outlines
    assert result.ret == OK
    assert last_line(result) == (
        "GATE PASSED overall 5.00 >= 1.00 · on 4 of 4 items of the shipped cases · "
        "0 items below 3.5"
    )
    assert measured(pytester) == {"of-the-package"}


@pytest.mark.parametrize(
    "configured",
    [
        "compaction_threshold = overall>=1",
        "compaction_baseline = main.json",
        "addopts = --compaction-threshold=overall>=1",
    ],
)
def test_a_gate_of_the_configuration_needs_cases_that_are_named_or_the_projects_own(
    pytester, shipped, configured
):
    (without_cases(pytester)).rmdir()
    write_cases(pytester, case(), folder="mine")
    ini = pytester.path / "pytest.ini"
    ini.write_text(f"[pytest]\n{configured}\n")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = str(result.stderr)
    assert "the configuration of this project has a gate (compaction_" in said
    if "baseline" in configured:
        return
    ini.write_text(f"[pytest]\n{configured}\ncompaction_cases = shipped\n")
    result = run(pytester)
    assert (result.ret, measured(pytester)) == (OK, {"of-the-package"})
    ini.write_text(f"[pytest]\n{configured}\ncompaction_cases = mine\n")
    result = run(pytester)
    assert (result.ret, measured(pytester)) == (OK, {"first"})
    assert "shipped" not in str(result.stdout)


@BOTH
def test_cases_in_linked_folders_and_with_capital_suffixes_are_measured(pytester, shipped, workers):
    place = without_cases(pytester)
    write_cases(pytester, case("linked"), folder="elsewhere")
    (place / "far").symlink_to(pytester.path / "elsewhere")
    (place / "far" / "back").symlink_to(place)
    (place / "X.JSON").write_text(json.dumps(case("loud")))
    (place / "Y.JSONL").write_text(json.dumps(case("line")) + "\n")
    result = run(pytester, workers, GATE)
    assert (result.ret, measured(pytester)) == (OK, {"linked", "loud", "line"})


def test_a_case_that_cannot_be_read_is_red_and_what_is_passed_over_is_said(pytester, shipped):
    place = set_up(pytester, "first")
    (place / "gone.json").symlink_to("nowhere")
    for name in (".draft.json", "old.json.bak", "notes.txt", "rows.ndjson"):
        (place / name).write_text(json.dumps(case("draft")))
    write_cases(pytester, case("hidden"), folder="cases/.later")
    (place / "__snapshots__").mkdir()
    (place / "__snapshots__" / "judge.json").write_text("{}")
    result = run(pytester, GATE)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "compaction: not read as cases, hidden or without the suffix .json or .jsonl: "
            "cases/.draft.json, cases/.later/hidden.json, cases/old.json.bak and 1 more",
            "case file cases/gone.json cannot be used:",
            "*a link to a file that is not there; expected a file or folder that",
        ]
    )
    assert measured(pytester) == {"first"}


def test_pipes_devices_and_folders_named_like_cases_neither_hang_nor_hide_one(pytester, shipped):
    place = set_up(pytester, "first")
    os.mkfifo(place / "pipe.json")
    (place / "zero.json").symlink_to("/dev/zero")
    write_cases(pytester, case("inner"), folder="cases/x.json")
    twice = ["--compaction-cases=cases", "--compaction-cases=cases/first.json"]
    for named in ([], twice):
        result = run(pytester, GATE, *named)
        assert result.ret == FAILED
        assert measured(pytester) == {"first", "inner"}
        for name in ("pipe", "zero"):
            result.stdout.fnmatch_lines([f"case file cases/{name}.json cannot be used:"])


@pytest.mark.parametrize("broken", ["{", "", '{"messages": 3}', '{"id": "x", "probes": []}'])
def test_a_folder_of_broken_cases_is_the_projects_own_and_red(pytester, shipped, broken):
    place = without_cases(pytester)
    (place / "mine.json").write_text(broken)
    result = run(pytester, GATE)
    assert result.ret == FAILED
    assert "shipped" not in str(result.stdout)
    result.stdout.fnmatch_lines(["case file cases/mine.json cannot be used:"])
    assert last_line(result).startswith("GATE FAILED overall: nothing was measured")
