"""What the cases at hand can tell, and how many it takes for more."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import nctdtr, stdtrit

from pytest_compaction.metrics import cases_needed, detectable_difference, fewest_cases
from pytest_compaction.metrics.intervals import sums_of

OF_12 = {f"c{number:02}": [0.1 * (number % 5), -0.2] for number in range(12)}


def power_of(cases, difference, spread, level=0.05):
    """The probability that a two-sided t test over this many cases finds a difference."""
    shift = difference * math.sqrt(cases) / spread
    return 1 - nctdtr(cases - 1, shift, stdtrit(cases - 1, 1 - level / 2))


@given(st.floats(0.02, 0.1), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_cases_needed_are_the_fewest_with_this_power(difference, power):
    means = [sum(values) / 2 for values in OF_12.values()]
    spread = statistics.stdev(means)
    needed = cases_needed(OF_12, difference, power)
    assert power_of(needed, difference, spread) >= power - 1e-6
    if needed > fewest_cases():
        assert power_of(needed - 1, difference, spread) < power


def test_what_12_cases_detect_takes_12_cases():
    detectable = detectable_difference(sums_of(OF_12))
    assert cases_needed(OF_12, detectable * 1.0001) == 12
    assert cases_needed(OF_12, detectable * 0.9999) == 13
    assert cases_needed(OF_12, -detectable * 1.0001) == 12
    assert 3 * 12 < cases_needed(OF_12, detectable / 2) < 4 * 12
    assert detectable_difference(sums_of(OF_12), 0.5) < detectable
    assert detectable < detectable_difference(sums_of(OF_12), 0.8, level=0.01)


@pytest.mark.parametrize(("level", "cases"), [(0.05, 6), (0.01, 8), (0.5, 2), (1, 2)])
def test_fewer_cases_than_their_signs_can_tell_detect_nothing(level, cases):
    assert fewest_cases(level) == cases
    assert 2 / 2**cases <= level
    groups = {f"c{number}": [number * 1.0] for number in range(cases)}
    if level < 1:
        assert detectable_difference(sums_of(groups), level=level) > 0
    del groups["c0"]
    if len(groups) > 1:
        assert detectable_difference(sums_of(groups), level=level) is None


def test_differences_that_are_all_the_same_are_found_however_small():
    same = {f"c{number}": [0.2, 0.2] for number in range(8)}
    assert detectable_difference(sums_of(same)) == pytest.approx(0, abs=1e-12)
    assert cases_needed(same, 0.001) == fewest_cases()


def test_nothing_to_measure_the_spread_by_is_none():
    for groups in ({}, {"a": [1.0, 2.0]}, {"a": [1.0], "b": [math.nan]}):
        assert detectable_difference(sums_of(groups)) is None
        assert cases_needed(groups, 0.1) is None
    assert cases_needed(OF_12, 0) is None
    assert cases_needed(OF_12, math.nan) is None
    assert cases_needed(OF_12, 1e-9) is None  # no million of cases would do
