"""Which failures are printed whole."""

import re

import pytest
from support.scenarios import run, set_up
from support.worker_counts import BOTH

WHOLE = ("GATE ", "records: ", "FAILED ", "ERROR in ")
"""Lines that stay whole, and those of pytest's short summary, which it cuts itself."""


def sections(result):
    """The failure sections, by the names of their items."""
    return [line for line in result.outlines if line.startswith("_") and "test_probe" in line]


def listed(result):
    return [line for line in result.outlines if line.startswith("FAILED ")]


@BOTH
def test_the_five_lowest_failures_are_printed_and_the_others_counted(pytester, workers):
    set_up(pytester)
    result = run(pytester, workers, compactor="forget")
    assert len(sections(result)) == len(listed(result)) == 5
    assert result.parseoutcomes() == {"failed": 8}
    said = "3 more below 3.5: -rb has a line for each, -v prints each"
    assert result.outlines.count(said) == 1
    assert not any(line.startswith("  0.00  ") for line in result.outlines)


@pytest.mark.parametrize("columns", ["50", "200"])
def test_each_other_failure_has_a_line_of_the_width_of_the_terminal_when_asked_for(
    pytester, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", columns)
    set_up(pytester, "first")
    result = run(pytester, "--compaction-show=0", "-rb", compactor="forget")
    rows = [line for line in result.outlines if line.startswith("  0.00  ")]
    assert all(re.match(r"  0\.00  first-\w+ +\d of \d dropped: ", row) for row in rows), rows
    assert len(rows) == 4
    assert max(map(len, rows)) <= int(columns)
    assert any(row.endswith("…") for row in rows) == (columns == "50")
    assert sections(result) == listed(result) == []


@pytest.mark.parametrize(
    ("compactor", "arguments"),
    [
        ("forget", ["-v"]),
        ("forget", ["--compaction-threshold=overall>=4", "-rb"]),
        ("keep", ["--compactor=none,random", "--compaction-budget=60,90"]),
        ("raises", ["--compaction-show=all"]),
    ],
)
def test_sections_and_tables_stay_within_a_narrow_terminal(
    pytester, monkeypatch, compactor, arguments
):
    monkeypatch.setenv("COLUMNS", "50")
    set_up(pytester, "first")
    result = run(pytester, *arguments, compactor=compactor)
    lines = result.outlines
    begin = next(n for n, line in enumerate(lines) if re.match("=+ (FAILURES|compaction) =+", line))
    shown = [line for line in lines[begin:] if not line.startswith(WHOLE)]
    assert len(shown) > 10
    # A word that is longer than the terminal is wide, such as a path, is not broken.
    words = [word for line in shown if len(line) > 50 for word in [line.split()]]
    assert all(len(word) == 1 for word in words), words


def test_items_that_were_measured_below_the_pass_score_are_listed_when_asked_for(pytester):
    set_up(pytester)
    gate = "--compaction-threshold=overall>=0"
    result = run(pytester, gate, compactor="forget")
    assert "8 items below 3.5: -rb has a line for each" in result.outlines
    listing = run(pytester, gate, "-rb", compactor="forget")
    listing.stdout.fnmatch_lines(["=* 8 below 3.5 =*", "  0.00  first-decided *"])
    assert not any("a line for each" in line for line in listing.outlines)


@pytest.mark.parametrize("asked", ["--compaction-show=all", "-v"])
def test_all_failures_are_printed_where_that_is_asked_for(pytester, asked):
    set_up(pytester)
    result = run(pytester, asked, compactor="forget")
    assert len(sections(result)) == len(listed(result)) == 8


def test_what_failed_for_another_reason_is_always_printed(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "def test_other():\n"
        "    assert 1 == 2\n"
    )
    result = run(pytester, "--compaction-show=0", compactor="forget")
    assert sections(result) == []
    result.stdout.fnmatch_lines(["*_ test_other _*"])
