"""A loaded run as one works with it: items, rows, means, comparisons, and the short forms."""

import pytest
from support.builders import record
from support.finished import HOSTILE, fact, several

import pytest_compaction
from pytest_compaction.records import Run, RunFileError, RunWriter, columns, load_run

HEADER = {"settings": {"compactors": ["truncate", "anchored", "none"]}}


def run_of(*records, name="0001-x.jsonl"):
    return Run(header=HEADER, by_item={each["item"]: each for each in records}, name=name)


def test_the_public_names_are_these():
    assert pytest_compaction.Run is Run
    assert pytest_compaction.load_run is load_run


def test_last_is_the_newest_run_as_in_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunFileError, match="there is no run in"):
        load_run("last")
    folder = tmp_path / ".pytest_compaction" / "runs"
    for name in ("anchored", "truncate"):
        RunWriter(folder, name, HEADER).close()
    assert load_run("last").name == "0002-truncate.jsonl"
    (tmp_path / "last").write_text('{"format": 1}\n')
    assert load_run("last").name == "last"


def test_a_nan_is_no_score():
    run = run_of(record(overall=float("nan")), record(case="b", overall=3.0))
    assert [row["status"] for row in run.table()] == ["unscored", "passed"]
    assert [item.status for item in run.items] == ["unscored", "passed"]
    assert run.mean().value == 3.0


def test_an_item_has_attributes():
    (item,) = run_of(
        record(
            overall=2.0,
            status="failed",
            question="What is it?",
            response="30",
            facts=[
                fact("dropped", **{"class": "number", "evidence": ["m1"], "recoverable": False})
            ],
        )
    ).items
    assert (item.case, item.probe, item.compactor, item.trial) == ("a", "p", "anchored", 1)
    assert (item.overall, item.dimensions["accuracy"], item.status) == (2.0, 4.0, "failed")
    assert "artifact" not in item.dimensions
    assert (item.question, item.response, item.passed) == ("What is it?", "30", False)
    (lost,) = item.facts
    shown = (lost.group, lost.loss, lost.recoverable, lost.evidence)
    assert shown == ("number", "dropped", False, ("m1",))
    assert repr(item) == "<Item anchored a-p: 2.00 failed>"
    (later,) = run_of(record(error={"phase": "teardown", "reason": "no"})).items
    assert (later.status, later.passed) == ("passed", False)


def test_a_table_is_flat_and_has_the_columns_of_the_csv():
    rows = run_of(*several("anchored", 1.0, None)).table()
    assert [list(row) for row in rows] == [list(columns())] * 2
    scalars = str | int | float | None
    assert all(isinstance(value, scalars) for row in rows for value in row.values())
    assert [row["overall"] for row in rows] == [1.0, None]
    assert [row["stated"] for row in rows] == [1, None]


def test_a_mean_has_its_interval_within_the_scores():
    mean = run_of(*several("anchored", *[0.0, 0.0, 5.0, 5.0] * 3)).mean()
    assert (mean.value, mean.count, mean.cases) == (2.5, 12, 6)
    assert 0 <= mean.interval[0] < 1 < 4 < mean.interval[1] <= 5


def test_a_mean_is_of_one_strategy_and_of_one_kind():
    records = [
        *several("anchored", 1.0, 2.0),
        record(case="c1", compactor="anchored", kind="file", overall=5.0),
        *several("truncate", 3.0, 3.0),
        *several("none", 5.0, 5.0),
    ]
    run = run_of(*records)
    assert run.mean(compactor="truncate").value == 3.0
    assert run.mean("stated", compactor="truncate").value == 0.5
    assert run.mean(compactor="anchored", kind="file").value == 5.0
    with pytest.raises(ValueError, match=r"several strategies; name one, .*'truncate', 'anchored'"):
        run.mean()
    assert run.only(compactor="anchored").mean().value == pytest.approx(8 / 3)
    assert run_of(*several("anchored", 1.0), *several("none", 5.0)).mean().value == 1.0
    assert run_of(*several("none", 5.0)).mean().value == 5.0


def test_a_strategy_at_one_budget_is_named_as_in_the_ids_of_items():
    records = [
        record(compactor="anchored", budget=budget, item=f"i{budget}", overall=budget / 1000)
        for budget in (1000, 2000)
    ]
    assert run_of(*records).mean(compactor="anchored-b2000").value == 2.0
    assert run_of(*records).mean(compactor="anchored").value == 1.5


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda run: run.mean("artefact"), "'artefact' is not a figure of a run; did you mean 'ar"),
        (lambda run: run.mean(compactor="anchord"), "compactor 'anchord'; did you mean 'anchored'"),
        (lambda run: run.mean(kind="x"), "no item of this run has the kind 'x'; there is 'recall'"),
        (lambda run: run.only(case="zz"), "no item of this run has the case 'zz'; there is 'c0'"),
        (lambda run: run.compare(run, "pass"), "'pass' is not a figure of a run; there is 'acc"),
    ],
)
def test_a_name_that_is_not_there_is_refused_with_those_that_are(ask, said):
    with pytest.raises(ValueError) as caught:
        ask(run_of(*several("anchored", 1.0)))
    assert said in str(caught.value)


def test_strategies_come_in_the_order_of_the_command_line():
    records = [*several("none", 5.0), *several("zebra", 1.0), *several("truncate", 1.0)]
    assert run_of(*records).strategies == ("truncate", "none", "zebra")
    unordered = Run(by_item={each["item"]: each for each in records})
    assert unordered.strategies == ("none", "truncate", "zebra")


def test_a_run_says_in_one_line_what_it_is():
    run = run_of(*several("anchored", 1.0, 2.0, 4.0, 5.0))
    assert repr(run) == (
        "<Run 0001-x.jsonl: strategies 1, cases 2, items 4, overall 3.00 (no interval)>"
    )
    assert repr(run_of(*several("a", 1.0), *several("b", 1.0), name="")) == (
        "<Run: strategies 2, cases 1, items 2>"
    )
    assert repr(run_of()) == "<Run 0001-x.jsonl: strategies 0, cases 0, items 0>"
    assert "\x1b" not in repr(run_of(*several(HOSTILE, 1.0), name=HOSTILE))


# --- two runs ------------------------------------------------------------------------


def test_two_runs_are_compared_item_by_item():
    before = run_of(*several("anchored", 1.0, 2.0, 3.0, 4.0), *several("none", 5.0))
    after = run_of(*several("anchored", 2.0, 2.0, 3.0, 5.0, 5.0, 5.0))
    found = before.compare(after)
    assert (found.difference.value, found.difference.count, found.difference.cases) == (0.5, 4, 2)
    assert (found.wins, found.ties, found.losses) == (2, 2, 0)
    assert after.compare(before).difference.value == -0.5
    assert before.compare(after, "stated", compactor="anchored").difference.value == 0.0


def test_two_strategies_are_compared_and_runs_without_an_item_in_common_are_not():
    run = run_of(*several("truncate", 1.0, 1.0), *several("anchored", 2.0, 3.0))
    found = run.only(compactor="truncate").compare(run.only(compactor="anchored"))
    assert (found.difference.value, found.difference.interval) == (1.5, None)
    first, second = run_of(*several("a", 1.0)), run_of(record(case="other", compactor="a"))
    assert first.compare(second) is run_of().compare(first) is None
