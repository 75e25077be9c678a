"""Names of strategies in the tables of reports: what differs stays, whatever the room."""

import pytest

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


def test_they_are_told_apart_in_a_narrow_column_and_in_each_part_of_a_wide_table():
    lines = list(plain_table(made("compactor", [ONE, OTHER], 8), 72))
    shown = [line.split("  ")[1] for line in lines if "…" in line]
    assert len(shown) > 2
    pairs = list(zip(shown[::2], shown[1::2], strict=True))
    assert all("newest" in one and "oldest" in other for one, other in pairs)


def test_markdown_tells_them_apart_too():
    text = "\n".join(markdown_table(made("compactor", [ONE, OTHER])))
    assert "newest" in text
    assert "oldest" in text


def test_a_label_of_another_kind_keeps_its_beginning():
    fact = "the port of the server is 8081, and it was 8080 before the change of the proxy"
    (line,) = list(plain_table(made("fact", [fact])))[2:]
    assert line.split("  ")[1].startswith("the port of the server")
