"""The table of strategies: letters, the budget, and its width."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import Mean, aggregate
from pytest_compaction.reports.summary.comparison import (
    StrategyRow,
    short_letters,
    strategy_table,
)


def row(name, letters="", share=0.5):
    mean = None if share is None else Mean(share, None, 1, 1)
    return StrategyRow(aggregate(name, []), letters, mean)


def texts(rows):
    return [line.text for line in strategy_table(rows)]


def test_a_long_run_of_letters_is_written_as_its_ends():
    assert short_letters("abc") == "abc"
    assert short_letters("abcd") == "a-d"
    assert short_letters("abcdgh") == "a-dgh"
    assert short_letters("") == ""


def test_letters_are_explained_where_there_are_any():
    note = "strategies that share a letter do not differ at 5 % (paired, Holm)"
    assert note in texts([row("one", "a"), row("two", "ab")])
    assert note not in texts([row("one"), row("two")])


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=40), st.text("abcdefgh", max_size=8)),
        min_size=1,
        max_size=5,
        unique_by=lambda pair: pair[0],
    )
)
def test_no_row_is_wider_than_80_columns(named):
    for line in texts([row(name, letters) for name, letters in named]):
        assert len(line) <= 80
