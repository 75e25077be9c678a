"""The Markdown of a run: its sections, and that foreign text is nothing but text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import record
from support.finished import HOSTILE, finished, gated, several

from pytest_compaction.reports import files
from pytest_compaction.reports.files import marked_failure, write_summary
from pytest_compaction.reports.markdown_report import markdown_report
from pytest_compaction.reports.table import escaped

RAW = re.compile(r"(?<!\\)[<>|`*_\[\]~$]|@(?!&#8203;)|#(?!&#8203;|8203;)|://|www\.")
"""What means something in Markdown and is not escaped."""


def outside_of_tables_and_fences(text):
    """The paragraphs of a report without its own markup."""
    text = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text)
    return [line for line in text.splitlines() if not line.startswith(("|", "<", "#", "Records"))]


def test_a_report_has_the_decision_the_strategies_the_lowest_items_and_the_summary(snapshot):
    records = [*several("anchored", 2.0, 3.0, 4.0, 5.0), *several("truncate", 1.0, 1.0, 2.0, 2.0)]
    assert markdown_report(gated(*records)) == snapshot


def test_the_lowest_items_are_those_of_the_best_strategy():
    records = [
        *several("truncate", 0.5, 0.5),
        *several("none", 5.0),
        *several("anchored", 2.0, 3.0),
    ]
    text = markdown_report(finished(*records))
    assert "## Lowest items of anchored\n" in text
    assert "| 2.00 | anchored c0-p0 | accuracy 2.0 |" in text
    assert "truncate c0-p0" not in text


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (finished(name=""), "# compaction\n\nNo benchmark item was run.\n"),
        (finished(*several("anchored", 2.0), complete=False), "stopped before all items ran"),
        (finished(*several("anchored", 2.0, 3.0)), "| anchored | 2 | 1 | 2 | 2.50 |"),
        (
            finished(*several("anchored", 2.0, 3.0)),
            "95 % intervals: none with fewer than 6 cases.",
        ),
        (finished(*several("anchored", None, None)), "| anchored | 2 | 1 | 0 | - |"),
        (
            finished(
                *several("anchored", 2.0, 3.0, 4.0, 5.0),
                record(case="c9", overall=float("nan"), dimensions={"accuracy": float("nan")}),
            ),
            "| anchored | 5 | 3 | 4 | 3.50 |",
        ),
    ],
    ids=["empty", "stopped", "one case", "no interval", "nothing scored", "nan"],
)
def test_a_poor_run_has_a_report_that_says_so(made, said):
    text = markdown_report(made)
    assert said in text
    assert "nan" not in text
    if not any(each["overall"] for each in made.records):
        assert "Lowest items" not in text


def test_a_hostile_text_is_shown_and_means_nothing():
    low = record(reason=HOSTILE, overall=1.0, status="failed", compactor="x")
    text = markdown_report(finished(low, line=HOSTILE))
    (row,) = [line for line in text.splitlines() if line.startswith("| 1.00 |")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert "\\<script\\>" in row
    for part in (row.split("|", 3)[3].rstrip("| "), *outside_of_tables_and_fences(text)):
        assert not RAW.search(part.replace("**", "")), part
    assert text.encode("utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_fence_in_a_reason_does_not_end_the_summary():
    low = record(reason="````\n<img src=x>", overall=1.0, status="failed")
    text = markdown_report(finished(low))
    assert text.count("\n`````text\n") == 1
    assert text.count("\n`````\n") == 1


@given(st.text(max_size=60))
def test_no_text_has_markup_left_when_it_is_escaped(text):
    assert not RAW.search(escaped(text.replace("\\", "")))


def test_escaping_keeps_what_is_read():
    assert escaped("overall 4.11 >= 3.50, pass^1") == "overall 4.11 \\>= 3.50, pass^1"
    assert escaped("@a #1 https://x www.x") == "@&#8203;a \\#&#8203;1 https:\\//x www\\.x"


# --- GitHub Actions ------------------------------------------------------------------

ACTIONS = {"GITHUB_ACTIONS": "true"}


def summary_of(path, run):
    """What is said when a run is appended to the summary of a job."""
    return [line.text for line in write_summary(run, {"GITHUB_STEP_SUMMARY": str(path)})]


def test_the_summary_of_a_job_is_appended_to(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text("before", "utf-8")
    assert summary_of(path, finished(*several("anchored", 2.0))) == []
    assert path.read_text("utf-8").startswith("before\n# compaction: anchored\n")


def test_a_summary_that_is_too_long_loses_that_of_the_terminal_and_then_its_end(
    tmp_path, monkeypatch
):
    path = tmp_path / "summary.md"
    run = finished(*several("anchored", *[1.0] * 20), *several("truncate", *[2.0] * 20))
    whole = len(markdown_report(run).encode())
    for room, cut in ((whole, False), (whole - 1, False), (500, True)):
        path.write_bytes(b"x" * 100)
        monkeypatch.setattr(files, "MOST_BYTES", 101 + room)
        assert summary_of(path, run) == []
        text = path.read_text("utf-8")
        assert len(text.encode()) <= 101 + room
        assert ("<details>" in text) is (room == whole)
        assert ("The summary of this step is cut here" in text) is cut


def test_a_summary_without_room_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * files.MOST_BYTES)
    (line,) = summary_of(path, finished(*several("anchored", 2.0)))
    assert "no room left" in line
    assert path.stat().st_size == files.MOST_BYTES
    (line,) = summary_of(tmp_path / "none" / "summary.md", finished())
    assert line == "GITHUB_STEP_SUMMARY was not written: No such file or directory"


def test_a_failed_gate_is_one_escaped_command_an_undecided_one_a_warning_and_no_other_is_marked():
    run = gated(*several("a:b,c", 2.0), text="100% of\nx\r::set-output name=y::z")
    assert marked_failure(run, ACTIONS) == (
        "::error title=compaction%3A a%3Ab%2Cc::GATE FAILED 100%25 of x ::set-output name=y::z"
    )
    said = {
        outcome: marked_failure(
            finished(*several("anchored", 2.0), outcome=outcome, line="GATE UNDECIDED"), ACTIONS
        )
        for outcome in ("undecided", "passed", "none")
    }
    warning = "::warning title=compaction%3A anchored::GATE UNDECIDED"
    assert said == {"undecided": warning, "passed": None, "none": None}
