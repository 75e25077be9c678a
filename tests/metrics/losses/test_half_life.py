"""The half-life of facts, against figures made by hand."""

import math
import random

import pytest
from hypothesis import given
from support.loss_records import fact, lossy, runs

from pytest_compaction.metrics import FactFate, fates, half_life


def observed(*histories, case="a"):
    return fates([lossy(case, [fact(f"f{n}", each) for n, each in enumerate(histories)])])


@given(runs())
def test_drops_and_exposures_are_those_of_the_facts(records):
    found = fates(records)
    half = half_life(found)
    exposures = sum(fate.exposures for fate in found)
    assert (half is None) == (exposures == 0)
    if half is not None:
        assert half.exposures == exposures
        assert half.drops == sum(fate.drop is not None for fate in found)


def test_a_fact_that_comes_back_stays_dropped():
    assert half_life(observed((False, True, True))) == half_life(observed((False,)))


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


def test_the_interval_of_a_half_life_without_a_loss_has_a_lower_bound():
    found = half_life([fate for c in "abcdef" for fate in observed((True,) * 3, case=c)])
    most = 1 - 0.025 ** (1 / 6)
    assert found.interval == (pytest.approx(math.log(0.5) / math.log(1 - most)), math.inf)


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
