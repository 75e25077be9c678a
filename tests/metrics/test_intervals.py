"""Intervals over cases: Student's t for few of them, the bootstrap for many."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import intervals
from pytest_compaction.metrics.intervals import (
    BOOTSTRAP_FROM,
    cluster_interval,
    interval_method,
    t_quantile,
)

scores = st.lists(st.integers(0, 5), min_size=1, max_size=4)
clusters = st.lists(scores, min_size=2, max_size=40).map(
    lambda groups: {f"case{i:02}": group for i, group in enumerate(groups)}
)


@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.975, 1, 12.7062),
        (0.975, 2, 4.3027),
        (0.975, 3, 3.1824),
        (0.975, 11, 2.2010),
        (0.975, 13, 2.1604),
        (0.975, 28, 2.0484),
        (0.95, 6, 1.9432),
        (0.995, 13, 3.0123),
        (0.5, 5, 0.0),
    ],
)
def test_quantiles_are_those_of_the_printed_tables(probability, freedom, value):
    assert t_quantile(probability, freedom) == pytest.approx(value, abs=5e-5)


@given(st.lists(st.floats(0, 5), min_size=2, max_size=BOOTSTRAP_FROM - 1), st.integers(1, 5))
def test_with_cases_of_one_size_it_is_the_t_interval_over_case_means(means, size):
    groups = {f"c{i:02}": [mean] * size for i, mean in enumerate(means)}
    error = statistics.stdev(means) / math.sqrt(len(means))
    reach = t_quantile(0.975, len(means) - 1) * error
    middle = statistics.fmean(means)
    expected = (middle - reach, middle + reach)
    assert cluster_interval(groups) == pytest.approx(expected, abs=1e-6)


@given(clusters)
def test_an_interval_contains_the_mean(groups):
    low, high = cluster_interval(groups)
    values = [value for group in groups.values() for value in group]
    assert low - 1e-9 <= sum(values) / len(values) <= high + 1e-9


@given(clusters)
def test_a_wider_level_gives_an_interval_that_is_not_narrower(groups):
    low, high = cluster_interval(groups, 0.8)
    lower, higher = cluster_interval(groups, 0.99)
    assert lower <= low <= high <= higher


@given(st.lists(scores, min_size=2, max_size=35), st.randoms(use_true_random=False))
def test_an_interval_does_not_depend_on_the_order_of_cases_or_items(groups, source):
    named = [(f"case{i:02}", group) for i, group in enumerate(groups)]
    turned = [(name, source.sample(group, len(group))) for name, group in named]
    source.shuffle(turned)
    assert cluster_interval(dict(named)) == pytest.approx(cluster_interval(dict(turned)))


def test_one_case_has_no_interval():
    assert cluster_interval({"a": [1.0, 5.0]}) is None
    assert cluster_interval({"a": [1.0, 5.0], "b": []}) is None
    assert cluster_interval({}) is None


def test_equal_values_have_an_interval_without_width():
    assert cluster_interval({"a": [3.0], "b": [3.0, 3.0], "c": [3.0]}) == (3.0, 3.0)
    many = {f"c{i}": [3.0] for i in range(BOOTSTRAP_FROM)}
    assert cluster_interval(many) == (3.0, 3.0)


def test_many_cases_are_drawn_deterministically_and_narrow_the_interval():
    source = random.Random(7)
    few = {f"c{i}": [source.gauss(3, 1)] for i in range(8)}
    many = few | {f"d{i}": [source.gauss(3, 1)] for i in range(200)}
    low, high = cluster_interval(many)
    assert cluster_interval(many) == (low, high)
    few_low, few_high = cluster_interval(few)
    assert 0 < high - low < few_high - few_low


def test_the_two_methods_agree_where_one_takes_over_from_the_other(monkeypatch):
    source = random.Random(3)
    groups = {f"c{i}": [source.gauss(3, 1), source.gauss(3, 1)] for i in range(BOOTSTRAP_FROM)}
    drawn = cluster_interval(groups)
    monkeypatch.setattr("pytest_compaction.metrics.intervals.BOOTSTRAP_FROM", 31)
    by_t = cluster_interval(groups)
    assert drawn != by_t
    assert drawn == pytest.approx(by_t, abs=0.06)


@pytest.mark.parametrize("cases", [3, 12])
def test_an_interval_over_few_cases_covers_the_true_mean_as_often_as_it_says(cases):
    source = random.Random(11)
    covered = 0
    for _ in range(1000):
        groups = {}
        for name in range(cases):
            level = source.gauss(3, 0.5)
            groups[f"c{name}"] = [source.gauss(level, 0.8) for _ in range(source.randint(8, 16))]
        low, high = cluster_interval(groups)
        covered += low <= 3 <= high
    assert 925 <= covered <= 975


def test_the_summary_can_say_how_an_interval_was_made():
    assert interval_method(12) == "Student's t over 12 case means"
    assert interval_method(30) == "bootstrap of 30 cases"


def test_clusters_are_drawn_once_for_all_figures_over_as_many(monkeypatch):
    made = []
    drawn = intervals._drawn
    monkeypatch.setattr(intervals, "_drawn", lambda count: made.append(count) or drawn(count))
    intervals._draws.cache_clear()
    for figure in range(3):
        cluster_interval({f"c{i:02}": [float(i % 5), float(figure)] for i in range(33)})
    assert made == [33]


@pytest.mark.parametrize("count", [BOOTSTRAP_FROM, 41, 501])
def test_the_draws_are_those_of_choosing_the_clusters_themselves(count):
    groups = [(float(i * i % 17), i % 4 + 1) for i in range(count)]
    source = random.Random(intervals.SEED)
    draws = (source.choices(groups, k=count) for _ in range(intervals.RESAMPLES))
    means = sorted(sum(t for t, _ in drawn) / sum(n for _, n in drawn) for drawn in draws)
    tail = (1 - 0.95) / 2
    expected = means[intervals._rank(tail)], means[intervals._rank(1 - tail)]
    assert intervals._bootstrap_interval(groups, 0.95) == expected
