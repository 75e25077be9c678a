"""The median of lengths of which some are cut off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import median_length


@given(st.lists(st.integers(1, 50), min_size=1))
def test_without_cut_off_lengths_the_median_is_the_lower_median(lengths):
    assert median_length(lengths, []) == sorted(lengths)[(len(lengths) - 1) // 2]


@given(st.lists(st.integers(1, 50)), st.lists(st.integers(1, 50)))
def test_cut_off_lengths_never_shorten_the_median(ended, cut_off):
    with_all, alone = median_length(ended, cut_off), median_length(ended, [])
    if with_all is not None:
        assert with_all >= alone
    elif alone is not None:
        assert cut_off


def test_the_median_of_nothing_is_not_known():
    assert median_length([], [5]) is None
    assert median_length([3, 5], [9, 9, 9]) is None
    assert median_length([3, 5, 7], [6]) == pytest.approx(5)
