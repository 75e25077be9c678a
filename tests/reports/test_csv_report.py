"""The CSV of a run: one row an item, stable columns, and nothing that a spreadsheet runs."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st
from support.builders import record
from support.finished import HOSTILE, fact, finished, several

from pytest_compaction.metrics import further
from pytest_compaction.records import columns
from pytest_compaction.reports.files import csv_report
from pytest_compaction.reports.table import inert


def rows(*records):
    text = csv_report(finished(*records))
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_the_columns_stay_as_they_are():
    known = (
        *("item", "type", "case", "task", "kind", "probe", "point", "origin", "compactor"),
        *("budget", "trial", "status", "overall", "accuracy", "context", "artifact"),
        *("continuity", "completeness", "instruction", "facts", "stated", "dropped", "unused"),
        *("recoverable", "gone", "traps", "traps_hit", "consistency", "retention", "savings"),
        *("log_tokens", "view_tokens", "case_budget", "usd", "reason", "error"),
    )
    assert columns() == (*known, *(figure.name for figure in further("csv")))


def test_an_item_is_one_row():
    facts = [fact(), fact("dropped", recoverable=True), fact("dropped", recoverable=False)]
    facts += [fact("unused"), fact("dropped", recoverable=False)]
    (row,) = rows(
        record(
            overall=2.5,
            status="failed",
            reason="accuracy 2.5, context 2.5",
            budget=2000,
            point={"id": "p2", "recorded": False},
            facts=facts,
            traps=[{"text": "it is 30", "hit": True}],
            usd={"compaction": 0.25, "judge": 0.5},
        )
    )
    assert (row["overall"], row["accuracy"], row["artifact"]) == ("2.5", "4.0", "")
    counted = ("facts", "stated", "dropped", "unused", "recoverable", "gone", "traps_hit")
    assert [row[name] for name in counted] == ["5", "2", "3", "1", "1", "2", "1"]
    assert (row["log_tokens"], row["view_tokens"], row["case_budget"]) == ("1000", "100", "1000")
    assert (row["budget"], row["point"], row["usd"]) == ("2000", "p2", "0.75")
    assert row["reason"] == "accuracy 2.5, context 2.5"


def test_lines_end_as_the_standard_says_and_texts_with_a_comma_are_quoted():
    text = csv_report(finished(record(reason='a "b", c')))
    assert ',"a ""b"", c",' in text
    assert text.endswith("\r\n")
    assert text.count("\r\n") == text.count("\n") == 2
    assert csv_report(finished()) == ",".join(columns()) + "\r\n", "heads alone"


def test_an_unscored_item_and_a_score_that_is_no_number_have_no_figures():
    (row,) = rows(*several("anchored", None))
    assert [row[name] for name in ("status", "overall", "stated", "dropped")] == [
        "unscored",
        *[""] * 3,
    ]
    (row,) = rows(record(overall=float("nan"), dimensions={"accuracy": float("inf")}))
    assert (row["status"], row["overall"], row["accuracy"]) == ("unscored", "", "")
    assert row["reason"] == "a score in the record is not a finite number"


def test_a_hostile_text_is_one_cell():
    (row,) = rows(record(reason=HOSTILE, task="=HYPERLINK(1)", probe="@SUM(1)"))
    assert row["task"] == "'=HYPERLINK(1)"
    assert row["probe"] == "'@SUM(1)"
    assert row["reason"].startswith("<script>")
    assert row["reason"].isprintable()


def test_a_text_that_a_spreadsheet_would_run_stands_behind_an_apostrophe_and_no_other():
    for text in ("=1", "+1", "-1", "@a", "\t=1", "\r=1", " =1", "＝1"):
        assert inert(text) == f"'{text}"
    for value in ("", " ", "a=1", -1, -0.5, None):
        assert inert(value) is value


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_comes_back_as_one_cell_of_one_row(reason, task):
    found = rows(record(reason=reason, task=task), record(probe="q"))
    assert len(found) == 2
    assert all(None not in row and None not in row.values() for row in found)
