"""Names of strategies in the tables of reports: what differs stays, whatever the room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.reports.lines import short_names
from pytest_compaction.reports.table import Cell, count, markdown_table, plain_table, table

MODULE = "company.agents.contexts.strategies.compaction:"
ONE, OTHER = f"{MODULE}keep_the_newest", f"{MODULE}keep_the_oldest"


def made(key, labels, columns=1):
    """A table with rows of these labels, and columns of figures."""
    heads = [(key, key), *((f"c{n}", f"a long head {n}") for n in range(columns))]
    return table("t", "T", heads, [(Cell(text), *[count(1)] * columns) for text in labels])


@pytest.mark.parametrize("width", [100, 60, 40])
@pytest.mark.parametrize("key", ["compactor", "strategy", "facts_of"])
@pytest.mark.parametrize("after", ["", " real"])
def test_two_strategies_of_one_module_are_told_apart_in_rows(key, after, width):
    lines = list(plain_table(made(key, [ONE + after, OTHER + after]), width))
    first, second = (line.split("  ")[1] for line in lines[-2:])
    assert first.startswith("…")
    assert "newest" in first
    assert "oldest" in second
    assert all(len(line) <= width for line in lines)


def test_they_are_told_apart_in_markdown_and_in_each_part_of_a_wide_table():
    lines = list(plain_table(made("compactor", [ONE, OTHER], 8), 72))
    shown = [line.split("  ")[1] for line in lines if "…" in line]
    assert len(shown) > 2
    pairs = list(zip(shown[::2], shown[1::2], strict=True))
    assert all("newest" in one and "oldest" in other for one, other in pairs)
    text = "\n".join(markdown_table(made("compactor", [ONE, OTHER])))
    assert "newest" in text and "oldest" in text


def test_a_label_of_another_kind_keeps_its_beginning():
    fact = "the port of the server is 8081, and it was 8080 before the change of the proxy"
    (line,) = list(plain_table(made("fact", [fact])))[2:]
    assert line.split("  ")[1].startswith("the port of the server")


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
