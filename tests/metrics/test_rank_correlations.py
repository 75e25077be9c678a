"""Kappa, Spearman and Kendall of two raters: definitions, known values, what they ignore."""

import itertools
import math
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_compaction.metrics import (
    jackknife_interval,
    kendall_tau_b,
    spearman,
    t_quantile,
    weighted_kappa,
)

MEASURES = pytest.mark.parametrize("measure", [weighted_kappa, spearman, kendall_tau_b])
values = st.integers(0, 10).map(lambda half: half / 2)
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=15)


def varies(found):
    return all(len({pair[side] for pair in found}) > 1 for side in (0, 1))


@given(pairs)
def test_kappa_is_one_minus_what_is_observed_over_what_is_expected(found):
    assume(varies(found))
    observed = statistics.fmean((a - b) ** 2 for a, b in found)
    sides = [[pair[side] for pair in found] for side in (0, 1)]
    expected = statistics.fmean((a - b) ** 2 for a, b in itertools.product(*sides))
    assert weighted_kappa(found) == pytest.approx(1 - observed / expected)


def test_kappa_of_yes_and_no_is_that_of_cohen():
    # Both yes 20, yes/no 5, no/yes 10, both no 15: observed .7, by chance .5.
    found = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert weighted_kappa(found) == pytest.approx(0.4)


@given(pairs)
def test_spearman_is_the_correlation_of_mean_ranks(found):
    assume(varies(found))

    def rank(side, value):
        below = sum(pair[side] < value for pair in found)
        equal = sum(pair[side] == value for pair in found)
        return below + (equal + 1) / 2

    ranks = [[rank(side, pair[side]) for pair in found] for side in (0, 1)]
    assert spearman(found) == pytest.approx(statistics.correlation(*ranks))


def test_kendall_with_ties():
    # Six pairs of things: four agree, none disagrees, one is tied in each.
    found = [(1, 1), (2, 2), (2, 3), (3, 3)]
    assert kendall_tau_b(found) == pytest.approx(4 / math.sqrt(5 * 5))


@MEASURES
@given(found=pairs)
def test_sides_and_order_do_not_matter_nothing_is_beyond_one_and_who_agrees_has_one(measure, found):
    assume(varies(found))
    value = measure(found)
    assert -1 - 1e-9 <= value <= 1 + 1e-9
    assert measure(found[::-1]) == pytest.approx(value)
    assert measure([(b, a) for a, b in found]) == pytest.approx(value)
    assert measure([(a, a) for a, _ in found]) == pytest.approx(1)
    if measure is not weighted_kappa:
        assert measure([(a**3, 7 * b - 2) for a, b in found]) == pytest.approx(value)


@MEASURES
@pytest.mark.parametrize("found", [[], [(1, 2)], [(1, 2), (1, 3)], [(1, 2), (3, 2)]])
def test_a_constant_side_has_no_figure(measure, found):
    assert measure(found) is None


@given(st.lists(st.floats(0, 5), min_size=6, max_size=12), st.integers(1, 4))
def test_for_a_mean_of_cases_of_one_size_it_is_the_t_interval(means, size):
    groups = {f"case{number:02}": [value] * size for number, value in enumerate(means)}
    mean = statistics.fmean
    reach = t_quantile(0.975, len(means) - 1) * statistics.stdev(means) / math.sqrt(len(means))
    expected = mean(means) - reach, mean(means) + reach
    assert jackknife_interval(groups, mean) == pytest.approx(expected, abs=1e-6)


@given(st.dictionaries(st.sampled_from("abcdef"), pairs, min_size=2))
def test_an_interval_holds_the_figure_and_is_the_same_again(groups):
    whole = spearman([pair for group in groups.values() for pair in group])
    found = jackknife_interval(groups, spearman)
    assume(found is not None)
    assert found[0] <= whole <= found[1]
    assert jackknife_interval(dict(reversed(groups.items())), spearman) == pytest.approx(found)


def test_there_is_no_interval_of_one_case_or_where_the_figure_hangs_on_one():
    assert jackknife_interval({"a": [(0, 1), (2, 3)]}, spearman) is None
    assert jackknife_interval({"a": [(0, 1), (2, 3)], "b": [(1, 1)]}, spearman) is None
