"""One more entry in the tuple of figures is in every outlet, and can be gated on."""

import csv
import io
import json

import pytest
from support.finished import fact, finished, several

from pytest_compaction.gate import decide, parse_threshold
from pytest_compaction.metrics import adjusted_p, figures, run_changes
from pytest_compaction.records import Run
from pytest_compaction.reports import changes
from pytest_compaction.reports.files import csv_report
from pytest_compaction.reports.finished_run import suite_properties
from pytest_compaction.reports.json_report import report_json
from pytest_compaction.reports.markdown_report import markdown_report
from pytest_compaction.reports.page.page import page_of
from pytest_compaction.reports.page.runs import PageRun
from pytest_compaction.reports.summary import run_summary
from pytest_compaction.text import Range

NAME, HEAD = "long_reasons", "long reasons"
SEVERAL = [f"  {HEAD} 100% [100%, 100%]", f"  {HEAD} 0% [0%, 0%]"]
RECORDS = several("anchored", *[3.0] * 14) + several("random", *[4.0] * 14)


@pytest.fixture(autouse=True)
def _one_more(monkeypatch):
    """The share of items whose reason is long: 1 where the score is below 3.5, else 0."""
    added = figures.Figure(
        NAME, "share", Range(0, 1), HEAD, of=lambda record: float(len(record["reason"]) > 5)
    )
    monkeypatch.setattr(figures, "FIGURES", (*figures.FIGURES, added))


def as_run(records):
    return Run({}, {record["item"]: record for record in records}, name="r")


def test_the_gate_decides_on_it():
    below, above = (parse_threshold(f"{NAME}<={bound}") for bound in ("0.5", "100%"))
    checks = decide(RECORDS[:14], [below, above], 0).checks
    assert [(c.rule, c.holds) for c in checks[:2]] == [
        (f"{NAME}<=0.5", False),
        (f"{NAME}<=1", True),
    ]
    with pytest.raises(ValueError, match=f"write METRIC.*{NAME}"):
        parse_threshold("overal>=3")


def test_the_terminal_and_comparisons_have_it():
    for records, said in ((RECORDS[:14], [f"{HEAD} 100% [100%, 100%]"]), (RECORDS, SEVERAL)):
        lines = run_summary(records, ["anchored", "random"], control=False)
        assert set(said) <= {line.text for line in lines}
    changed = run_changes(RECORDS[:14], RECORDS[14:])
    sides = [changes.Side(name, "s") for name in ("one", "other")]
    compared = [changes.RunComparison(*sides, changed, adjusted_p([changed])[0])]
    lines = changes.comparison_text(compared, 0).splitlines()
    assert "-1.00" in next(line for line in lines if line.startswith(f"  {NAME}"))
    assert f"| {NAME.replace('_', chr(92) + '_')} |" in changes.comparison_markdown(compared, 0)
    (found,) = changes.comparison_json(compared)["comparisons"]
    assert (found["figures"][NAME]["first"], found["figures"][NAME]["second"]) == (1.0, 0.0)


def test_files_the_page_and_a_notebook_have_it():
    run = finished(*RECORDS)
    data = json.loads(report_json(run))
    assert [s["figures"][NAME]["value"] for s in data["strategies"]] == [1.0, 0.0]
    assert data["items"][0][NAME] == 1.0
    rows = list(csv.DictReader(io.StringIO(csv_report(run), newline="")))
    assert {row[NAME] for row in rows} == {"1.0", "0.0"}
    assert dict(suite_properties(run))[f"compaction.anchored.{NAME}"] == "1.0000"
    assert f"| {HEAD} |" in markdown_report(run)
    loaded = as_run(RECORDS)
    assert HEAD in page_of([PageRun("r", loaded)])
    assert loaded.mean(NAME, "anchored").value == 1.0
    compared = loaded.only("anchored").compare(loaded.only("random"), NAME)
    assert compared.difference.value == -1.0


def test_percentages_that_reports_tell_in_their_own_words_are_figures_too():
    lost = several("anchored", *[3.0] * 6, facts=[fact(), fact("dropped"), fact("unused")])
    found = {name: mean.value for name, mean in figures.means(lost).items()}
    assert found["stated"] == pytest.approx(2 / 3)
    assert (found["removed"], found["pass^1"]) == (0.9, 0.0)
    assert {"unused", "traps", "half_life", "kept", "er"} <= set(figures.known())
    assert decide(lost, [parse_threshold("stated>=60%")], 0).checks[0].holds


def test_the_seconds_of_a_compaction_are_counted_once_for_its_probes_and_shown():
    timed = several("anchored", *[3.0] * 4)
    for number, record in enumerate(timed):
        record["case"] = f"case{number // 2}"
        record["latency_s"] = {"compaction p1": 2.0 + 2 * (number // 2), "responder": 60.0}
    mean = figures.means(timed)["seconds"]
    assert (mean.value, mean.cases) == (3.0, 2)
    assert decide(timed, [parse_threshold("seconds<=3")], 0).checks[0].holds
    page = page_of([PageRun("r", as_run(timed))])
    markdown = markdown_report(finished(*timed))
    assert all("seconds each" in text for text in (page, markdown))
    asked_nobody = several("anchored", *[3.0] * 4)
    assert "seconds" not in figures.means(asked_nobody)
    assert "seconds each" not in markdown_report(finished(*asked_nobody))
