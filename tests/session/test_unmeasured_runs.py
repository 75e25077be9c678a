"""A run of which something that was to be measured was not is never green with a gate."""

import pytest
from support.scenarios import last_line, lean, run, set_up

from pytest_compaction.checking import INVARIANTS

GATE = "--compaction-threshold=overall>=1"
LEAVES = """
import pytest


def {hook}():
    pytest.exit("enough", returncode=0)
"""
TAKES_OVER = """
def pytest_runtest_protocol(item):
    return True if "{part}" in item.name else None
"""
REFUSES = """
from strategies import asked_about


class Third:
    made = 0

    def __init__(self):
        Third.made += 1
        if Third.made > 1:
            raise SystemExit(0)

    def __call__(self, messages, budget):
        return asked_about(messages)
"""


@pytest.fixture
def project(pytester):
    set_up(pytester)
    pytester.syspathinsert()
    return pytester


@pytest.mark.parametrize("hook", ["pytest_collection_modifyitems", "pytest_runtest_logreport"])
def test_a_run_that_is_left_with_0_before_its_gate_decides_is_red(project, hook):
    project.makepyfile(leaves=LEAVES.format(hook=hook))
    undecided(run(project, "-pleaves", GATE))


def test_a_run_with_workers_that_is_left_with_0_is_red(project):
    project.makeconftest(LEAVES.format(hook="pytest_runtest_logreport"))
    undecided(run(project, "-n2", GATE))


def undecided(result):
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["UNDECIDED the run was stopped before all items ran *"])


@pytest.mark.parametrize("arguments", [[], ["-pno:xdist"]], ids=" ".join)
def test_items_that_a_plugin_takes_over_in_silence_are_errors(project, arguments):
    project.makepyfile(takes=TAKES_OVER.format(part="second"))
    result = run(project, "-ptakes", GATE, *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["not run, or its report was withheld: a plugin or a conftest.py*"])
    result.assert_outcomes(errors=4, passed=4 + 1)
    assert last_line(result).startswith("GATE FAILED 4 failed for another reason than the score")


def test_invariants_that_a_plugin_takes_over_in_silence_are_errors(project):
    project.makepyfile(takes=TAKES_OVER.format(part="never-larger"))
    some = ("--compaction-examples=1", "-k", "never-larger or partition")
    result = run(project, "-ptakes", "--compaction-check", *some)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    # The other one held over three compactions of a strategy that keeps nearly everything.
    result.assert_outcomes(errors=1, failed=1, deselected=len(INVARIANTS) - 2)


def test_a_strategy_that_can_be_made_only_so_often_fails_its_own_items(project):
    project.makepyfile(third=REFUSES)
    command = (*lean(), "--compactor=third:Third", GATE)
    result = project.runpytest_inprocess(*command)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in f"{result.stdout}{result.stderr}"
    assert "SystemExit: 0" in str(result.stdout)
    assert result.parseoutcomes()["failed"] >= 4
