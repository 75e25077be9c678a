"""``pytest-compaction report``: the tables of a run, in every form."""

import csv
import io
import json

import pytest
from support.builders import record
from support.loss_records import fact, lossy
from support.recorded_session import write_recorded_session
from support.scenarios import lean, run_files
from support.worker_counts import BOTH

from pytest_compaction import cli
from pytest_compaction.conversation import canonical_json
from pytest_compaction.records import load_run
from pytest_compaction.reports.table import TABLE_WIDTH

HOSTILE = "<script>alert(1)</script>|*x*"


def report(capsys, *arguments):
    code = cli.main(["report", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def run_file(folder, *records, name="0001-run.jsonl"):
    path = folder / name
    lines = [{"format": 1}, *records]
    path.write_text("".join(f"{canonical_json(line)}\n" for line in lines), "utf-8")
    return path


def item(compactor, case, *states, **changes):
    facts = [
        {"text": f"f{n}", "type": "next_step", "view": "stated", "survived": s, "used": s}
        for n, s in enumerate(states)
    ]
    return record(
        case,
        "p",
        compactor,
        facts=facts,
        budget="recorded",
        point={"id": "p1", "recorded": True},
        **{"origin": "real", **changes},
    )


@pytest.fixture
def both(tmp_path):
    return run_file(
        tmp_path,
        item("recorded", "a", True, False),
        item("recorded", "b", True, True),
        item("anchored", "a", True, True),
        item("anchored", "b", True, True),
        record("s", "p", "anchored", origin="scripted", overall=2.0, dimensions={"accuracy": 2.0}),
    )


def test_the_tables_are_printed(both, capsys):
    code, out, err = report(capsys, both)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert "next step 4 75% 100%".split() in rows
    assert "overall 4 75% 100%".split() in rows
    assert "view tokens 100 100".split() in rows
    assert "type of fact facts recorded anchored".split() in rows
    scripted = "anchored scripted 1 1 2.00 100% 90% 10.00 -".split()
    assert any(row[: len(scripted)] == scripted for row in rows)
    assert "At each point a view may take as many tokens as the one on record." in out
    code, out, _ = report(capsys, both, "--table", "production")
    assert out.startswith("What production compaction lost\n")
    assert (code, "Strategies" in out) == (0, False)


def test_many_strategies_stay_within_the_width(tmp_path, capsys):
    names = ["recorded", *(f"strategy-{n}" for n in range(8))]
    path = run_file(tmp_path, *(item(name, case, True) for name in names for case in "ab"))
    _, out, _ = report(capsys, path, "--table", "production")
    assert all(len(line) <= TABLE_WIDTH for line in out.splitlines())
    assert all(f" {name}" in out for name in names)
    assert out.count("view tokens") > 1


def test_markdown_json_and_csv_have_the_same_figures(both, capsys):
    _, out, _ = report(capsys, both, "--table", "production", "--format", "markdown")
    assert "| next step | 4 | 75% | 100% |" in out
    _, out, _ = report(capsys, both, "--format", "json")
    tables = json.loads(out)["tables"]
    assert set(tables) == {"strategies", "origins", "production"}
    first, *_, last = tables["production"]["rows"]
    assert first["recorded"] == {"value": 0.75, "interval": None}
    assert last == {"type": "view tokens", "facts": None, "recorded": 100.0, "anchored": 100.0}
    _, out, _ = report(capsys, both, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    (found,) = [
        row
        for row in rows
        if (row["table"], row["row"], row["column"]) == ("production", "next step", "recorded")
    ]
    assert (found["value"], found["low"], found["high"]) == ("0.75", "", "")
    assert {row["table"] for row in rows} == {"strategies", "origins", "production"}


def test_html_is_one_safe_page_and_csv_runs_nothing(tmp_path, capsys):
    hostile = [item(name, "a", True) for name in ("recorded", HOSTILE, "=SUM(A1)")]
    path = run_file(tmp_path, *hostile)
    page = tmp_path / "out.html"
    code, out, _ = report(capsys, path, "-o", page)
    assert (code, out) == (0, f"written: {page}\n")
    text = page.read_text("utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    assert "What production compaction lost" in text
    _, out, _ = report(capsys, path, "--format", "csv")
    assert "'=SUM(A1)" in out
    assert ",=SUM" not in out


def test_several_runs_make_one_page(both, capsys):
    later = run_file(both.parent, item("anchored", "a", False), name="0002-later.jsonl")
    page = both.parent / "out.html"
    assert report(capsys, both, later, "-o", page)[0] == 0
    text = page.read_text("utf-8")
    assert "anchored (0001-run)" in text and "anchored (0002-later)" in text
    code, out, err = report(capsys, both, later)
    assert (code, out) == (1, "")
    assert "several make a page: add -o PATH.html" in err
    code, _, err = report(capsys, both, "--table", "strategies", "-o", page)
    assert (code, "a page holds all tables" in err) == (1, True)


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [
        (".md", "## Strategies"),
        (".json", "{"),
        (".csv", "table,row"),
        (".html", "<!doctype"),
        (".txt", "Strategies"),
    ],
)
def test_the_suffix_names_the_form(both, tmp_path, capsys, suffix, begins):
    target = tmp_path / f"out{suffix}"
    assert report(capsys, both, "-o", target)[0] == 0
    assert target.read_text("utf-8").startswith(begins)


def test_what_was_lost_and_what_it_costs_can_be_asked_for_and_what_a_run_lacks_is_said(
    tmp_path, capsys
):
    lost = fact("45 seconds", (False,), recoverable=True)
    path = run_file(tmp_path, lossy("a", [lost]), lossy("b", [fact()]))
    code, out, _ = report(capsys, path, "--table", "losses", "--table", "cost", "--format", "json")
    tables = json.loads(out)["tables"]
    assert (code, list(tables)) == (0, ["losses", "cost"])
    assert tables["losses"]["rows"][0]["dropped"] == 1
    assert tables["cost"]["rows"][0]["removed"] == 90_000
    old = run_file(tmp_path, item("anchored", "a", True), name="0002-old.jsonl")
    for run, table, needs in (
        (path, "lost_by", "a run of two strategies or more"),
        (path, "task", "a run by this version over cases that say what"),
        (old, "cost", "a run of a strategy that compacted"),
        (old, "production", "a run of recorded"),
        (old, "origins", "a run over real and scripted cases"),
    ):
        code, out, err = report(capsys, run, "--table", table)
        assert (code, out) == (1, "")
        assert f"has no table '{table}': it needs {needs}" in err
    code, out, _ = report(capsys, old)
    assert (code, out.splitlines()[0]) == (0, "Strategies")


def test_a_file_that_is_no_run_of_probes_is_named(tmp_path, capsys):
    assert "none.jsonl" in report(capsys, tmp_path / "none.jsonl")[2]
    code, _, err = report(capsys, run_file(tmp_path))
    assert (code, "holds no record of a probe" in err) == (1, True)
    code, _, err = report(capsys, run_file(tmp_path, item("a", "a", True)), "-o", tmp_path)
    assert (code, "cannot be written" in err) == (1, True)


@BOTH
def test_an_imported_session_says_what_production_lost(pytester, capsys, workers):
    write_recorded_session(pytester.path / "cases/real")
    options = ["--compactor=recorded,anchored,window", "--compaction-budget=recorded", "--tb=no"]
    result = pytester.runpytest_inprocess(*lean(), "-q", workers, *options)
    (file,) = run_files(pytester)
    shown = file.relative_to(pytester.path)
    result.stdout.fnmatch_lines(
        [f"what production lost, by type of fact: pytest-compaction report {shown}"]
    )
    capsys.readouterr()
    code, out, _ = report(capsys, file, "--table", "production", "--format", "json")
    assert code == 0
    rows = {row["type"]: row for row in json.loads(out)["tables"]["production"]["rows"]}
    assert {type: row["facts"] for type, row in rows.items()} == {
        "state": 1,
        "next step": 3,
        "overall": 4,
        "view tokens": None,
    }
    assert rows["state"]["recorded"] == {"value": 1.0, "interval": None}
    assert rows["next step"]["recorded"]["value"] == pytest.approx(2 / 3)
    view = rows["view tokens"]["recorded"]
    assert max(rows["view tokens"][name] for name in ("anchored", "window")) <= view
    found = load_run(file).records
    budgets = {r["compaction"]["budget"] for r in found if r["point"]["recorded"]}
    assert budgets == {view}
