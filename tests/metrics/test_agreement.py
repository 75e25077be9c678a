"""Krippendorff's alpha: the published example, the definition, and its invariances."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import krippendorff_alpha

NONE = None
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
]
"""Four observers over twelve units, from Krippendorff (2011), section C and D."""

scores = st.none() | st.integers(0, 10).map(lambda half: half / 2)
tables = st.integers(2, 4).flatmap(
    lambda judges: st.lists(st.lists(scores, min_size=judges, max_size=judges), max_size=12)
)


def by_definition(units):
    """Alpha from all pairs of values, straight from its definition."""
    kept = [[v for v in unit if v is not None] for unit in units]
    kept = [unit for unit in kept if len(unit) >= 2]
    values = [value for unit in kept for value in unit]
    n = len(values)
    observed = sum(
        sum((a - b) ** 2 for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1)
        for unit in kept
    )
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(values, 2))
    if not n or not expected:
        return None
    return 1 - (observed / n) / (expected / (n * (n - 1)))


def test_the_published_example_gives_the_published_figure():
    units = list(zip(*PUBLISHED, strict=True))
    assert round(krippendorff_alpha(units), 3) == 0.849
    for units in ([], [[3]], [[3, None], [None, 4]], [[4, 4], [4, 4]]):
        assert krippendorff_alpha(units) is None, "without two values, or variation"


def test_the_reference_package_agrees():
    package = pytest.importorskip("krippendorff", reason="the package krippendorff is not here")
    table = [[math.nan if value is None else value for value in row] for row in PUBLISHED]
    theirs = package.alpha(reliability_data=table, level_of_measurement="interval")
    assert krippendorff_alpha(zip(*PUBLISHED, strict=True)) == pytest.approx(theirs, abs=1e-12)


@given(tables)
def test_it_is_what_its_definition_says(units):
    found, expected = krippendorff_alpha(units), by_definition(units)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(expected, abs=1e-9)
        assert found <= 1
