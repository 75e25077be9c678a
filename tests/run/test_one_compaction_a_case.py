"""A case is compacted once for each compactor and trial, however its items are spread."""

from collections import Counter

import pytest
from support.scenarios import own, run, set_up

from pytest_compaction.session.worker_share import group_of

BOTH = f"--compactor={own('counted')},{own('counted_too')}"
CASES = ("first", "second", "third")


def compactions(pytester):
    """How often each compactor was called at the last point of each case, and on which workers."""
    lines = (pytester.path / "calls.log").read_text().splitlines()
    calls = [line.split() for line in lines]
    last = [call for call in calls if call[1] in CASES]
    assert len(calls) == 2 * len(last), "each compaction has two points"
    return Counter((name, case) for name, case, _ in last), {worker for _, _, worker in calls}


SLOWER = [pytest.param(each, marks=pytest.mark.exhaustive) for each in (4, 8)]


@pytest.mark.parametrize("workers", [0, 2, *SLOWER])
def test_each_case_is_compacted_once_for_each_compactor_and_trial(pytester, workers):
    set_up(pytester, *CASES)
    given = (BOTH, "-v", "--compaction-trials=2", f"-n{workers}")
    result = run(pytester, *given, compactor=None)
    result.assert_outcomes(passed=48)
    if workers:
        result.stdout.fnmatch_lines(["scheduling tests via CaseScheduling"])
    counts, used = compactions(pytester)
    assert counts == {(name, case): 2 for name in ("counted", "counted_too") for case in CASES}
    assert len(used) > 1 or workers == 0, "the cases are spread over the workers"


def test_a_selection_compacts_only_the_cases_that_it_needs_and_each_once(pytester):
    set_up(pytester, *CASES)
    selection = "(third and next) or (first and (limit or decided)) or (third and files)"
    result = run(pytester, BOTH, "-n2", "-k", selection, compactor=None)
    result.assert_outcomes(passed=8)
    counts, _ = compactions(pytester)
    assert counts == {(name, c): 1 for name in ("counted", "counted_too") for c in CASES[::2]}


def test_nothing_needs_xdist(pytester):
    set_up(pytester, *CASES)
    run(pytester, "-p", "no:xdist", compactor="counted").assert_outcomes(passed=12)
    counts, used = compactions(pytester)
    assert counts == {("counted", case): 1 for case in CASES}
    assert len(used) == 1


def test_tests_with_further_parameters_share_the_compaction_of_their_case(pytester):
    set_up(pytester, *CASES)
    pytester.makeconftest(
        """
        def pytest_generate_tests(metafunc):
            if "before" in metafunc.fixturenames:
                metafunc.parametrize("before", ["a", "b"])
        """
    )
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.mark.parametrize("after", [1, 2])
        def test_after(case, probe, compactor, after):
            compactor(case)

        def test_before(before, case, probe, compactor):
            compactor(case)
        """
    )
    result = run(pytester, "-n2", "test_mine.py", compactor="counted")
    result.assert_outcomes(passed=48)
    counts, used = compactions(pytester)
    assert counts == {("counted", case): 1 for case in CASES}
    assert used == {"gw0", "gw1"}


def test_a_distribution_mode_that_the_user_names_is_respected(pytester):
    set_up(pytester, *CASES)
    result = run(pytester, "-v", "-n2", "--dist=loadfile", compactor="counted")
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(["scheduling tests via LoadFileScheduling"])
    counts, used = compactions(pytester)
    assert counts == {("counted", case): 1 for case in CASES}
    assert len(used) == 1


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("cases/test_probes.py::test_probe[keep-one-p1]", "keep-one"),
        ("test_mine.py::test_mine[keep-one-p1-extra-2]", "keep-one"),
        ("test_mine.py::test_mine[extra-2-keep-one-p1]", "keep-one"),
        ("test_mine.py::test_mine[a-keep-one-p1-b]", "keep-one"),
        ("test_mine.py::test_mine[keep-one-p1-t2]", "keep-two"),
        ("test_mine.py::test_mine[keep-one-p2]", None),
        ("test_mine.py::test_mine[p1]", None),
        ("test_mine.py::test_mine", None),
        ("test_mine.py::test_mine[]", None),
    ],
)
def test_an_item_belongs_to_the_compaction_that_its_parameters_name(nodeid, group):
    groups = {"keep-one-p1": "keep-one", "keep-one-p1-t2": "keep-two"}
    assert group_of(nodeid, groups) == group
