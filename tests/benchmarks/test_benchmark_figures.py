"""The figures of the benchmarks: shares, bounds, medians, tables and their order of runs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.__main__ import replace_table
from tests.benchmarks.arguments import Measurement, interleaved
from tests.benchmarks.checkouts import ROOT, Checkout, checkouts, commit_of
from tests.benchmarks.figures import Column, Row, least_seconds, share_of_limit, spread, table
from tests.benchmarks.limit import longest_chain

COLUMNS = (Column("time", "seconds", 1, compared=True), Column("calls", "calls", 0))


@given(
    st.integers(1, 100), st.floats(0.01, 10), st.integers(1, 64), st.floats(1, 1e6), st.floats(2, 9)
)
def test_the_share_of_the_limit_falls_as_the_time_grows(calls, latency, in_flight, seconds, times):
    share = share_of_limit(calls, latency, seconds, in_flight)
    longer = share_of_limit(calls, latency, seconds * times, in_flight)
    assert longer == pytest.approx(share / times)
    assert share_of_limit(calls=1600, latency=0.05, seconds=10, in_flight=8) == pytest.approx(1)
    assert share_of_limit(0, 0.05, 0, 8) == 0
    assert least_seconds(calls=320, latency=1, in_flight=32, chain=8) == 10
    assert least_seconds(calls=32, latency=1, in_flight=32, chain=8) == 8


def test_a_spread_has_least_median_and_greatest():
    assert spread([3, 1, 2], 0) == "1 / 2 / 3"
    assert spread([4, 1], 1) == "1.0 / 2.5 / 4.0"
    assert spread([1234.56], 1) == "1,234.6"
    assert spread([], 1) == ""


def test_a_table_compares_medians_of_rows_with_the_same_name():
    rows = [
        Row("run", "old", [{"seconds": 4, "calls": 5}, {"seconds": 2, "calls": 5}]),
        Row("run", "new", [{"seconds": 1.5, "calls": 5}]),
        Row("other", "", [{"seconds": 1.0}]),
    ]
    assert table(rows, COLUMNS, "old").splitlines() == [
        "| run | commit | time | calls | time ÷ old |",
        "| --- | --- | ---: | ---: | ---: |",
        "| run | old | 2.0 / 3.0 / 4.0 | 5 / 5 / 5 |  |",
        "| run | new | 1.5 | 5 | 0.50 |",
        "| other |  | 1.0 |  |  |",
    ]
    assert "÷" not in table(rows, COLUMNS)


def test_two_checkouts_take_turns():
    seen = []

    def measure(checkout):
        seen.append(checkout.commit)
        return [{"turn": len(seen)}, {"turn": -len(seen)}]

    compared = [Checkout(ROOT, "a"), Checkout(ROOT, "b")]
    rows = interleaved(Measurement(["first", "again"], measure), compared, repeat=2)
    assert seen == ["a", "b", "a", "b"]
    assert rows == [
        Row("first", "a", [{"turn": 1}, {"turn": 3}]),
        Row("first", "b", [{"turn": 2}, {"turn": 4}]),
        Row("again", "a", [{"turn": -1}, {"turn": -3}]),
        Row("again", "b", [{"turn": -2}, {"turn": -4}]),
    ]


def test_a_checkout_is_not_compared_with_itself_or_a_folder_without_the_project(tmp_path):
    with pytest.raises(SystemExit, match=r"as .* does"):
        checkouts(ROOT)
    with pytest.raises(SystemExit, match="no checkout"):
        commit_of(tmp_path)


def test_the_longest_chain_is_that_of_the_record_with_most_calls(tmp_path):
    runs = tmp_path / ".pytest_compaction/runs"
    runs.mkdir(parents=True)
    made = [{"compaction": 3, "responder": 1}, {"compaction": 2, "judge": 3, "responder": 1}, {}]
    lines = [{"usage": {role: {"calls": n} for role, n in each.items()}} for each in made]
    (runs / "0001.jsonl").write_text("\n".join(map(json.dumps, [{"cases": {}}, *lines])), "utf-8")
    assert longest_chain(tmp_path) == 6


def test_a_table_takes_the_place_of_the_one_before(tmp_path):
    page = tmp_path / "speed.md"
    page.write_text("A\n<!-- table length -->\nold\n<!-- /table length -->\nB\n", "utf-8")
    replace_table(page, "length", "| new |\n")
    expected = "A\n<!-- table length -->\n| new |\n<!-- /table length -->\nB\n"
    assert page.read_text("utf-8") == expected
    with pytest.raises(SystemExit, match="no place for the table limit"):
        replace_table(page, "limit", "| new |")
