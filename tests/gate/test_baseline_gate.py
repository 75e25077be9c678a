"""What the gate decides against a baseline."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import unscored
from support.changed_runs import CASES, before, lowered, run_of, scored

from pytest_compaction.gate.baseline import decide_baseline, outcome_of
from pytest_compaction.metrics.differences.run_changes import run_changes
from pytest_compaction.records.baselines.baseline import Baseline
from pytest_compaction.rubric import DIMENSIONS


def baseline(records, strategy="anchored", name="main"):
    return Baseline(strategy, name, name, tuple(records))


def decided(now, max_drop=0.1, inconclusive="pass", then=None):
    known = {"anchored": baseline(before() if then is None else then)}
    return decide_baseline(now, known, max_drop, inconclusive)


def outcomes(decision):
    return {rule.outcome for each in decision.comparisons for rule in each.rules}


def test_the_same_scores_hold_in_overall_and_every_dimension():
    decision = decided(before())
    assert decision.passed
    assert decision.decides
    assert not decision.is_worse
    assert [check.rule for check in decision.checks] == [
        f"{metric} vs main: drop<=0.1" for metric in ("overall", *DIMENSIONS)
    ]
    assert decision.checks[0].text == "overall +0.00 [+0.00, +0.00], main 4.25"


def test_a_drop_that_the_interval_shows_is_worse_and_names_the_items_that_fell_most():
    decision = decided(lowered(0.5, spread=0.25))
    assert outcomes(decision) == {"worse"}
    assert not decision.passed
    assert decision.is_worse
    check = decision.checks[0]
    assert check.text.startswith("overall fell by 0.50 [-0.6")
    assert check.text.endswith(", main 4.25")
    assert check.details[0] == "  4.00 -> 3.25  case-00-p"
    assert len(check.details) == 5


def test_a_drop_no_larger_than_is_allowed_holds():
    assert outcomes(decided(lowered(0.05))) == {"holds"}
    assert outcomes(decided(lowered(0.5), max_drop=0.5)) == {"holds"}


def test_a_drop_within_noise_cannot_be_told_and_passes_with_the_cases_that_would_tell():
    now = lowered(0.1, spread=1.0)
    decision = decided(now)
    assert outcomes(decision) == {"cannot tell"}
    assert decision.passed
    (comparison,) = decision.comparisons
    assert all(rule.cases > len(CASES) for rule in comparison.unclear)
    strict = decided(now, inconclusive="fail")
    assert not strict.passed
    assert not strict.is_worse


def test_one_case_shows_no_drop_and_holds_only_if_nothing_fell():
    now = run_of(lambda number, probe: 1.0, cases=CASES[:1])
    assert outcomes(decided(now)) == {"cannot tell"}
    same = [each for each in before() if each["case"] == CASES[0]]
    assert outcomes(decided(same)) == {"holds"}


def test_several_strategies_are_compared_each_with_its_own_baseline():
    now = [*before(), *run_of(lambda number, probe: 2.0, compactor="truncate")]
    known = {
        "anchored": baseline(before()),
        "truncate": baseline(run_of(lambda number, probe: 4.0, compactor="truncate"), "truncate"),
    }
    decision = decide_baseline(now, known, 0.1)
    assert [each.arm for each in decision.comparisons if each.worse] == ["truncate"]
    failed = [check.rule for check in decision.checks if not check.holds]
    assert failed[0] == "overall@truncate vs main: drop<=0.1"


def test_a_strategy_without_a_baseline_is_said_and_the_control_is_not_compared():
    others = [scored(case, compactor=name) for case in CASES for name in ("none", "window")]
    decision = decided([*before(), *others])
    assert [each.arm for each in decision.comparisons] == ["anchored"]
    assert decision.not_compared == ("window",)
    assert decision.passed


def test_a_strategy_is_compared_at_each_of_its_budgets():
    then = [{**each, "budget": budget} for each in before() for budget in (1000, 2000)]
    now = [
        {**each, "budget": budget}
        for budget, records in ((1000, before()), (2000, lowered(0.5)))
        for each in records
    ]
    decision = decided(now, then=then)
    assert {each.arm: bool(each.worse) for each in decision.comparisons} == {
        "anchored-b1000": False,
        "anchored-b2000": True,
    }


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ([unscored(case=case) for case in CASES], "no item has a score both in this run and in "),
        ([scored("other")], "no item of this run is in main"),
    ],
)
def test_a_rule_that_cannot_be_applied_is_undecided_and_passes_nothing(now, why):
    decision = decided(now)
    ((rule, reason),) = decision.undecided
    assert rule == "overall vs main: drop<=0.1"
    assert reason.startswith(why)
    assert not decision.passed


def test_a_baseline_of_which_no_probe_was_asked_is_undecided_and_passes_nothing():
    for records, why in (
        ([{"type": "dialogue", "compactor": "anchored"}], "no probe was asked"),
        ([], "nothing was measured"),
    ):
        decision = decided(records)
        assert decision.undecided == (("overall vs main: drop<=0.1", why),)
        assert not decision.passed


@given(st.floats(-1, 1), st.floats(0, 1.5), st.floats(0, 1))
def test_an_outcome_is_what_the_interval_says(by, spread, max_drop):
    compared = run_changes(before(), lowered(by, spread)).figures["overall"]
    low, high = compared.interval
    outcome = outcome_of(compared, max_drop)
    if outcome == "worse":
        assert high < 0
        assert compared.value < -max_drop
    elif outcome == "holds":
        assert low >= -max_drop or compared.paired.losses == 0
    else:
        assert low < -max_drop
        assert high >= 0 or compared.value >= -max_drop


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1.5))
def test_a_larger_tolerance_never_turns_a_rule_red(one, other, spread):
    compared = run_changes(before(), lowered(0.4, spread)).figures["overall"]
    low, high = sorted((one, other))
    rank = {"worse": 0, "cannot tell": 1, "holds": 2}
    assert rank[outcome_of(compared, low)] <= rank[outcome_of(compared, high)]


def noisy(source, base, drop):
    """A run whose scores spread around those of ``base``, by case and by dimension."""
    found = []
    for case in CASES:
        shift = source.gauss(0, 0.15) - drop
        for probe in "pqrst":
            values = {
                name: min(5, max(0, base[case, probe] + shift + source.gauss(0, 0.6)))
                for name in DIMENSIONS
            }
            overall = sum(values.values()) / len(values)
            found.append({**scored(case, probe, overall), "dimensions": values})
    return found


def reds(drop, runs):
    """The share of simulated comparisons that are red: in overall, and in any figure."""
    overall = anything = 0
    for number in range(runs):
        source = random.Random(number)
        base = {(case, probe): source.uniform(1, 4.5) for case in CASES for probe in "pqrst"}
        decision = decided(noisy(source, base, drop), then=noisy(source, base, 0))
        worse = {rule.metric for rule in decision.comparisons[0].worse}
        overall += "overall" in worse
        anything += bool(worse)
    return overall / runs, anything / runs


def test_a_strategy_against_itself_is_red_in_at_most_one_of_twenty_comparisons():
    overall, anything = reds(0, runs=200)
    assert overall <= 0.03
    assert 0 < anything <= 0.06


def test_a_drop_of_four_tenths_is_found():
    overall, _ = reds(0.4, runs=40)
    assert overall >= 0.9
