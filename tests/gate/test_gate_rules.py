"""Threshold expressions, and what the gate decides from records."""

import pytest
from support.builders import record, unscored

from pytest_compaction.gate.decision import decide, measure
from pytest_compaction.gate.threshold import Threshold, ThresholdError, parse_threshold


def decided(records, *expressions, max_unscored=0):
    return decide(records, [parse_threshold(text) for text in expressions], max_unscored)


def texts(decision):
    return [check.text for check in decision.checks]


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("overall>=3.5", Threshold("overall", ">=", 3.5)),
        (" accuracy > 3 ", Threshold("accuracy", ">", 3)),
        ("pass^1>=0.9", Threshold("pass^1", ">=", 0.9)),
        ("pass^10>=90%", Threshold("pass^10", ">=", 0.9)),
        ("file.artifact>=3", Threshold("file.artifact", ">=", 3)),
        ("recall.overall<4", Threshold("recall.overall", "<", 4)),
        ("removed@anchored>=85 %", Threshold("removed", ">=", 0.85, "anchored")),
        ("kept<=1", Threshold("kept", "<=", 1)),
        ("removed>=-0.5", Threshold("removed", ">=", -0.5)),
        ("constraints>=90%", Threshold("constraints", ">=", 0.9)),
        ("compliance@anchored>=0.9", Threshold("compliance", ">=", 0.9, "anchored")),
        ("compliance.instruction>=4", Threshold("compliance.instruction", ">=", 4)),
        ("er>=0.5", Threshold("er", ">=", 0.5)),
        (
            "overall@my.module:compact:k=3>=2",
            Threshold("overall", ">=", 2, "my.module:compact:k=3"),
        ),
    ],
)
def test_an_expression_is_read(text, threshold):
    assert parse_threshold(text) == threshold


@pytest.mark.parametrize(
    "text",
    [
        "",
        "overall",
        "overall=3.5",
        "overall==3.5",
        "overall=>3.5",
        "overall>=",
        "overall>=x",
        "overall>=nan",
        "overall>=3.5.1",
        "overal>=3",
        "pass^0>=1",
        "pass>=1",
        "pass^>=1",
        "quiz.overall>=3",
        "file.pass^1>=1",
        "file.>=1",
        "overall@>=3",
        "overall>=3 accuracy>=3",
    ],
)
def test_an_expression_that_cannot_be_read_says_what_can_be_written(text):
    with pytest.raises(ThresholdError) as caught:
        parse_threshold(text)
    assert f"cannot read the threshold {text!r}" in str(caught.value)
    assert "METRIC>=NUMBER" in str(caught.value)
    assert "overall, accuracy, context" in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "passed", "text"),
    [
        ("overall>=3.5", False, "overall 3.21 < 3.50"),
        ("overall>=3.21", True, "overall 3.21 >= 3.21"),
        ("overall>3.21", False, "overall 3.21 <= 3.21"),
        ("overall<4", True, "overall 3.21 < 4.00"),
        ("overall<=3", False, "overall 3.21 > 3.00"),
        ("accuracy>=4", True, "accuracy 4.00 >= 4.00"),
        ("pass^1>=100%", True, "pass^1 1.00 >= 1.00"),
        ("removed>=90%", True, "removed 0.90 >= 0.90"),
        ("recall.overall>=3", True, "recall.overall 3.21 >= 3.00"),
    ],
)
def test_a_comparison_is_shown_as_it_came_out(expression, passed, text):
    decision = decided([record(overall=3.21)], expression)
    assert decision.decides
    assert decision.passed is passed
    assert texts(decision) == [text]


@pytest.mark.parametrize(
    ("value", "expression", "text"),
    [
        (3.4996, "overall>=3.5", "overall 3.4996 < 3.5000"),
        (3.5004, "overall>3.5", "overall 3.5004 > 3.5000"),
        (3.853, "overall>=3.855", "overall 3.853 < 3.855"),
        (3.49996, "overall>=3.5", "overall 3.49996 < 3.50000"),
        (3.5 - 1e-12, "overall>=3.5", "overall 3.499999999999 < 3.500000000000"),
        (3.85, "overall>=3.12345", "overall 3.85000 >= 3.12345"),
    ],
)
def test_a_close_comparison_shows_enough_digits_to_be_true_as_read(value, expression, text):
    assert texts(decided([record(overall=value)], expression)) == [text]


