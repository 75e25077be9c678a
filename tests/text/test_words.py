"""Lines that are cut to a length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text import clipped


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("two  words\n here", 14, "two words here"),
        ("two words here", 13, "two words he…"),
        ("two words here", 11, "two words…"),
        ("", 5, ""),
    ],
)
def test_a_text_is_one_line_and_a_cut_text_says_so(text, limit, shown):
    assert clipped(text, limit) == shown


@given(st.text(), st.integers(1, 40))
def test_a_clipped_text_never_exceeds_its_limit(text, limit):
    assert len(clipped(text, limit)) <= limit
