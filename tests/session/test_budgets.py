"""``--compaction-budget``: one budget in place of the cases', or several that make a curve."""

import pytest
from support import builders
from support.scenarios import PROBES, own, ran, records, run, run_files, set_up

from pytest_compaction.gate import Threshold, decide
from pytest_compaction.metrics import curves
from pytest_compaction.records import load_run

CURVE = "--compaction-budget=400,100"


def test_items_name_the_budget_and_come_in_its_order(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-v", CURVE, "--compaction-pass-score=0")
    expected = [f"strategies:keep-b{budget}-first-{p}" for budget in (100, 400) for p in PROBES]
    assert ran(result) == expected
    found = records(pytester).records
    assert sorted({(r["budget"], r["compaction"]["budget"]) for r in found}) == [
        (100, 100),
        (400, 400),
    ]


def test_one_budget_takes_the_place_of_that_of_the_cases(pytester):
    set_up(pytester, "first")
    run(pytester, "--compactor=window", "--compaction-budget=60", compactor=None)
    views = {record["tokens"]["view"] for record in records(pytester).records}
    assert max(views) <= 60
    run(pytester, "--compactor=window", "--compaction-budget=120", compactor=None)
    assert 60 < max(r["tokens"]["view"] for r in records(pytester).records) <= 120


def test_scores_at_two_budgets_have_two_hashes_of_settings(pytester):
    set_up(pytester, "first")
    run(pytester, CURVE)
    by_budget = {(r["budget"], r["hashes"]["settings"]) for r in records(pytester).records}
    assert len(by_budget) == len({digest for _, digest in by_budget}) == 2


def test_the_control_ignores_the_budget_and_runs_once(pytester):
    set_up(pytester, "first")
    run(pytester, CURVE, "--compaction-control")
    found = [(r["compactor"], r["budget"]) for r in records(pytester).records]
    assert sorted(set(found), key=str) == [("none", None), (own("keep"), 100), (own("keep"), 400)]
    assert found.count(("none", None)) == len(PROBES)


@pytest.mark.exhaustive
def test_the_run_is_the_same_on_several_workers(pytester):
    set_up(pytester)
    arguments = ["--compactor=window,random", "--compaction-budget=60,120,240"]
    run(pytester, *arguments, compactor=None)
    run(pytester, *arguments, "-n2", compactor=None)
    serial, parallel = run_files(pytester)
    assert serial.read_bytes() == parallel.read_bytes()


def test_the_summary_ends_with_the_curve(pytester):
    set_up(pytester)
    budgets = "--compaction-budget=40,50,100000"
    result = run(pytester, "--compactor=window,truncate", budgets, compactor=None)
    (title,) = [n for n, line in enumerate(result.outlines) if line.startswith("Facts that the")]
    rows = [line for line in result.outlines[title:] if line.startswith(("  window", "  truncate"))]
    assert len(rows) == 2
    (curve, other) = curves(load_run(run_files(pytester)[-1]).records)
    assert {curve.compactor, other.compactor} == {"window", "truncate"}
    shares = [point.stated.value for point in curve.points]
    assert shares == sorted(shares)
    assert shares[0] < curve.area.value < shares[-1] == 1.0


@pytest.mark.parametrize("given", ["1000;2000", "1000,none", "1,2,3,4,5,6,7"])
def test_a_list_with_something_else_in_it_or_with_too_many_budgets_is_refused(pytester, given):
    set_up(pytester, "first")
    result = run(pytester, f"--compaction-budget={given}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--compaction-budget*1000,2000,4000*"])


def scored(budget, overall):
    item = f"anchored-b{budget}"
    return builders.record(item=item, budget=budget, overall=overall)


@pytest.mark.parametrize(
    ("budgets", "scope", "checked"),
    [
        ([100], "anchored", {"overall@anchored": False}),
        ([100], "anchored-b100", {"overall@anchored-b100": False}),
        ([100, 400], None, {"overall@anchored-b100": False, "overall@anchored-b400": True}),
        ([100, 400], "anchored", {"overall@anchored-b100": False, "overall@anchored-b400": True}),
        ([100, 400], "anchored-b400", {"overall@anchored-b400": True}),
        ([100, 400], "anchored-b100", {"overall@anchored-b100": False}),
    ],
)
def test_a_threshold_is_for_each_budget_or_for_the_one_it_names(budgets, scope, checked):
    decision = decide(
        [scored(budget, budget / 100) for budget in budgets],
        [Threshold("overall", ">=", 3.0, scope)],
        0,
    )
    found = {check.text.split()[0]: check.holds for check in decision.checks}
    assert found == checked
