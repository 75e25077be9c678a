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


ZEROES = {
    "exitstatus first": ("@pytest.hookimpl(tryfirst=True)", "session.exitstatus = 0"),
    "exitstatus last": ("@pytest.hookimpl(trylast=True)", "session.exitstatus = 0"),
    "exit first": ("@pytest.hookimpl(tryfirst=True)", "pytest.exit('x', returncode=0)"),
    "exit last": ("@pytest.hookimpl(trylast=True)", "pytest.exit('x', returncode=0)"),
}


def zeroed(hook, before, body):
    given = {"pytest_sessionfinish": "session", "pytest_terminal_summary": "terminalreporter"}
    session = "" if hook == "pytest_sessionfinish" else "    session = terminalreporter._session\n"
    return f"import pytest\n{before}\ndef {hook}({given[hook]}):\n{session}    {body}\n"


AT_THE_END = {
    **{name: zeroed("pytest_sessionfinish", *how) for name, how in ZEROES.items()},
    **{
        f"{name} in the summary": zeroed("pytest_terminal_summary", *how)
        for name, how in ZEROES.items()
    },
    "a wrapper around all": """
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    yield
    session.exitstatus = 0
""",
    "a wrapper that never yields": """
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    pytest.exit("x", returncode=0)
    yield
""",
}


def with_conftest(pytester, text):
    set_up(pytester, "first")
    with (pytester.path / "conftest.py").open("a") as conftest:
        conftest.write(f"\n{text}")


@pytest.mark.parametrize("conftest", AT_THE_END.values(), ids=AT_THE_END)
def test_no_conftest_turns_a_failed_gate_into_exit_code_0(pytester, conftest):
    with_conftest(pytester, conftest)
    result = run(pytester, GATE, compactor="forget")
    assert result.ret == FAILED
    result.stderr.fnmatch_lines(["compaction: the gate failed, and a conftest.py or *"])


@pytest.mark.exhaustive
def test_the_same_with_workers(pytester):
    with_conftest(pytester, AT_THE_END["exitstatus last"])
    result = run(pytester, "-n2", GATE, compactor="forget")
    assert (result.ret, last_line(result)[:11]) == (FAILED, "GATE FAILED")


@pytest.mark.parametrize("name", ["exitstatus last", "exit last"])
def test_a_gate_that_passes_says_nothing_of_the_exit_code(pytester, name):
    with_conftest(pytester, AT_THE_END[name])
    result = run(pytester, GATE)
    assert result.ret == OK
    assert "the gate failed" not in result.stderr.str()


def test_the_last_line_is_printed_although_a_conftest_leaves_pytest(pytester):
    with_conftest(pytester, AT_THE_END["exit last"])
    result = run(pytester, GATE, compactor="forget")
    result.stdout.fnmatch_lines(["GATE FAILED overall *"])
