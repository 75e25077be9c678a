"""Wilson's interval over cases: against the plain one, at its ends, and by simulation."""

import math

import numpy as np
import pytest
from calibration.drawn_runs import clusters_of, draw, load_scores, passes, populations
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import proportion_interval, t_quantile

flags = st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=2, max_size=30).map(
    lambda groups: {f"c{number:02}": group for number, group in enumerate(groups)}
)
BY_SCORES = {population.name: passes(population) for population in populations(load_scores())}


def wilson(share, size, quantile):
    square = quantile**2 / size
    middle = (share + square / 2) / (1 + square)
    reach = quantile / (1 + square) * math.sqrt(share * (1 - share) / size + square / size / 4)
    return middle - reach, middle + reach


@given(flags)
def test_it_lies_within_0_and_1_and_around_the_share_and_turns_round_with_the_outcomes(groups):
    low, high = proportion_interval(groups)
    values = [value for group in groups.values() for value in group]
    assert 0 <= low <= sum(values) / len(values) <= high <= 1
    assert high - low > 0.02
    turned = {case: [not value for value in values] for case, values in groups.items()}
    assert proportion_interval(turned) == pytest.approx((1 - high, 1 - low))


def test_cases_as_different_as_chance_makes_them_give_the_plain_interval_with_t():
    groups = {f"c{number:02}": [number % 2 == 0] for number in range(20)}
    # One item a case: the variance over cases is that of items, but for 20 / 19.
    expected = wilson(0.5, 19, t_quantile(0.975, 19))
    assert proportion_interval(groups) == pytest.approx(expected)


def test_items_that_pass_or_fail_by_whole_cases_count_as_one_each():
    whole = {f"c{number:02}": [number % 2 == 0] * 16 for number in range(20)}
    single = {case: values[:1] for case, values in whole.items()}
    assert proportion_interval(whole) == pytest.approx(proportion_interval(single))


def test_if_all_pass_the_interval_is_that_of_as_many_items_as_there_are_cases():
    low, high = proportion_interval({f"c{number:02}": [True] * 15 for number in range(12)})
    assert high == pytest.approx(1)
    assert low == pytest.approx(wilson(1.0, 12, t_quantile(0.975, 11))[0])
    assert low < 0.8


def test_one_case_no_case_and_values_that_are_no_number_are_defined():
    assert proportion_interval({}) is None
    assert proportion_interval({"a": [True, False], "b": []}) is None
    assert proportion_interval({"a": [True], "b": [math.nan]}) is None


@pytest.mark.parametrize("name", BY_SCORES)
def test_it_covers_the_true_share_with_12_cases(name):
    population = BY_SCORES[name]
    runs = zip(*draw(population, 2000, 12, np.random.default_rng(5)), strict=True)
    bounds = [proportion_interval(clusters_of(*run)) for run in runs]
    covered = sum(low <= population.mean <= high for low, high in bounds)
    assert 0.93 <= covered / len(bounds) <= 0.97
