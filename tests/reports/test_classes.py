"""Scores by task and by length of the session: every outlet shows them, where there are several."""

import json

from support.finished import finished, several

from pytest_compaction.metrics import by_arm, by_class
from pytest_compaction.records import Run
from pytest_compaction.reports import PageRun, page_of
from pytest_compaction.reports.json_report import report_json
from pytest_compaction.reports.markdown_report import markdown_report
from pytest_compaction.reports.summary import run_summary

TITLE = "By task and by length of the session"


def mixed(*names):
    """Two debugging cases of 1,000 tokens, and a feature of 200,000, by these strategies."""
    found = []
    for name in names:
        records = several(name, 4.0, 4.0, 2.0, 2.0, 1.0, None)
        for record in records[4:]:
            record |= {"task": "feature", "tokens": {"log": 200_000, "view": 100}}
        found += records
    return found


def test_cases_are_counted_and_scores_averaged_by_task_and_by_length():
    found = by_class(by_arm(mixed("anchored")))
    assert [(each.kind, each.name, each.cases) for each in found] == [
        ("task", "debugging", 2),
        ("task", "feature", 1),
        ("length", "up to 32,000 tokens", 2),
        ("length", "longer", 1),
    ]
    assert [each.overall["anchored"].value for each in found] == [3.0, 1.0, 3.0, 1.0]


def test_a_class_of_which_nothing_was_scored_has_no_figure_and_cases_alike_are_no_classes():
    records = mixed("anchored")
    for record in records[4:]:
        record["overall"] = None
    assert by_class(by_arm(records))[1].overall == {"anchored": None}
    alike = several("anchored", *[3.0] * 6)
    assert by_class(by_arm(alike)) == []
    assert TITLE not in markdown_report(finished(*alike))


def test_every_outlet_shows_the_classes():
    records = mixed("anchored", "truncate")
    page = page_of([PageRun("r", Run({}, {str(n): r for n, r in enumerate(records)}))])
    terminal = "\n".join(line.text for line in run_summary(records, (), False, verbose=True))
    for text in (page, markdown_report(finished(*records)), terminal):
        assert TITLE in text
        assert "up to 32,000 tokens" in text
    assert TITLE not in "\n".join(line.text for line in run_summary(records, (), False))
    data = json.loads(report_json(finished(*records)))["classes"]
    assert data[1]["overall"]["truncate"]["value"] == 1.0
