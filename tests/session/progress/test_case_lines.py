"""A run of cases has a line for each case in place of letters, and other tests keep theirs."""

import re

import pytest
from support.scenarios import lean, own, run, set_up
from support.worker_counts import BOTH

LINE = re.compile(r"\[(\d)/2\] (first|second) +(\d\.\d\d)  (\d) of 4 below 3\.5( +\[ *\d+%\])?")


def case_lines(result):
    return [found for line in result.outlines if (found := LINE.fullmatch(line))]


@BOTH
def test_each_case_has_a_line_with_its_score(pytester, workers):
    set_up(pytester)
    gated = "--compaction-threshold=overall>=0"
    result = run(pytester, workers, gated, compactor="forget_limit")
    found = case_lines(result)
    assert [line[1] for line in found] == ["1", "2"]
    assert {line[2] for line in found} == {"first", "second"}
    assert not any(re.search(r"[.bF]{4}", line.partition(" ")[0]) for line in result.outlines)
    assert found[-1][0].endswith("[100%]")
    assert not any("test_probes.py" in line for line in result.outlines)


def test_other_tests_of_the_session_have_their_letters(pytester):
    set_up(pytester)
    pytester.makepyfile(
        test_mine="""
        def test_one(): pass
        def test_probe(case, probe, compactor, judge):
            judge(probe, compactor(case).ask(probe)).check()
        def test_two(): assert 0
        """
    )
    result = run(pytester, "-n0", "--compaction-threshold=overall>=0", "test_mine.py")
    assert len([line for line in result.outlines if re.match(r"\[[12]/2\] ", line)]) == 2
    mine = [line.split()[:2] for line in result.outlines if line.startswith("test_mine.py ")]
    assert mine == [["test_mine.py", "."], ["test_mine.py", "F"]]
    result.assert_outcomes(passed=10, failed=1)


def test_v_names_every_item_as_before(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-v")
    assert not any(line.startswith("[1/1]") for line in result.outlines)
    assert sum("PASSED 5.0/5" in line for line in result.outlines) == 4


def test_a_run_that_stops_says_what_of_a_case_was_done(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-n0", "-x", compactor="forget")
    (line,) = [line for line in result.outlines if line.startswith("[1/1]")]
    assert "1 of 1 below 3.5" in line


@pytest.mark.parametrize("most", [1, 2])
def test_very_many_cases_have_letters(pytester, monkeypatch, most):
    from pytest_compaction.session import case_lines as module

    monkeypatch.setattr(module, "MOST_LINES", most)
    set_up(pytester)
    result = pytester.runpytest_inprocess(*lean(), f"--compactor={own('keep')}", "-n0")
    assert len(case_lines(result)) == (2 if most == 2 else 0)
    assert any("....." in line for line in result.outlines) is (most == 1)
