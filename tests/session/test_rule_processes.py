"""Runs whose rules work in processes of their own."""

import sqlite3
from contextlib import closing

import pytest
from support.counting_endpoint import counting
from support.endpoint_project import EndpointProject
from support.scenarios import case, lean, run_files, set_up, write_cases

from pytest_compaction.cache.kept_results import RESULTS_FILE

USED = """
import threading
import pytest
from pytest_compaction.rule_processes import pool

pool.HERE_FIRST = 0

@pytest.fixture(autouse=True)
def used():
    yield
    if any(thread.name == "compaction-rules" for thread in threading.enumerate()):
        with open("used.txt", "a") as file:
            file.write("used\\n")
"""
"""A conftest that has the first call made elsewhere, and notes where processes are used."""
SPEC = "--compactor=regenerate,said-only"


@pytest.fixture
def project(pytester):
    set_up(pytester)
    write_cases(pytester, *(case(id, budget=150) for id in ("first", "second", "third")))
    pytester.makeconftest(USED)
    return pytester


def records(project, number, *arguments):
    """The bytes of a run with so many processes in a folder without kept results."""
    used = project.path / "used.txt"
    used.unlink(missing_ok=True)
    (project.path / RESULTS_FILE).unlink(missing_ok=True)
    result = project.runpytest_subprocess(
        *lean(), "-n0", f"--compaction-processes={number}", *arguments
    )
    assert result.ret in (0, 1)
    assert used.exists() == (number > 0)
    return run_files(project)[-1].read_bytes()


@pytest.mark.exhaustive
def test_records_are_the_same_however_many_processes_work(project):
    assert records(project, 0, SPEC) == records(project, 1, SPEC) == records(project, 3, SPEC)


def kept(project):
    """The keys of the figures that the last run kept."""
    with closing(sqlite3.connect(project.path / RESULTS_FILE)) as database:
        return {
            key for (key,) in database.execute("SELECT key FROM results WHERE body LIKE '%nulls%'")
        }


@pytest.mark.exhaustive
def test_what_processes_found_is_kept_for_the_next_run(project):
    records(project, 0, SPEC)
    wanted = kept(project)
    assert len(wanted) == 24
    records(project, 2, SPEC)
    assert kept(project) == wanted


def test_requests_to_a_model_are_the_same_however_many_processes_work(pytester, monkeypatch):
    project = EndpointProject(pytester, monkeypatch)
    pytester.makeconftest(USED.replace("pool.HERE_FIRST = 0", ""))
    with counting() as endpoint:
        project.run(endpoint, "-n0", "--compaction-processes=0", "-k", "c00 or c01 or c02 or c03")
        without = sorted(endpoint.begun)
        endpoint.begun.clear()
        project.run(
            endpoint,
            "-n0",
            "--compaction-refresh",
            "--compaction-processes=2",
            "-k",
            "c00 or c01 or c02 or c03",
        )
        assert sorted(endpoint.begun) == without
        assert (project.path / "used.txt").exists()
    first, second = (path.read_text().splitlines()[1:] for path in run_files(pytester))
    assert [line.split('"latency_s"')[0] for line in first] == [
        line.split('"latency_s"')[0] for line in second
    ]
