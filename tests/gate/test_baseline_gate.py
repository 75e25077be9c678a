"""What the gate decides against a baseline."""

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import unscored
from support.changed_runs import CASES, before, fact, lowered, run_of, scored

from pytest_compaction.gate import decide_baseline, outcome_of
from pytest_compaction.metrics import run_changes
from pytest_compaction.records import Baseline
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import BaselineRules, NewlyGone


def baseline(records, strategy="anchored", name="main"):
    return Baseline(strategy, name, name, tuple(records))


def decided(now, max_drop=0.1, inconclusive="fail", then=None, gone=None, sampled=False):
    known = {
        "anchored": dataclasses.replace(
            baseline(before() if then is None else then), sampled=sampled
        )
    }
    return decide_baseline(now, known, BaselineRules(max_drop, gone, inconclusive))


def outcomes(decision):
    return {rule.outcome for each in decision.comparisons for rule in each.rules}


def test_a_drop_of_nothing_or_no_larger_than_is_allowed_holds_in_overall_and_every_dimension():
    decision = decided(before())
    assert decision.passed
    assert decision.decides
    assert not decision.is_worse
    assert [check.rule for check in decision.checks] == [
        f"{metric} vs main: drop<=0.1" for metric in ("overall", *DIMENSIONS)
    ]
    assert decision.checks[0].text == "overall +0.00 [+0.00, +0.00], main 4.25"
    assert outcomes(decided(lowered(0.05))) == {"holds"}
    assert outcomes(decided(lowered(0.5), max_drop=0.5)) == {"holds"}


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


def test_a_drop_beyond_the_allowed_one_that_is_not_shown_is_undecided_and_never_passed():
    now = lowered(0.3, spread=2.0)
    decision = decided(now)
    (comparison,) = decision.comparisons
    assert comparison.undecided.metric == "overall"
    assert comparison.undecided.cases > len(CASES)
    of_dimensions = {rule.outcome for rule in comparison.rules if rule.metric in DIMENSIONS}
    assert of_dimensions == {"holds"}, "only the overall score can be undecided"
    assert not decision.passed
    assert decision.is_undecided
    assert not decision.is_worse
    passes = decided(now, inconclusive="pass")
    assert passes.passed
    assert passes.is_undecided


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_fewer_than_six_cases_show_no_drop_and_have_no_interval(cases):
    now = run_of(lambda number, probe: 1.0, cases=CASES[:cases])
    decision = decided(now)
    (comparison,) = decision.comparisons
    assert comparison.undecided is not None
    assert comparison.undecided.cases is None
    assert comparison.changes.figures["overall"].interval is None
    assert not decision.passed
    same = [each for each in before() if each["case"] in CASES[:cases]]
    assert outcomes(decided(same)) == {"holds"}


def facts_lost(now, lost):
    """The records with this many of their facts no longer stated, in order."""
    found = []
    for each in now:
        facts = []
        for asked in each["facts"]:
            facts.append({**asked, "survived": lost <= 0, "used": lost <= 0})
            lost -= 1
        found.append({**each, "facts": facts})
    return found


def test_facts_newly_gone_are_red_where_more_are_gone_than_allowed_whatever_the_mean_is():
    for cases in (CASES[:1], CASES[:5], CASES):
        then = run_of(lambda number, probe: 4.0, cases=cases)
        now = facts_lost(then, 2)
        assert not decided(now, then=then, gone=NewlyGone(1)).passed
        assert decided(now, then=then, gone=NewlyGone(1)).is_worse
        assert decided(now, then=then, gone=NewlyGone(2)).passed
        assert decided(now, then=then).passed
    (check,) = (c for c in decided(now, gone=NewlyGone(1)).checks if "newly-gone" in c.rule)
    assert check.text == "newly gone 2 > 1, regained 0"
    assert check.rule == "newly-gone vs main: <=1"
    assert check.details == ("  case-00-p: fact of p", "  case-00-q: fact of q")


def test_a_share_of_newly_gone_facts_is_of_those_that_the_baseline_states():
    now = facts_lost(before(), 3)  # of 24 facts
    assert decided(now, gone=NewlyGone(12.5, percent=True)).passed
    assert not decided(now, gone=NewlyGone(12, percent=True)).passed


def test_where_the_rule_on_facts_decides_an_undecided_drop_passes_and_stays_undecided():
    then = run_of(lambda number, probe: 4.0, cases=CASES[:3])
    now = facts_lost(run_of(lambda number, probe: 2.0, cases=CASES[:3]), 1)
    for gone, passes in ((NewlyGone(1), True), (NewlyGone(0), False), (None, False)):
        decision = decided(now, then=then, gone=gone)
        assert decision.passed is passes
        assert decision.comparisons[0].undecided is not None
    assert not decided(now, then=then, gone=NewlyGone(0)).is_undecided


def trials_of(records, count):
    return [{**each, "trial": number} for number in range(1, count + 1) for each in records]


