"""The exit code of a run: what another plugin or a conftest fails stays failed."""

import pytest
from support.scenarios import last_line, run, set_up
from support.worker_counts import BOTH

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
GATE = "--compaction-threshold=overall>=1"
PLUGINS = {
    "a conftest at the end of the session": """
def pytest_sessionfinish(session):
    session.exitstatus = 1
""",
    "a plugin around the tests, as pytest-cov does it": """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    result = yield
    session.testsfailed += 1
    return result
""",
    "a plugin in the summary": """
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    yield
    terminalreporter._session.exitstatus = 1
""",
}


@BOTH
@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_gate_that_passes_leaves_the_failures_of_others(pytester, workers, plugin):
    set_up(pytester, "first")
    with (pytester.path / "conftest.py").open("a") as conftest:
        conftest.write(PLUGINS[plugin])
    result = run(pytester, workers, GATE)
    assert (result.ret, last_line(result)[:11]) == (FAILED, "GATE PASSED")


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_shard_leaves_the_failures_of_others_be_it_empty_or_not(pytester, plugin):
    set_up(pytester, "first")
    shards = ["--compaction-shard=1/2", "--compaction-shard=2/2"]
    before = [run(pytester, shard, GATE, compactor="forget") for shard in shards]
    assert [result.ret for result in before] == [OK, OK]
    assert {last_line(result).split()[2] for result in before} == {"MEASURED", "EMPTY"}
    with (pytester.path / "conftest.py").open("a") as conftest:
        conftest.write(PLUGINS[plugin])
    after = [run(pytester, shard, GATE, compactor="forget") for shard in shards]
    assert [result.ret for result in after] == [FAILED, FAILED]


@BOTH
def test_an_empty_shard_is_a_passed_test(pytester, workers):
    set_up(pytester, "first")
    results = [run(pytester, workers, f"--compaction-shard={i}/2", GATE) for i in (1, 2)]
    (empty,) = [result for result in results if "EMPTY" in last_line(result)]
    empty.assert_outcomes(passed=1)
    assert empty.ret == OK
