"""A project's own tests over cases run where their file is named, or among the cases."""

import pytest
from support.scenarios import case, own, ran, run, set_up, write_cases

from pytest_compaction.session import scheduler

BENCHMARK = "pytest_compaction/benchmark/test_probes.py"
MINE = '''
def test_mine(case, probe, compactor):
    """Over the cases of the benchmark."""
    assert compactor(case).view(probe.point)

def test_other():
    assert 0
'''


@pytest.fixture
def project(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(**{"tests/test_mine": MINE})
    return pytester


def test_a_run_measures_with_the_packaged_module_or_with_what_is_named(project):
    measured = run(project, "-v")
    measured.assert_outcomes(passed=4)
    assert f"{BENCHMARK}::" in str(measured.stdout) and "test_mine" not in str(measured.stdout)
    mine = run(project, "tests/test_mine.py")
    mine.assert_outcomes(passed=4, failed=1)
    # They ran, and asked for no verdict.
    mine.stdout.fnmatch_lines(["nothing was measured: no benchmark item has a verdict"])
    run(project, BENCHMARK, "tests/test_mine.py").assert_outcomes(passed=8, failed=1)


def test_a_module_among_the_cases_runs_once_in_place_of_the_packaged_one(project):
    place = write_cases(project, case("first"))
    (place / "test_probes.py").write_text(MINE)
    result = run(project, "-v")
    assert len(ran(result)) == 4
    assert "cases/test_probes.py::test_other" in str(result.stdout)
    assert f"{BENCHMARK}::" not in str(result.stdout)


@pytest.mark.parametrize(
    ("compactor", "started"),
    [
        pytest.param("truncate", 1, id="shipped"),
        pytest.param(own("keep"), 3, id="a strategy of others", marks=pytest.mark.exhaustive),
    ],
)
def test_a_worker_that_would_get_nothing_is_not_started(pytester, monkeypatch, compactor, started):
    set_up(pytester, "first")
    monkeypatch.setattr(scheduler, "processors", lambda: 1)
    result = run(pytester, "-n3", f"--compactor={compactor}", compactor=None)
    result.stdout.fnmatch_lines([f"created: {started}/{started} worker*"])
    assert result.parseoutcomes().get("errors") is None
