"""Threshold expressions, and what the gate decides from records."""

import re

import pytest
from support.builders import record, unscored

from pytest_compaction.gate import (
    PlannedRun,
    Threshold,
    ThresholdError,
    arms_of,
    check_scopes,
    coverage_text,
    decide,
    measure,
    parse_threshold,
    planned_in,
    scopes_of,
)


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
        "consistent>=1",
        "dialogue.accuracy>=1",
        "dialogue.pass^0>=1",
    ],
)
def test_an_expression_that_cannot_be_read_says_what_can_be_written(text):
    with pytest.raises(ThresholdError) as caught:
        parse_threshold(text)
    assert f"cannot read the threshold {text!r}" in str(caught.value)
    assert "METRIC>=NUMBER" in str(caught.value)
    assert "overall, accuracy, context" in str(caught.value)
    assert "for dialogues consistency, retention, savings, prompt, net" in str(caught.value)


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
    "expression", ["overall>=1", "file.overall>=1", "artifact>=1", "pass^2>=0", "kept>=0", "kept<2"]
)
def test_what_was_not_measured_fails_the_gate(expression):
    records = [unscored()] if expression == "overall>=1" else [record()]
    decision = decided(records, expression, max_unscored=5)
    assert not decision.passed
    assert texts(decision)[0].endswith(": nothing was measured")


def test_removed_is_not_measured_when_no_view_was_made():
    error = record(status="error", overall=None, dimensions={}, tokens={}, compaction={})
    assert measure("removed", [error], []) is None


HIGH, LOW = record(overall=4.0), record(compactor="truncate", overall=1.0)
CONTROL = record(compactor="none", overall=1.0)


@pytest.mark.parametrize(
    ("records", "expression", "passed", "found"),
    [
        ([HIGH, LOW], "overall@anchored>=3", True, ["overall@anchored 4.00 >= 3.00"]),
        ([HIGH, LOW], "overall@truncate>=3", False, ["overall@truncate 1.00 < 3.00"]),
        (
            [HIGH, LOW],
            "overall>=3",
            False,
            ["overall@anchored 4.00 >= 3.00", "overall@truncate 1.00 < 3.00"],
        ),
        ([HIGH], "overall@truncate>=3", False, ["overall@truncate: nothing was measured"]),
        ([HIGH, CONTROL], "overall>=3", True, ["overall 4.00 >= 3.00"]),
        ([HIGH, CONTROL], "overall@none>=3", False, ["overall@none 1.00 < 3.00"]),
        ([CONTROL], "overall>=3", False, ["overall 1.00 < 3.00"]),
        ([HIGH, CONTROL], "kept>=0.7", True, ["kept 4.00 >= 0.70"]),
    ],
)
def test_a_threshold_is_for_its_scope_or_for_every_strategy_but_the_control(
    records, expression, passed, found
):
    decision = decided(records, expression)
    assert (decision.passed, texts(decision)) == (passed, found)


LACKS = unscored(probe="q")
NONE = [unscored(probe=f"p{n}") for n in range(3)]


def panel(**scores):
    return [{"name": name, "overall": score} for name, score in scores.items()]


ONE_DEAD = [record(probe=f"p{n}", judges=panel(a=4.0, b=None)) for n in range(3)]
ONE_ONCE = [record(judges=panel(a=4.0, b=None)), record(probe="q", judges=panel(a=4.0, b=3.0))]
ALL_ONCE = [record(judges=panel(a=4.0, b=4.0)), unscored(probe="q", judges=panel(a=None, b=None))]
HELD = "overall 4.00 >= 1.00"


@pytest.mark.parametrize(
    ("records", "expressions", "tolerated", "passed", "found"),
    [
        ([HIGH], (), 0, True, []),
        ([HIGH, LACKS], (), 0, False, ["unscored 1 > 0"]),
        ([HIGH, LACKS], (), 1, True, []),
        ([HIGH, LACKS], ("overall>=1",), 1, True, [HELD, "unscored 1 <= 1"]),
        ([HIGH], ("overall>=1", "accuracy>=4.5"), 0, False, [HELD, "accuracy 4.00 < 4.50"]),
        (NONE, (), 99, False, ["anchored: none of 3 items could be scored"]),
        (ONE_DEAD, ("overall>=1",), 99, False, [HELD, "judge b: scored none of 3 items"]),
        (ONE_DEAD, (), 99, False, ["judge b: scored none of 3 items"]),
        (ONE_ONCE, ("overall>=1",), 0, True, [HELD]),
        ([record(judges=[])], ("overall>=1",), 0, True, [HELD]),
        (ALL_ONCE, ("overall>=1",), 1, True, [HELD, "unscored 1 <= 1"]),
    ],
)
def test_a_gate_has_a_check_for_each_rule_and_for_what_could_not_be_scored(
    records, expressions, tolerated, passed, found
):
    decision = decided(records, *expressions, max_unscored=tolerated)
    assert (decision.passed, texts(decision)) == (passed, found)
    assert decision.decides == bool(found)


