"""Survival over compactions: the life table and the half-life, against figures made by hand."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from support.loss_records import fact, lossy, runs

from pytest_compaction.metrics import FactFate, fates, half_life, life_table


def observed(*histories, case="a"):
    return fates([lossy(case, [fact(f"f{n}", each) for n, each in enumerate(histories)])])


def test_survival_is_the_product_of_what_each_compaction_leaves():
    # 4 at risk, 1 dropped; of 2 (one is censored after the first) 1 dropped; 1 left.
    found = life_table(observed((False,), (True,), (True, False), (True, True, True)))
    shown = [(row.compaction, row.at_risk, row.dropped, row.survival) for row in found]
    assert shown == [(1, 4, 1, 0.75), (2, 2, 1, 0.375), (3, 1, 0, 0.375)]


def test_a_fact_that_comes_back_stays_dropped_in_the_table():
    assert life_table(observed((False, True, True))) == life_table(observed((False,)))


@given(runs())
def test_survival_never_rises_lies_within_its_interval_and_counts_the_drops_of_the_half_life(
    records,
):
    found = fates(records)
    rows, half = life_table(found), half_life(found)
    survivals = [1.0, *(row.survival for row in rows)]
    assert all(later <= earlier for earlier, later in pairwise(survivals))
    for row in rows:
        assert 0 <= row.dropped <= row.at_risk
        if row.interval is not None:
            assert 0 <= row.interval[0] <= row.survival <= row.interval[1] <= 1
    assert (half is None) == (not rows)
    if half is not None:
        assert half.drops == sum(row.dropped for row in rows)
        assert half.exposures == sum(row.at_risk for row in rows)


def test_the_half_life_is_that_of_the_most_likely_constant_loss():
    # 2 drops in 8 exposures: a quarter each time, half after ln .5 / ln .75.
    found = half_life(observed((False,), (True, False), (True,) * 5))
    assert (found.drops, found.exposures) == (2, 8)
    assert found.compactions == pytest.approx(2.409, abs=0.001)
    assert found.interval is None


def test_a_half_life_is_infinite_without_a_loss_and_zero_if_all_go_at_once():
    assert half_life(observed((True, True))).compactions == math.inf
    assert half_life(observed((False,), (False,))).compactions == 0
    assert half_life(observed(())) is None
    assert life_table(observed(())) == ()


def test_the_interval_of_a_half_life_without_a_loss_has_a_lower_bound():
    found = half_life([fate for c in "abcdef" for fate in observed((True,) * 3, case=c)])
    most = 1 - 0.025 ** (1 / 6)
    assert found.interval == (pytest.approx(math.log(0.5) / math.log(1 - most)), math.inf)


def test_cases_that_differ_widen_the_interval_of_survival():
    alike = [fate for c in "abcdef" for fate in observed((False,), (True,), case=c)]
    apart = [fate for c in "abcdef" for fate in observed((c < "d",), (c < "d",), case=c)]
    (narrow,), (wide,) = life_table(alike), life_table(apart)
    assert narrow.survival == wide.survival == 0.5
    assert wide.interval[1] - wide.interval[0] > narrow.interval[1] - narrow.interval[0]


def drawn(rng, cases, hazard):
    """Facts of cases that each meet four compactions, every one with its own hazard."""
    for case in range(cases):
        own = min(max(rng.gauss(hazard, 0.05), 0.01), 0.9)
        for number in range(20):
            seen = []
            while len(seen) < 4 and False not in seen:
                seen.append((f"p{len(seen) + 1}", rng.random() >= own))
            told = {"stated": (*seen,), "cluster": f"c{case}"}
            yield FactFate(f"c{case}", "p", 1, str(number), "path", seen[-1][1], False, **told)


def test_the_interval_of_a_half_life_covers_the_true_one():
    rng, true, covered = random.Random(5), math.log(0.5) / math.log(0.8), 0
    for _ in range(200):
        low, high = half_life(drawn(rng, 12, 0.2)).interval
        covered += low <= true <= high
    assert 0.90 <= covered / 200 <= 0.99
