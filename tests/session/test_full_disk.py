"""A full or read-only disk: said at the start, and later it costs neither summary nor gate."""

import re

import pytest
from support.file_limit import FAULT, IN_CONFTEST, files_of
from support.scenarios import last_line, refused, run, run_files, set_up
from support.worker_counts import BOTH

from pytest_compaction.records import load_run

ROOM = 10_000
"""Bytes that hold some of the eight records, and no page."""


@pytest.fixture
def project(pytester):
    set_up(pytester)
    return pytester


@pytest.fixture
def filling(project):
    """A project in which files cannot grow any more once the run has begun."""
    with (project.path / "conftest.py").open("a") as conftest:
        conftest.write(IN_CONFTEST.format(size=ROOM))
    return project


def leftovers(project):
    """Temporary files that were left behind."""
    return [path for path in project.path.rglob("*") if path.name.endswith(".tmp")]


def test_a_folder_of_runs_without_room_or_that_is_a_file_ends_the_run_before_it_starts(project):
    (project.path / "taken").write_text("")
    said = refused(run(project, "--compaction-runs=taken"))
    assert "--compaction-runs=taken: cannot write in this folder: " in said
    with files_of(1000):
        said = refused(run(project))
    assert f"=.pytest_compaction/runs: cannot write in this folder: {FAULT}" in said
    assert not leftovers(project)


def test_a_report_without_room_ends_the_run_before_it_starts(project):
    (project.path / ".pytest_compaction/runs").mkdir(parents=True)
    with files_of(100_000):
        assert run(project, "--compaction-report=r.csv").ret == pytest.ExitCode.OK
    with files_of(1000):
        assert "cannot write" in refused(run(project, "--compaction-report=r.csv"))
    assert not leftovers(project)


@BOTH
def test_a_disk_that_gets_full_leaves_summary_and_gate_and_makes_the_run_red(filling, workers):
    reports = [f"--compaction-report=report{suffix}" for suffix in (".html", ".csv")]
    accept = ("--compaction-baseline=accepted.json", "--compaction-baseline-update")
    result = run(filling, workers, *reports, *accept, "--compaction-threshold=overall>=1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in f"{result.stdout}{result.stderr}"
    result.stdout.fnmatch_lines(["*= compaction =*", "*Pass^1  100.0% (8 of 8 items)"])
    (line,) = [line for line in result.outlines if "; free some room or name another" in line]
    missing = int(re.match(rf"(\d) of 8 records could not be written: {FAULT}", line)[1])
    assert 0 < missing < 8
    result.stdout.fnmatch_lines(
        [
            f"report: report.html was not written: {FAULT}",
            "report: report.csv",
            "ERROR compaction::run-file *",
        ]
    )
    assert last_line(result) == (
        "GATE FAILED 1 failed for another reason than the score · on 8 of 8 items"
    )
    assert result.parseoutcomes()["passed"] == 8 + 1, "the threshold is decided"
    kept = load_run(run_files(filling)[-1])
    assert not kept.problems
    assert len(kept.records) == 8 - missing
    assert not leftovers(filling)


def test_a_shard_whose_file_is_not_whole_is_red(filling):
    result = run(filling, "--compaction-shard=1/1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    said = f"SHARD 1/1 UNFINISHED its file could not be written: {FAULT}; *"
    result.stdout.fnmatch_lines([said])


@pytest.mark.parametrize("place", ["runs/views", "runs/logs", "index", "results"])
def test_a_place_beside_the_run_that_cannot_be_written_costs_no_result(project, place):
    taken = project.path / ".pytest_compaction" / place
    taken.parent.mkdir(parents=True, exist_ok=True)
    taken.write_text("")
    result = run(project)
    assert result.ret == pytest.ExitCode.OK
    assert len(load_run(run_files(project)[-1]).records) == 8
