"""A strategy of one's own, which runs in a child process, among plugins of others.

Each test needs a plugin that the tests do not install; a lane of .ci/run does.
"""

import re
from importlib.util import find_spec

import pytest
from support.scenarios import lean, own, records, set_up

KEEP = own("keep")
GATE = "--compaction-threshold=overall>=1"
SLOW = """
import time


def sleeps(messages, budget):
    time.sleep(60)
"""


def needs(module):
    return pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is not installed")


@pytest.fixture
def run(pytester):
    set_up(pytester)
    pytester.makepyfile(slow=SLOW)

    def run(*arguments, compactor=KEEP):
        return pytester.runpytest_subprocess(*lean(), f"--compactor={compactor}", *arguments)

    return run


@needs("pytest_cov")
@pytest.mark.parametrize("workers", ["-n0", "-n2"])  # the lane of plugins runs both
def test_coverage_is_measured_in_the_child_and_may_fail_the_run(run, workers):
    short = run(workers, GATE, "--cov=strategies", "--cov-fail-under=95")
    assert short.ret == pytest.ExitCode.TESTS_FAILED
    short.stdout.fnmatch_lines(["strategies.py * [1-9]?%", "*Required test coverage of 95*not*"])
    short.stdout.fnmatch_lines(["GATE PASSED *"])
    assert run(workers, GATE, "--cov=strategies", "--cov-fail-under=10").ret == pytest.ExitCode.OK


@needs("pytest_timeout")
def test_a_time_limit_by_a_signal_fails_its_items(run):
    result = run(GATE, "--timeout=1", "-k", "first", compactor="slow:sleeps")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["failed"] == 4 + 1, "four items and the threshold"


@needs("pytest_timeout")
def test_a_time_limit_by_a_thread_ends_the_run_red_and_names_the_item(run):
    result = run(GATE, "--timeout=1", "--timeout-method=thread", compactor="slow:sleeps")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*ended with exit code 1 while *test_probe[[]slow:sleeps*"])


@needs("pytest_timeout")
def test_a_time_limit_by_a_thread_ends_every_worker_and_accounts_for_all_items(run):
    limit = ("--timeout=1", "--timeout-method=thread", "--max-worker-restart=1")
    result = run("-n2", *limit, compactor="slow:sleeps")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sum(result.parseoutcomes().values()) == 8


@needs("pytest_rerunfailures")
def test_items_that_run_again_are_recorded_once(run, pytester):
    result = run(GATE, "--reruns=1", compactor=own("raises"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"failed": 8 + 1, "rerun": 8}
    assert len(records(pytester).records) == 8
    assert run(GATE, "--reruns=1").ret == pytest.ExitCode.OK


@needs("pytest_randomly")
def test_all_items_are_measured_in_any_order(run, pytester):
    result = run(GATE, "--randomly-seed=3")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["Using --randomly-seed=3"])
    assert len(records(pytester).records) == 8


@needs("pytest_html")
def test_a_page_of_another_plugin_has_the_items_and_the_gate(run, pytester):
    result = run(GATE, "--html=page.html", "--self-contained-html")
    assert result.ret == pytest.ExitCode.OK
    assert re.search(r"9 tests? (took|ran)", (pytester.path / "page.html").read_text())
