"""A/B of two arms: trials averaged within a case, and the noise of the old one's own trials."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.changed_runs import fact, scored
from support.loss_records import event, lossy

from pytest_compaction.metrics.arms import (
    EQUAL_TOKENS,
    arm_changes,
    arm_totals,
    difference_of,
    facts_between_trials,
    lead_over,
    mean_over_trials,
    null_of,
    trial_noise,
)

SCORES = st.lists(
    st.lists(st.floats(0, 5).map(lambda score: round(score, 2)), min_size=1, max_size=3),
    min_size=1,
    max_size=8,
)
"""The scores of each case, one a trial."""


def overall(record):
    return record["overall"]


def arm(scores, **more):
    """An arm with one probe a case, whose trials have these scores."""
    return [
        scored(f"case-{number}", "p", score, [fact("a fact", score > 2)], trial=trial, **more)
        for number, trials in enumerate(scores)
        for trial, score in enumerate(trials, start=1)
    ]


@given(SCORES, SCORES, st.randoms(use_true_random=False))
def test_a_difference_turns_round_with_the_arms_and_no_order_of_records_matters(one, other, source):
    first, second = arm(one), arm(other)
    there = difference_of(first, second, overall)
    back = difference_of(second, source.sample(first, len(first)), overall)
    assert (there.first, there.second) == (back.second, back.first)
    assert there.value == pytest.approx(-back.value)
    assert (there.paired.wins, there.paired.losses) == (back.paired.losses, back.paired.wins)
    (changes,) = arm_changes(first, [source.sample(first, len(first))])
    assert all(each.both.value == 0 for each in changes.figures)
    assert changes.facts.gone == changes.facts.regained == ()
    moved = source.sample(first, len(first))
    assert mean_over_trials(moved, overall) == mean_over_trials(first, overall)
    assert trial_noise(moved, overall) == trial_noise(first, overall)


@given(st.lists(st.floats(0, 5), min_size=1, max_size=8), st.lists(st.floats(0, 5), min_size=8))
def test_a_trial_that_says_the_same_again_is_no_further_case(one, other):
    alone = difference_of(arm([[s] for s in one]), arm([[s] for s in other]), overall)
    again = difference_of(arm([[s, s, s] for s in one]), arm([[s] for s in other]), overall)
    assert again.value == pytest.approx(alone.value)
    assert again.paired.difference.count == alone.paired.difference.count == len(one)
    assert trial_noise(arm([[s, s, s] for s in one]), overall) == 0


@given(st.floats(0.1, 2), st.integers(1, 8))
def test_the_noise_of_two_trials_that_lie_apart(apart, cases):
    records = arm([[1.0, 1.0 + apart]] * cases)
    assert trial_noise(records, overall) == pytest.approx(apart / math.sqrt(2))
    assert trial_noise(arm([[1.0]] * cases), overall) is None


def test_facts_that_move_between_single_trials_are_counted():
    assert facts_between_trials(arm([[1.0, 4.0], [4.0, 4.0]])) == 1
    assert facts_between_trials(arm([[1.0], [4.0]])) is None


def test_a_trial_without_a_score_is_left_out_of_its_case_alone():
    first = arm([[2.0, 4.0], [3.0, 3.0]])
    second = arm([[4.0, 4.0], [3.0, 3.0]])
    second[0] = {**second[0], "overall": None}
    found = difference_of(first, second, overall)
    assert (found.first, found.second, found.value) == (3.0, 3.5, 0.5)


def test_with_several_new_arms_p_values_are_corrected_together():
    cases = [[2.0 + number % 3 / 4] for number in range(12)]
    better = [[score + 0.5 + number % 2 / 10] for number, (score,) in enumerate(cases)]
    (alone,) = arm_changes(arm(cases), [arm(better)])
    both = arm_changes(arm(cases), [arm(better), arm(better)])
    raw = alone.figures[0].both.paired.p
    assert alone.figures[0].p == raw < 0.01
    assert [each.figures[0].p for each in both] == [pytest.approx(2 * raw)] * 2


def test_at_equal_view_tokens_both_arms_are_compared_with_the_same_null():
    def nulls(window, random):
        made = {"window": window, "random": random}
        return {name: {"overall": score, "tokens": 9} for name, score in made.items()}

    old = arm([[3.0]] * 6, nulls=nulls(2.0, 1.0))
    new = arm([[4.0]] * 6, nulls=nulls(3.5, 4.0))
    assert null_of(old) == "window"
    assert lead_over(new[0], "window") == 0.5
    (changes,) = arm_changes(old, [new])
    raw, equal = changes.figures[:2]
    assert (raw.name, raw.both.value) == ("overall", 1.0)
    assert (equal.name, equal.both.value) == (EQUAL_TOKENS, -0.5)


def test_what_an_arm_took_counts_a_compaction_once_for_all_its_probes():
    records = [
        lossy(
            "a",
            probe=probe,
            trial=trial,
            overall=None if probe == "q" else 4.0,
            reason="the view is broken",
            tokens={"log": 100, "view": 40, "summary": 7},
            latency_s={"responder": 9.0, "compaction p1": 1.5},
            usd={"compaction": 0.25, "responder": 0.5},
            events=[
                event(flaws={"cut": 1}, prompt_tokens=100),
                event(point="p2", status="failed", prompt_tokens=300),
            ],
        )
        for probe in "pq"
        for trial in (1, 2)
    ]
    found = arm_totals(records)
    assert (found.compactions, found.failed, found.summary, found.seconds) == (4, 2, 14, 3.0)
    assert found.usd == 2 * 0.25 + 4 * 0.5
    assert found.flaws == {"refused": 0, "cut": 2, "empty": 0, "misformed": 0}
    assert found.prompt == 200
    assert (found.view, found.items, found.unscored) == (40, 4, 2)
    assert found.reason == "the view is broken"
    unpriced = [{**record, "usd": {"compaction": None}} for record in records]
    assert replace(found, usd=None) == arm_totals(unpriced)