def test_where_a_model_is_sampled_facts_are_gated_only_with_three_trials_on_both_sides():
    lost = facts_lost(before(), 5)
    for then, now in ((1, 3), (3, 1), (2, 2)):
        decision = decided(
            trials_of(lost, now), then=trials_of(before(), then), gone=NewlyGone(0), sampled=True
        )
        (comparison,) = decision.comparisons
        assert comparison.newly_gone.check is None
        assert f"the baseline has {then} and this run {now}" in comparison.newly_gone.why_not
        assert len(comparison.changes.facts.gone) == 5
    decision = decided(
        trials_of(lost, 3), then=trials_of(before(), 3), gone=NewlyGone(0), sampled=True
    )
    assert not decision.passed


def test_a_fact_is_gone_if_most_trials_stated_it_and_hardly_one_does():
    def run(*stated):
        return [
            {**scored("case", "p", 4.0, [fact("the limit is 45", each, each)]), "trial": number}
            for number, each in enumerate(stated, 1)
        ]

    yes, no = True, False
    for then, now, gone in (
        ((yes, yes, no), (no, no, yes), 1),
        ((yes, yes, no), (no, yes, yes), 0),
        ((yes, no, no), (no, no, no), 0),
        ((yes, yes, yes), (yes, yes, no), 0),
    ):
        assert len(run_changes(run(*then), run(*now)).facts.gone) == gone
        assert len(run_changes(run(*now), run(*then)).facts.regained) == gone


def test_a_fact_that_is_less_clear_is_listed_apart_and_not_gone():
    then = [scored("case", "p", 4.0, [fact("the limit is 45")])]
    now = [scored("case", "p", 2.0, [fact("the limit is 45", False, False, view="uncertain")])]
    changes = run_changes(then, now)
    assert not changes.facts.gone
    assert [each.text for each in changes.facts.uncertain] == ["the limit is 45"]
    denied = [
        scored("case", "p", 2.0, [fact("the limit is 45", False, False, view="contradicted")])
    ]
    assert len(run_changes(then, denied).facts.gone) == 1


def with_hashes(records, case="a", log="a", probe="a"):
    return [{**each, "hashes": {"case": case, "log": log, "probe": probe}} for each in records]


def test_a_case_whose_log_changed_is_named_and_left_out():
    lost = facts_lost(before(), 24)
    now = with_hashes(lost[:4], "b", "b") + with_hashes(before()[4:])
    (comparison,) = decided(now, then=with_hashes(before()), gone=NewlyGone(0)).comparisons
    assert comparison.changes.changed_cases == CASES[:2]
    assert not comparison.changes.facts.gone
    assert len(comparison.changes.items) == 20
    nothing = decided(with_hashes(lost, "b", "b"), then=with_hashes(before()))
    assert not nothing.passed
    assert "12 cases changed since main" in nothing.not_applied[0][1]


def test_a_fact_whose_keys_changed_is_named_and_left_out_and_so_is_the_score_of_its_probe():
    def run(keys, stated, **hashes):
        other = fact("the port is 80", True, True, keys="same")
        changed = fact("the limit is 45", stated, stated, keys=keys)
        records = [scored("case", "p", 4.0 if stated else 0.0, [changed, other])]
        return with_hashes([*records, scored("case", "q", 4.0)], **hashes)

    then, now = run("one", True), run("two", False, case="b", probe="b")
    changes = run_changes(then, [now[0], {**now[1], "hashes": {**then[1]["hashes"], "case": "b"}}])
    assert not changes.facts.gone
    assert [each.text for each in changes.facts.not_comparable] == ["the limit is 45"]
    assert changes.changed_probes == (("case", "p"),)
    assert changes.figures["overall"].value == 0


def test_several_strategies_are_compared_each_with_its_own_baseline():
    now = [*before(), *run_of(lambda number, probe: 2.0, compactor="truncate")]
    known = {
        "anchored": baseline(before()),
        "truncate": baseline(run_of(lambda number, probe: 4.0, compactor="truncate"), "truncate"),
    }
    decision = decide_baseline(now, known, BaselineRules())
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
    ((rule, reason),) = decision.not_applied
    assert rule == "overall vs main: drop<=0.1"
    assert reason.startswith(why)
    assert not decision.passed


def test_a_baseline_of_which_no_probe_was_asked_is_undecided_and_passes_nothing():
    for records, why in (
        ([{"type": "dialogue", "compactor": "anchored"}], "no probe was asked"),
        ([], "nothing was measured"),
    ):
        decision = decided(records)
        assert decision.not_applied == (("overall vs main: drop<=0.1", why),)
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
        assert compared.value >= -max_drop - 1e-9 or compared.paired.losses == 0
    else:
        assert compared.value < -max_drop
        assert high >= 0
        assert low < -max_drop


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1.5))
def test_a_larger_tolerance_never_turns_a_rule_red(one, other, spread):
    compared = run_changes(before(), lowered(0.4, spread)).figures["overall"]
    low, high = sorted((one, other))
    rank = {"worse": 0, "undecided": 1, "holds": 2}
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
    overall, anything = reds(0, runs=100)
    assert overall <= 0.03
    assert 0 < anything <= 0.06


def test_a_drop_of_four_tenths_is_found():
    overall, _ = reds(0.4, runs=40)
    assert overall >= 0.9
