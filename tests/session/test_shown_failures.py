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
    said = "3 more below 3.5: -v prints each, pytest-compaction show last lists them"
    assert result.outlines.count(said) == 1


@pytest.mark.parametrize(
    ("compactor", "arguments"),
    [
        ("forget", ["-v"]),
        ("forget", ["--compaction-threshold=overall>=4"]),
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


def test_items_that_were_measured_below_the_pass_score_are_counted(pytester):
    set_up(pytester)
    result = run(pytester, "--compaction-threshold=overall>=0", compactor="forget")
    assert "8 items below 3.5: pytest-compaction show last lists them" in result.outlines


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
