"""The table of strategies: letters, the budget, and its width."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import aggregate
from pytest_compaction.reports.strategies import short_letters, strategy_table


def texts(letters):
    """The table of strategies with these letters and no record."""
    figures = [aggregate(name, []) for name in letters]
    groups = {name: [] for name in letters}
    return [line.text for line in strategy_table(figures, groups, letters)]


def test_a_long_run_of_letters_is_written_as_its_ends():
    assert short_letters("abc") == "abc"
    assert short_letters("abcd") == "a-d"
    assert short_letters("abcdgh") == "a-dgh"
    assert short_letters("") == ""


def test_letters_are_explained_where_there_are_any():
    note = "strategies that share a letter do not differ at 5 % (paired, Holm)"
    assert note in texts({"one": "a", "two": "ab"})
    assert note not in texts({"one": "", "two": ""})


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=40), st.text("abcdefgh", max_size=8)),
        min_size=1,
        max_size=5,
        unique_by=lambda pair: pair[0],
    )
)
def test_no_row_is_wider_than_80_columns(named):
    for line in texts(dict(named)):
        assert len(line) <= 80
