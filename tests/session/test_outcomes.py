"""Outcomes of an item: below the pass score, unscored, or lost with its worker."""

import pytest
from support.scenarios import failure, flat, last_line, records, run, set_up
from support.worker_counts import BOTH

RECALL = ("-m", "compaction(kind='recall')")


def statuses(pytester):
    return [record["status"] for record in records(pytester).records]


def test_an_item_below_the_pass_score_says_what_fell_short_and_shows_no_traceback(pytester):
    set_up(pytester, "first")
    result = run(pytester, *RECALL, compactor="forget_limit")
    result.assert_outcomes(failed=1)
    lines = failure(result, "strategies:forget_limit-first-limit")
    assert lines[0] == "overall 0.00 is below the pass score 3.50"
    said = flat(lines)
    assert " accuracy 0.00: accuracy_factual " in said
    assert " completeness 0.00: completeness_coverage " in said
    for other in ("context", "artifact", "continuity", "instruction"):
        assert other not in said, "a dimension without facts of its types is left out"
    assert " dropped (not in the view), value: 45 " in said
    assert " stale: the retry limit is 30" in said
    assert "unused" not in said
    assert "answer" not in said
    for trace in ("Traceback", "def test_probe", "verdict.check", "test_probes.py:", ">  "):
        assert not any(trace in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_with_answers_an_item_below_the_pass_score_shows_what_was_answered(pytester):
    set_up(pytester, "first")
    result = run(pytester, *RECALL, "--compaction-answers", compactor="forget_limit")
    result.stdout.fnmatch_lines(["  answer: I set the retry limit to 30*"])


def test_a_fact_that_is_in_the_view_but_not_in_the_answer_is_unused(pytester):
    set_up(pytester, "first")
    result = run(pytester, *RECALL, "--compaction-responder=mute")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  unused (in the view, not in the answer), value: 45",
            "  answer: (empty)",
            "answers with strategies:keep state 0% of 1 facts; 1 in the view and not in the*",
        ]
    )
    result.stdout.no_fnmatch_line("*dropped (not in the view)*")


def test_the_pass_score_decides_and_the_score_stands_beside_each_item(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-v", "--compaction-pass-score=0", compactor="forget")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["*test_probe[[]strategies:forget-first-limit[]] PASSED 0.0/5 *"])
    result = run(pytester, "-v", "--compaction-pass-score=5", compactor="forget")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*test_probe[[]strategies:forget-first-limit[]] FAILED 0.0/5 *"])
    assert run(pytester, "--compaction-pass-score=5").ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        ("refuses", "the reply was no JSON"),
        ("dead", "the endpoint http://localhost:9 refused the connection"),
        ("too_high", "the judge gave completeness_coverage 7.0, outside 0 to 5"),
        ("not_a_number", "the judge gave completeness_coverage nan, outside 0 to 5"),
        ("invented", "the judge scored 'charm', which does not apply here"),
        ("silent", "no criterion was scored"),
        ("miscounts", "the judge's facts, traps or nuggets do not match the probe's"),
    ],
)
def test_an_answer_that_could_not_be_judged_is_unscored_and_makes_the_run_red(
    pytester, judge, reason
):
    set_up(pytester, "first")
    result = run(pytester, f"--compaction-judge={judge}")
    assert result.parseoutcomes() == {"unscored": 4, "failed": 1}
    result.stdout.fnmatch_lines(["[[]1/1] first     -  4 unscored*"])
    result.stdout.fnmatch_lines([f"not scored (4): {reason}"])
    assert last_line(result) == "GATE FAILED unscored 4 > 0 · on 0 of 4 items in 0 of 1 case"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for record in records(pytester).records:
        assert (record["status"], record["overall"]) == ("unscored", None)
        assert set(record["dimensions"].values()) == {None}
        assert record["reason"] == reason


@BOTH
def test_unscored_items_are_counted_apart_and_tolerated_up_to_a_number(pytester, workers):
    set_up(pytester)
    arguments = [workers, "-v", "--compaction-judge=refuses_files"]
    result = run(pytester, *arguments, "--compaction-max-unscored=1")
    assert result.parseoutcomes() == {"passed": 6, "unscored": 2, "failed": 1}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result) == "GATE FAILED unscored 2 > 1 · on 6 of 8 items"
    assert str(result.stdout).count("UNSCORED") == 2
    result.stdout.fnmatch_lines(["*Pass^1  100.0% (6 of 6 items)", "2 unscored; *"])
    assert statuses(pytester).count("unscored") == 2


def test_a_responder_that_cannot_answer_leaves_items_unscored_in_the_models_own_words(pytester):
    set_up(pytester, "first")
    result = run(
        pytester, "--compaction-responder=unreachable", "--compaction-threshold=overall>=0"
    )
    assert result.parseoutcomes() == {"unscored": 4, "failed": 2}
    said = "the endpoint http://localhost:9 refused the connection"
    result.stdout.fnmatch_lines([f"not scored (4): {said}"])
    assert str(result.stdout).count(said) == 1, "once for the strategy and not for each item"
    result.stdout.no_fnmatch_line("*Traceback*")
    assert statuses(pytester) == ["unscored"] * 4
    assert {record["reason"] for record in records(pytester).records} == {said}
    assert last_line(result) == (
        "GATE FAILED overall: nothing was measured, unscored 4 > 0 · on 0 of 4 items in 0 of 1 case"
    )


def test_a_bug_in_a_judge_shows_its_traceback_at_the_items_that_met_it(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-k", "files or limit", "--compaction-judge=has_a_bug")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E * KeyError: 'file'"])
    assert [record["reason"] for record in records(pytester).records] == [
        "KeyError: 'file'",
        "KeyError: 'recall'",
    ]


def test_a_compactor_that_kills_its_worker_makes_the_run_red_and_hides_no_other_case(pytester):
    set_up(pytester)
    two = ("-k", "files or limit")
    result = run(pytester, "-n2", "--compaction-threshold=overall>=1", *two, compactor="crashes")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    run_file = records(pytester)
    assert [record["case"] for record in run_file.records] == ["second"] * 2
    assert {record["status"] for record in run_file.records} == {"passed"}
    assert last_line(result).startswith("GATE FAILED ")
    assert last_line(result) == (
        "GATE FAILED 2 failed for another reason than the score · on 2 of 8 items in 1 of 2 cases"
    )
    result.assert_outcomes(passed=2 + 1, failed=2)
    for probe in ("files", "limit"):
        result.stdout.fnmatch_lines([f"worker * crashed while running *-first-{probe}[]]'"])
    result.stdout.fnmatch_lines(["*Pass^1  100.0% (2 of 2 items)"])
