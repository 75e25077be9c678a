"""Facts needed later and facts stated only are two figures in every outlet, never one mean."""

import csv
import io
import json

import pytest
from support.finished import fact, finished, several

from pytest_compaction.gate import decide, parse_threshold
from pytest_compaction.metrics import adjusted_p, means, run_changes
from pytest_compaction.records import Run
from pytest_compaction.reports import changes
from pytest_compaction.reports.files import csv_report
from pytest_compaction.reports.json_report import report_json
from pytest_compaction.reports.markdown_report import markdown_report
from pytest_compaction.reports.page.page import page_of
from pytest_compaction.reports.page.runs import PageRun
from pytest_compaction.reports.summary import run_summary

WHY = {"how": "used", "message": "m9", "why": "needed by m9: edit of a.py"}
KEPT, LOST = fact(needed=WHY), fact("dropped", needed=WHY)
OTHERS = {"reading": "view", "facts": [KEPT, fact("dropped"), fact("dropped")]}
FILES = {"reading": "view", "kind": "file", "facts": [KEPT, LOST, LOST, fact()]}
APART = several("anchored", *[3.0] * 7, **OTHERS) + several("anchored", *[3.0] * 14, **FILES)[7:]
PLAIN = several("anchored", *[3.0] * 14)


def shown(records):
    return [line.text for line in run_summary(records, ["anchored", "random"], control=False)]


def test_the_shares_are_those_of_all_needed_and_of_all_other_facts():
    found = means(APART)
    assert found["needed.survival"].value == pytest.approx(14 / 28)
    assert found["stated.survival"].value == pytest.approx(7 / 21)
    assert found["needed.survival"].interval is not None
    assert not {"needed.survival", "stated.survival"} & set(means(PLAIN))


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("needed.survival>=50%", True),
        ("needed.survival>=0.8", False),
        ("recall.needed.survival>=1", True),
        ("file.needed.survival>=0.5", False),
        ("scripted.stated.survival<=0.4", True),
    ],
)
def test_the_gate_decides_on_either(rule, holds):
    check = decide(APART, [parse_threshold(rule)], 0).checks[0]
    assert check.holds is holds
    if rule.startswith("needed"):
        check = decide(PLAIN, [parse_threshold(rule)], 0).checks[0]
        assert not check.holds
        assert "no fact of these cases says what it was needed for" in check.text


@pytest.mark.parametrize("rule", ["needed.survival>=1.5", "needed.surviva>=1", "needed>=1"])
def test_a_threshold_that_no_share_can_have_is_refused(rule):
    with pytest.raises(ValueError, match=r"needed\.survival"):
        parse_threshold(rule)


def test_the_first_screen_tells_them_apart():
    lines = shown(APART)
    assert lines[0].startswith("anchored keeps 50% of 28 needed facts and 33% of 21 stated only;")
    text = "\n".join(lines)
    assert "facts kept   needed facts  stated only  score" in text
    assert "recall       100% of    7   0% of   14   3.00" in text
    assert "needed facts 50% [" in text and "stated only 33% [" in text
    assert max(map(len, lines)) <= 80 and len(lines) <= 40


def test_without_needed_facts_neither_the_first_screen_nor_a_table_speaks_of_them():
    lines = shown(PLAIN)
    assert lines[0].startswith("anchored keeps 50% of 28 facts;")
    assert not any("needed" in line or "stated only" in line for line in lines)
    assert "needed facts" not in markdown_report(finished(*PLAIN))


def test_a_comparison_has_a_row_for_each():
    changed = run_changes(APART, [*several("anchored", *[4.0] * 14, facts=[KEPT, fact()])])
    sides = [changes.Side(name, "s") for name in ("one", "other")]
    both = [changes.RunComparison(*sides, changed, adjusted_p([changed])[0])]
    rows = [line.split() for line in changes.comparison_text(both, 0).splitlines()]
    assert ["needed", "facts", "50%", "100%"] in [row[:4] for row in rows]
    assert ["stated", "only", "33%", "100%"] in [row[:4] for row in rows]
    facts = changes.comparison_json(both)["comparisons"][0]["facts"]
    assert (facts["kept"], facts["needed"]) == (None, (0.5, 1.0))


def test_json_csv_markdown_and_page_have_both():
    run = finished(*APART)
    data = json.loads(report_json(run))
    (strategy,) = data["strategies"]
    assert strategy["figures"]["needed.survival"]["value"] == 0.5
    assert data["items"][0]["needed"] == [{"text": "it is 15", "why": WHY["why"], "stated": True}]
    rows = list(csv.DictReader(io.StringIO(csv_report(run), newline="")))
    assert {row["needed.survival"] for row in rows} == {"1.0", str(1 / 3)}
    assert "| needed facts | stated only |" in markdown_report(run)
    assert "needed facts" in page_of([PageRun("r", Run({}, {r["item"]: r for r in APART}))])