def test_recorded_words_of_another_request_are_red_whatever_is_tolerated():
    flawed = [{"point": "p", "status": "compacted", "flaws": {"stale": 1}}]
    measured = record(probe="q", compaction={"events": flawed})
    red = ": no recorded words answer what would be sent now in 1 of 2 items; record them"
    for stale in (unscored(probe="q", stale=True), measured):
        decision = decided([record(), stale], "overall>=3", max_unscored=99)
        assert not decision.passed
        assert [check.text.partition(":")[0] for check in decision.checks if not check.holds] == [
            record()["compactor"]
        ]
        assert red in texts(decision)[-1]
    assert not decided([record(), measured]).decides, "without a gate it is marked"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("overall>=4%", "overall is a score and no share; write a number from 0 to 5"),
        ("real.file.artifact>=80%", "real.file.artifact is a score and no share; write a number"),
        ("accuracy>=-1", "accuracy is a score and no share; write a number from 0 to 5"),
        ("overall<=50", "write a number from 0 to 5, as in overall>=3.5"),
        ("pass^1>=90", "pass^1 is a share; write a number from 0 to 1, as in pass^1>=0.9"),
        ("scripted.pass^2>=101%", "scripted.pass^2 is a share; write a number from 0 to 1"),
        ("consistency>=-0.1", "consistency is a share; write a number from 0 to 1"),
        ("retention>=1.1", "retention is a share; write a number from 0 to 1"),
        ("removed>=-999999999", "removed is a share; write a number from -1 to 1"),
        ("removed<=500%", "removed is a share; write a number from -1 to 1"),
        ("net>=101%", "net is a share; write a number from -1 to 1"),
        ("er>=1.01", "er is a share; write a number from -1 to 1"),
        ("kept>=-3", "kept is a share; write a number from 0 to 2"),
        ("kept<=201%", "kept is a share; write a number from 0 to 2"),
    ],
)
def test_a_bound_that_is_no_value_of_the_figure_is_refused(text, why):
    with pytest.raises(ThresholdError, match="has no meaning") as refused:
        parse_threshold(text)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    "text", ["removed>=-0.1", "removed>=100%", "kept<=1.05", "er>=-0.5", "net>=-5%", "overall<=5"]
)
def test_a_bound_that_the_figure_can_have_is_taken(text):
    assert parse_threshold(text).metric == re.match("[a-z]+", text)[0]


def test_an_unknown_dimension_or_kind_lists_those_that_exist():
    for text in ("charm>=1", "quiz.overall>=3", "file.charm>=3"):
        with pytest.raises(ThresholdError) as refused:
            parse_threshold(text)
        assert "accuracy, context, artifact, continuity, completeness" in str(refused.value)
        assert "the kinds being recall, file, continuation, decision, compliance" in str(
            refused.value
        )


def test_a_scope_names_a_strategy_with_its_parameters_or_at_a_budget():
    arms = [("roo:keep=5", 1000), ("roo:keep=5", 2000), ("none", None)]
    assert scopes_of(arms) == ["roo:keep=5", "roo:keep=5-b1000", "roo:keep=5-b2000", "none"]
    check_scopes([parse_threshold(f"overall@{name}>=1") for name in scopes_of(arms)], arms)
    with pytest.raises(ThresholdError, match=r"did you mean overall@roo:keep=5\?"):
        check_scopes([parse_threshold("overall@roo>=1")], arms)


def test_a_strategy_of_the_run_without_a_record_fails_every_rule_that_is_for_it():
    arms = [("anchored", None), ("truncate", None), ("none", None)]
    rules = [parse_threshold(text) for text in ("overall>=0", "overall@truncate>=0")]
    decision = decide([record(overall=4.0)], rules, 0, arms)
    assert texts(decision) == [
        "overall@anchored 4.00 >= 0.00",
        "overall@truncate: nothing was measured",
        "overall@truncate: nothing was measured",
    ]
    assert not decide([], rules[:1], 0, arms).passed
    assert not decide([], rules[:1], 0).passed


def test_a_mean_of_fewer_items_than_were_scored_says_of_how_many():
    records = [record(probe="a", kind="file"), record(probe="b"), record(probe="c")]
    assert texts(decided(records, "overall>=0"))[0].endswith(">= 0.00")
    assert texts(decided(records, "file.overall>=0"))[0].endswith(">= 0.00 on 1 item")


def test_what_a_gate_saw_is_told_in_items_and_cases():
    records = [record(probe="a"), unscored(probe="b")]
    for planned, text in (
        (None, "on 1 item"),
        (PlannedRun(2, 1), "on 1 of 2 items"),
        (PlannedRun(2, 1, shipped=True), "on 1 of 2 items of the shipped cases"),
        (PlannedRun(4, 2), "on 1 of 4 items in 1 of 2 cases"),
        (PlannedRun(4, 2, shipped=True), "on 1 of 4 items in 1 of 2 shipped cases"),
    ):
        assert coverage_text(records, planned) == text
    twice = [*records, record(probe="a", item="by another test")]
    assert coverage_text(twice, PlannedRun(2, 1)) == "on 1 of 2 items (2 measurements)"


@pytest.mark.parametrize("found", [None, 3, {}, {"items": "many", "cases": 1, "shipped": False}])
def test_a_header_without_a_plan_that_can_be_read_says_nothing_of_it(found):
    assert planned_in({"planned": found}) is None
    plan = PlannedRun(4, 2, shipped=True)
    assert planned_in({"planned": plan.as_json()}) == plan


def test_the_strategies_of_a_run_are_those_of_its_settings_and_of_its_records():
    settings = {"compactors": ["anchored", "none"], "budgets": [1000, 2000]}
    arms = arms_of({"settings": settings}, [record(compactor="truncate")])
    assert arms == [
        ("anchored", 1000),
        ("anchored", 2000),
        ("none", None),
        ("truncate", None),
    ]
    assert arms_of({}, []) == []
