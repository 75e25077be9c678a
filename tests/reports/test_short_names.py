"""Names of strategies in narrow columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.reports.lines import short_names

OWN = "my_compactor:"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["anchored", "truncate"], ["anchored", "truncate"]),
        ([f"{OWN}keep_the_newest", f"{OWN}drop"], ["…:keep_the_newest", "my_compactor:drop"]),
        (
            [f"{OWN}keep_the_newest", f"{OWN}keep_the_newest_two"],
            ["…:keep_the_newest", "…p_the_newest_two"],
        ),
        (
            [f"{OWN}cut:focus='the tests and files'", f"{OWN}sum:focus='the tests and files'"],
            ["…cut:focus='the …", "…sum:focus='the …"],
        ),
    ],
)
def test_the_beginning_goes_and_what_differs_is_kept(names, shown):
    assert list(short_names(names, 17).values()) == shown


@given(
    st.lists(st.text("ab:_", min_size=1, max_size=30), unique=True, max_size=20), st.integers(8, 20)
)
def test_different_names_stay_different_and_fit(names, width):
    shown = short_names(names, width)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(len(text) <= width for text in shown.values())
