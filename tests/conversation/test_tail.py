"""The one definition of a tail: as many of the newest items as fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.conversation import newest_that_fit


@pytest.mark.parametrize(
    ("sizes", "room", "least", "start"),
    [
        ([], 10, 0, 0),
        ([], 10, 1, 0),
        ([4, 3, 2], 5, 0, 1),
        ([4, 3, 2], 4, 0, 2),
        ([4, 3, 2], 1, 0, 3),
        ([4, 3, 2], 1, 1, 2),
        ([4, 3, 2], 9, 0, 0),
        ([1, 9, 1], 5, 0, 2),
        ([1, 9], 5, 1, 1),
    ],
)
def test_the_newest_items_are_taken_until_one_does_not_fit(sizes, room, least, start):
    assert newest_that_fit(sizes, room, least) == start


@given(st.lists(st.integers(0, 20)), st.integers(-5, 60), st.integers(0, 3))
def test_a_tail_fits_and_one_item_more_would_not(sizes, room, least):
    start = newest_that_fit(sizes, room, least)
    forced = max(len(sizes) - least, 0)
    assert start <= forced
    if start < forced:
        assert sum(sizes[start:]) <= room
    if start > 0:
        assert sum(sizes[start - 1 :]) > room