@pytest.mark.parametrize(
    "expression", ["overall>=1", "file.overall>=1", "artifact>=1", "pass^2>=0", "kept>=0", "kept<9"]
)
def test_what_was_not_measured_fails_the_gate(expression):
    records = [unscored()] if expression == "overall>=1" else [record()]
    decision = decided(records, expression, max_unscored=5)
    assert not decision.passed
    assert texts(decision)[0].endswith(": nothing was measured")


def test_removed_is_not_measured_when_no_view_was_made():
    error = record(status="error", overall=None, dimensions={}, tokens={}, compaction={})
    assert measure("removed", [error], []) is None


def test_a_scope_applies_to_its_strategy_only():
    records = [record(overall=4.0), record(compactor="truncate", overall=1.0)]
    assert decided(records, "overall@anchored>=3").passed
    assert texts(decided(records, "overall@truncate>=3")) == ["overall@truncate 1.00 < 3.00"]


def test_a_threshold_without_scope_is_for_every_strategy_and_names_them():
    records = [record(overall=4.0), record(compactor="truncate", overall=1.0)]
    decision = decided(records, "overall>=3")
    assert not decision.passed
    assert texts(decision) == ["overall@anchored 4.00 >= 3.00", "overall@truncate 1.00 < 3.00"]


def test_the_control_is_not_judged_unless_it_is_named_or_alone():
    control = record(compactor="none", overall=1.0)
    assert texts(decided([record(), control], "overall>=3")) == ["overall 4.00 >= 3.00"]
    assert texts(decided([record(), control], "overall@none>=3")) == ["overall@none 1.00 < 3.00"]
    assert not decided([control], "overall>=3").passed


def test_kept_is_counted_from_the_control():
    records = [record(overall=3.0), record(compactor="none", overall=4.0)]
    assert texts(decided(records, "kept>=0.7")) == ["kept 0.75 >= 0.70"]


def test_a_scope_that_did_not_run_is_listed_and_decides_nothing():
    decision = decided([record()], "overall@truncate>=3")
    assert decision.not_applied == ("overall@truncate>=3",)
    assert not decision.decides


def test_nothing_asked_and_nothing_unscored_decides_nothing():
    decision = decided([record()])
    assert not decision.decides
    assert decision.checks == ()


def test_unscored_items_above_the_tolerance_fail_even_without_thresholds():
    decision = decided([record(), unscored(probe="q")])
    assert decision.decides
    assert not decision.passed
    assert texts(decision) == ["unscored 1 > 0"]


def test_unscored_items_within_the_tolerance_pass_and_are_shown_with_thresholds():
    records = [record(), unscored(probe="q")]
    assert not decided(records, max_unscored=1).decides
    decision = decided(records, "overall>=3", max_unscored=1)
    assert decision.passed
    assert texts(decision) == ["overall 4.00 >= 3.00", "unscored 1 <= 1"]


def test_every_threshold_must_hold():
    decision = decided([record(overall=4.0)], "overall>=3", "accuracy>=4.5")
    assert [check.holds for check in decision.checks] == [True, False]
    assert not decision.passed


def test_a_strategy_of_which_nothing_could_be_scored_is_red_whatever_is_tolerated():
    decision = decided([unscored(probe=f"p{n}") for n in range(3)], max_unscored=99)
    assert decision.decides
    assert not decision.passed
    assert "none of 3 items could be scored" in decision.checks[-1].text


def panel(**scores):
    return [{"name": name, "overall": score} for name, score in scores.items()]


def test_a_judge_of_several_that_scored_nothing_is_red_whatever_is_tolerated():
    records = [record(probe=f"p{n}", judges=panel(a=4.0, b=None)) for n in range(3)]
    decision = decided(records, "overall>=1", max_unscored=99)
    assert not decision.passed
    assert texts(decision) == ["overall 4.00 >= 1.00", "judge b: scored none of 3 items"]
    assert decided(records).decides, "without any threshold too"


def test_a_judge_that_scored_something_or_is_alone_is_not_red_for_that():
    some = [record(judges=panel(a=4.0, b=None)), record(probe="q", judges=panel(a=4.0, b=3.0))]
    assert decided(some, "overall>=1").passed
    assert decided([record(judges=[])], "overall>=1").passed
    nobody = [record(judges=panel(a=4.0, b=4.0)), unscored(probe="q", judges=panel(a=None, b=None))]
    assert texts(decided(nobody, "overall>=1", max_unscored=1)) == [
        "overall 4.00 >= 1.00",
        "unscored 1 <= 1",
    ]
