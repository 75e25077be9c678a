"""Intervals of means over cases: a studentised bootstrap of whole cases, checked by simulation."""

import math
import random
import statistics

import numpy as np
import pytest
from calibration.drawn_runs import clusters_of, draw, load_scores, populations
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import cluster_interval, interval_method, ratio_interval, t_quantile
from pytest_compaction.metrics.intervals import MOST_DRAWN

scores = st.lists(st.integers(0, 5), min_size=1, max_size=4)
clusters = st.lists(scores, min_size=6, max_size=40).map(
    lambda groups: {f"case{i:02}": group for i, group in enumerate(groups)}
)


def test_very_many_cases_of_one_size_have_the_t_interval_over_case_means():
    cases = MOST_DRAWN + 1
    source = random.Random(3)
    means = [source.uniform(0, 5) for _ in range(cases)]
    error = statistics.stdev(means) / math.sqrt(cases)
    reach = t_quantile(0.975, cases - 1) * error
    middle = statistics.fmean(means)
    groups = {f"c{number:03}": [mean] * 3 for number, mean in enumerate(means)}
    assert cluster_interval(groups) == pytest.approx((middle - reach, middle + reach))


@given(clusters)
def test_an_interval_contains_the_mean_and_is_not_narrower_at_a_wider_level(groups):
    values = [value for group in groups.values() for value in group]
    middle = sum(values) / len(values)
    low, high = cluster_interval(groups, 0.8)
    lower, higher = cluster_interval(groups, 0.99)
    assert lower <= low <= high <= higher
    low, high = cluster_interval(groups)
    assert low - 1e-9 <= middle <= high + 1e-9


@given(st.lists(scores, min_size=2, max_size=35), st.randoms(use_true_random=False))
def test_an_interval_does_not_depend_on_the_order_of_cases_or_items(groups, source):
    named = [(f"case{i:02}", group) for i, group in enumerate(groups)]
    turned = [(name, source.sample(group, len(group))) for name, group in named]
    source.shuffle(turned)
    assert cluster_interval(dict(named)) == pytest.approx(cluster_interval(dict(turned)))


def test_fewer_than_six_cases_have_no_interval():
    five = {case: [1.0, 5.0] for case in "abcde"}
    assert cluster_interval(five) is None
    assert cluster_interval(five | {"f": []}) is None
    assert cluster_interval(five | {"f": [2.0]}) is not None
    assert cluster_interval({}) is None
    assert cluster_interval({case: [3.0] for case in "abcde"} | {"f": [3.0, 3.0]}) == (3.0, 3.0)


def test_many_cases_are_drawn_deterministically_and_narrow_the_interval():
    source = random.Random(7)
    few = {f"c{i}": [source.gauss(3, 1)] for i in range(8)}
    many = few | {f"d{i}": [source.gauss(3, 1)] for i in range(200)}
    low, high = cluster_interval(many)
    assert cluster_interval(many) == (low, high)
    few_low, few_high = cluster_interval(few)
    assert 0 < high - low < few_high - few_low


def test_one_case_apart_from_equal_others_makes_no_interval_without_end():
    low, high = cluster_interval({f"c{number:02}": [5.0] for number in range(11)} | {"d": [3.0]})
    assert 4.2 < low < 4.4
    assert 4.9 < high < 5.1
    low, high = cluster_interval({case: [5.0] for case in "abcd"} | {"e": [4.99], "f": [3.0]})
    assert 0 < low < 4.67 < high < 7


def test_where_a_few_cases_make_the_mean_the_interval_reaches_further_to_their_side():
    low, high = cluster_interval({f"c{number:02}": [score] for number, score in enumerate(SKEWED)})
    middle = statistics.fmean(SKEWED)
    assert high - middle > 1.5 * (middle - low)


SKEWED = (0, 0.1, 0.2, 0.2, 0.3, 0.4, 0.4, 0.5, 0.6, 0.8, 3.5, 4)


def test_values_that_are_no_finite_number_are_left_out():
    more = {case: [3.0] for case in "efg"}
    groups = {"a": [1.0, math.nan], "b": [2.0, math.inf], "c": [4.0], "d": [math.nan], **more}
    finite = {"a": [1.0], "b": [2.0], "c": [4.0], **more}
    assert cluster_interval(groups) == cluster_interval(finite) != None  # noqa: E711
    assert cluster_interval({case: [1.0] for case in "abcde"} | {"f": [math.nan]}) is None


def test_a_ratio_has_the_interval_of_a_mean_with_as_many_values():
    groups = {"a": [1.0, 2.0], "b": [4.0], "c": [0.0, 0.0, 3.0], "d": [5.0], "g": [1.0], "h": [2.0]}
    ratios = {case: (sum(values), len(values)) for case, values in groups.items()}
    assert ratio_interval({**ratios, "e": (0, 0)}) == cluster_interval(groups)
    assert ratio_interval({"a": (1, 2)}) is None


def test_the_summary_can_say_how_an_interval_was_made():
    assert interval_method(12) == "studentised bootstrap of 12 cases"
    assert interval_method(2) == "none with fewer than 6 cases"
    assert interval_method(501) == "Student's t over 501 case means"


DRAWN = populations(load_scores())


def coverage(population, runs, cases, seed):
    """How often the interval over this many cases covers the true mean."""
    drawn = zip(*draw(population, runs, cases, np.random.default_rng(seed)), strict=True)
    bounds = [cluster_interval(clusters_of(*run)) for run in drawn]
    return sum(low <= population.mean <= high for low, high in bounds) / runs


@pytest.mark.parametrize("population", DRAWN, ids=lambda population: population.name)
def test_an_interval_over_12_cases_covers_the_true_mean_as_often_as_it_says(population):
    assert 0.93 <= coverage(population, 2000, 12, 5) <= 0.97


@pytest.mark.exhaustive
@pytest.mark.parametrize("cases", [6, 8, 24, 40])
@pytest.mark.parametrize("population", DRAWN, ids=lambda population: population.name)
def test_with_any_number_of_cases_an_interval_covers_nearly_as_often_as_it_says(population, cases):
    assert (0.93 if cases > 8 else 0.9) <= coverage(population, 4000, cases, 6) <= 0.98
