"""Workers that all die: the run ends, is red, and every item is accounted for."""

import re

import pytest
from support.scenarios import lean, run_files, set_up

DEADLY = """
import os
import time


def kills(messages, budget):
    os._exit(7)


def waits(messages, budget):
    time.sleep(60)
"""
TIME_LIMIT = """
import os
import threading

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    timer = threading.Timer(0.2, os._exit, (1,))
    timer.start()
    try:
        return (yield)
    finally:
        timer.cancel()
"""
"""Ends the process after a while, as a plugin does whose time limit works by a thread."""
ITEMS = 8


@pytest.fixture
def project(pytester):
    set_up(pytester)
    pytester.makepyfile(deadly=DEADLY)
    return pytester


def accounted(result):
    """How many items failed with a worker, and how many had none, after a look at the rest."""
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in f"{result.stdout}{result.stderr}"
    found = result.parseoutcomes()
    assert found.keys() <= {"failed", "errors", "error"}
    assert sum(found.values()) == ITEMS
    return found["failed"], ITEMS - found["failed"]


def run(project, *arguments, compactor="kills"):
    return project.runpytest_subprocess(*lean(), f"--compactor=deadly:{compactor}", *arguments)


def test_items_that_no_worker_is_left_for_are_errors_with_the_reason(project):
    (project.path / "pytest.ini").write_text("[pytest]\njunit_family = xunit2\n")
    result = run(project, "-n2", "--max-worker-restart=0", "--junitxml=junit.xml")
    failed, unrun = accounted(result)
    assert (failed, unrun) == (2, 6)
    reason = "not run: gw[01] died before, and no other worker was started for it; .*"
    assert sum(bool(re.fullmatch(reason, line)) for line in result.outlines) == unrun
    result.stdout.fnmatch_lines(["*_ test_probe[[]deadly:kills-first-decided[]] _*"])
    assert (project.path / "junit.xml").read_text().count("<testcase ") == ITEMS
    assert not run_files(project), "nothing was measured"


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("restarts", [0, 1, None])
@pytest.mark.parametrize("compactor", ["kills", "waits"])
def test_a_run_in_which_every_worker_dies_ends(project, workers, restarts, compactor):
    if compactor == "waits":
        with (project.path / "conftest.py").open("a") as conftest:
            conftest.write(TIME_LIMIT)
    most = () if restarts is None else (f"--max-worker-restart={restarts}",)
    failed, _ = accounted(run(project, f"-n{workers}", *most, compactor=compactor))
    assert failed >= min(workers, 2)
    if restarts is None:
        assert failed == ITEMS


@pytest.mark.exhaustive
def test_a_check_in_which_every_worker_dies_accounts_for_its_items(project):
    result = run(project, "-n2", "--compaction-check", "--max-worker-restart=0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    collected = int(re.search(r"2 workers \[(\d+) items\]", str(result.stdout))[1])
    assert sum(result.parseoutcomes().values()) == collected
