"""The paired comparison: p against all signs, what it counts, and how often it is right."""

import itertools
import math

import numpy as np
import pytest
from calibration.drawn_runs import MIXED, differences, load_scores, without_difference
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import nctdtr, stdtrit

from pytest_compaction.metrics import (
    cluster_interval,
    compare,
    comparisons,
    holm,
    noncentrality,
    sign_flip_p,
)

SCORES = load_scores()
LEVEL = 0.05
RUNS = 500

totals = st.lists(st.integers(-8, 8) | st.floats(-5, 5, width=16), min_size=2, max_size=9)


def enumerated_p(values):
    """The share of all signs whose sum is as far from 0 as the one observed."""
    observed = abs(math.fsum(values))
    sums = [
        abs(math.fsum(sign * value for sign, value in zip(signs, values, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    return sum(found >= observed - 1e-9 for found in sums) / len(sums)


@given(totals)
def test_p_is_the_share_of_all_signs_that_reach_what_was_observed(values):
    found = sign_flip_p(values)
    assert found == pytest.approx(enumerated_p(values), abs=1e-12)
    assert found == sign_flip_p([-value for value in values])


def test_the_smallest_p_is_that_of_two_in_all_signs_and_the_largest_1():
    assert sign_flip_p([1.0] * 24) == 2 / 2**24
    assert sign_flip_p([0.0, 0.0, 0.0]) == sign_flip_p([1.0, -1.0]) == 1


def test_drawn_signs_agree_with_all_of_them(monkeypatch):
    source = np.random.default_rng(2)
    samples = [source.normal(0.4, 1, 15).tolist() for _ in range(10)]
    exact = [sign_flip_p(values) for values in samples]
    monkeypatch.setattr(comparisons, "MOST_EXACT", 0)
    assert [sign_flip_p(values) for values in samples] == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("count", [27, 60, 300])
def test_drawn_signs_are_all_there_seeded_and_never_give_0(count):
    values = [1.0] * count
    assert sign_flip_p(values) == 1 / (19_999 + 1)
    mixed = [(-1) ** number * (number % 7) + 0.5 for number in range(count)]
    assert sign_flip_p(mixed) == sign_flip_p(mixed)
    assert 0 < sign_flip_p(mixed) <= 1


def test_the_difference_is_that_of_the_items_with_its_interval_over_cases():
    found = {"a": [0.5, 0.0, -0.25], "b": [1.0], "c": [0.5, 1e-12]}
    found |= {case: [0.25] for case in "def"}
    paired = compare(found)
    assert paired.difference.value == pytest.approx(2.5 / 9)
    assert paired.difference.interval == cluster_interval(found)
    assert (paired.difference.count, paired.difference.cases) == (9, 6)
    assert (paired.wins, paired.ties, paired.losses) == (6, 2, 1)
    assert paired.p == 2 / 2**6  # all six cases are higher
    assert paired.detectable > 0


def test_fewer_than_six_cases_have_neither_interval_nor_p_nor_power():
    paired = compare({case: [1.0, 0.5] for case in "abcde"})
    assert (paired.difference.interval, paired.p, paired.detectable) == (None, None, None)
    assert paired.difference.value == 0.75
    one = compare({"a": [1.0, 0.0], "b": []})
    assert (one.difference.value, one.difference.interval, one.p) == (0.5, None, None)


def test_differences_that_are_no_number_are_left_out_and_nothing_to_compare_is_none():
    found = {"a": [1.0, math.nan], "b": [2.0], "c": [math.inf, 0.5]}
    assert compare(found) == compare({"a": [1.0], "b": [2.0], "c": [0.5]})
    assert compare({}) is compare({"a": [], "b": [math.nan]}) is None


def alike(cases, mixed):
    """Differences of pairs of runs without a difference, and the standard error of their means."""
    source = np.random.default_rng(4)
    drawn = [
        differences(*without_difference(SCORES, cases, source, mixed=mixed)) for _ in range(RUNS)
    ]
    return drawn, np.std([compare(found).difference.value for found in drawn])


def share_found(drawn, planted):
    """The share of pairs of runs in which a difference is found that is planted in every item."""
    moved = ({case: [v + planted for v in of] for case, of in found.items()} for found in drawn)
    return sum(compare(each).p <= LEVEL for each in moved) / RUNS


@pytest.mark.parametrize(
    ("cases", "mixed"),
    [
        (12, ("anchored",)),
        pytest.param(24, ("anchored",), marks=pytest.mark.exhaustive),
        (24, MIXED),
        pytest.param(40, MIXED, marks=pytest.mark.exhaustive),
    ],
)
def test_runs_alike_give_few_alarms_and_a_planted_difference_is_found_at_the_stated_power(
    cases, mixed
):
    drawn, error = alike(cases, mixed)
    assert share_found(drawn, 0) <= 0.07
    if mixed == MIXED:
        assert share_found(drawn, 0) >= 0.03
    freedom = cases - 1
    stated = 1 - nctdtr(freedom, 0.3 / error, stdtrit(freedom, 1 - LEVEL / 2))
    assert share_found(drawn, 0.3) == pytest.approx(stated, abs=0.06)


@pytest.mark.parametrize("cases", [12, pytest.param(24, marks=pytest.mark.exhaustive)])
def test_the_detectable_difference_is_found_four_times_of_five(cases):
    drawn, error = alike(cases, ("anchored",))
    true = noncentrality(cases - 1, 0.8, LEVEL) * error
    said = [compare(found).detectable for found in drawn]
    assert np.mean(said) == pytest.approx(true, rel=0.1)
    assert 0.75 <= share_found(drawn, true) <= 0.85


p_values = st.lists(st.floats(0, 1), max_size=12)


def rejected_step_down(values, level):
    """Which tests Holm rejects: the smallest p against level / m, the next against / (m - 1), …"""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = set()
    for step, place in enumerate(order):
        if values[place] * (len(values) - step) > level:
            break
        found.add(place)
    return found


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_it_rejects_what_the_steps_of_the_procedure_reject(values, level):
    adjusted = holm(values)
    assert {place for place, p in enumerate(adjusted) if p <= level} == rejected_step_down(
        values, level
    )


def test_a_test_without_a_value_is_no_test():
    assert holm([0.01, None, 0.04, math.nan]) == [0.02, None, 0.04, None]
    assert holm([None]) == [None]
    assert holm([]) == []


def test_the_example_of_four_tests():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
