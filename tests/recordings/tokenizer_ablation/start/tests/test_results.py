"""Tables."""

from quaylm.measure import Score
from quaylm.results import Row, read_rows, table, write_rows

ROWS = [Row.of(60, Score(30.0, 10, 8, 2)), Row.of(0.5, Score(20.0, 10, 5, 0))]


def test_the_best_row_has_a_star():
    assert table("prior", ROWS).splitlines()[2].split() == ["0.5", "5", "0.0%", "2.000", "*"]


def test_written_rows_are_read_again(tmp_path):
    write_rows(tmp_path / "deep" / "rows.tsv", ROWS)
    assert read_rows(tmp_path / "deep" / "rows.tsv") == ROWS
