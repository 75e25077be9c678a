"""The sentence that a summary begins with, and what a table must not mislead about."""

import pytest
from support import finished
from support.builders import record

from pytest_compaction.reports.items import case_line
from pytest_compaction.reports.summary import cause_lines, run_summary
from pytest_compaction.settings import CONTROL


def fact(stated):
    return finished.fact(None if stated else "dropped", used=False)


def item(case, score, compactor="anchored", null=None, probe="limit", **changes):
    """An item with two facts, one of which is kept; a null at equal tokens scores ``null``."""
    nulls = {} if null is None else {"said-only": {"overall": null, "stated": 0, "tokens": 9}}
    made = {
        "overall": score,
        "status": "passed" if score >= 3.5 else "failed",
        "reading": "view",
        "facts": [fact(True), fact(False)],
        "tokens": {"log": 1000, "view": 100, "summary": 0},
        "compaction": {"steps": {"compacted": 1}, "errors": [], "budget": 200},
        "view": {"overall": score},
        "nulls": nulls,
    }
    return record(case, probe, compactor, **made | changes)


def shown(records, *order, **options):
    return [line.text for line in run_summary(records, list(order), **{"control": False} | options)]


def sentence(records, **options):
    """The lines before the table as one."""
    lines = shown(records, **options)
    heads = ("survival", "answers, 0", "The order")
    return " ".join(lines[: next(n for n, line in enumerate(lines) if line.startswith(heads))])


def test_the_result_comes_first_and_says_nulls_of_real_and_scripted_cases_apart():
    real = [item(f"r{n}", 2.0, null=2.0 + 0.1 * (n % 3 - 1), origin="real") for n in range(9)]
    scripted = [item(f"s{n}", 3.0, null=1.8 + 0.1 * (n % 3), origin="scripted") for n in range(9)]
    assert sentence([*real, *scripted]) == (
        "anchored keeps 50% of 36 facts; 18 dropped; at equal tokens it beats said-only, the "
        "best trivial baseline: +0.55 (real cases +0.00, within noise; scripted cases +1.10)."
    )
    assert "(" not in sentence(real), "cases of one origin are not told apart"


def test_the_weakest_kind_is_named_and_unused_facts_where_answers_were_made():
    records = [item("a", 4.0, kind="file"), item("a", 1.0, kind="recall", probe="other")]
    assert "; weakest: recall, 50%." in sentence(records)
    assert "asked about  facts  kept dropped unused score" in shown(records)
    for each in records:
        each["facts"] = [fact(True) | {"used": None}, fact(False) | {"used": None}]
    assert "asked about  facts  kept dropped score" in shown(records)


def test_a_strategy_over_its_budget_is_said_so_in_the_same_breath():
    large = {"tokens": {"log": 1000, "view": 900, "summary": 0}}
    said = sentence([item("a", 5.0, **large), item("b", 5.0)])
    assert said.endswith("its views are over the budget in 1 of 2 cases, so it cannot be compared.")


@pytest.mark.parametrize("reading", ["view", "answer"])
def test_a_control_is_shown_where_it_is_a_measurement_and_not_by_construction(reading):
    records = [item(case, 3.0, reading=reading) for case in "ab"]
    records += [item(case, 5.0, CONTROL, reading=reading) for case in "ab"]
    lines = shown(records, "anchored", control=True)
    assert any("control" in line for line in lines) is (reading == "answer")
    both = [*records, *(item(case, 2.0, "window", reading=reading) for case in "ab")]
    lines = shown(both, "anchored", "window", control=True)
    assert any(line.startswith("none ") for line in lines) is (reading == "answer")


def test_strategies_with_one_case_are_ordered_for_this_case_alone():
    lines = shown([item("a", 3.0), item("a", 4.0, "window")], "anchored", "window")
    assert any(line.startswith("The order below is that of this case alone: ") for line in lines)
    scores = {"anchored": 3.0, "window": 4.0, "other": 4.0}
    many = [
        item(f"c{n}", score + (n % 3 - 1) / 99 * (name == "other"), name)
        for n in range(9)
        for name, score in scores.items()
    ]
    lines = shown(many)
    assert not any(line.startswith("The order below") for line in lines)
    assert any(line.startswith("Not told apart from it at 5 %: ") for line in lines)


def test_no_area_is_made_of_a_curve_without_one_of_its_points():
    def at(budget, compactor):
        return item("a", 3.0, compactor, budget=budget)

    whole = [at(budget, "anchored") for budget in (500, 1000, 2000)]
    cut = [at(budget, "window") for budget in (500, 1000)]
    lines = shown([*whole, *cut], "anchored", "window")
    begin = next(n for n, line in enumerate(lines) if line.startswith("Facts that the views")) + 2
    areas = {line.split()[0]: line.split()[-2] for line in lines[begin : begin + 2]}
    assert (areas["anchored"], areas["window"]) == ("0.50", "-")


def test_nothing_scored_has_no_empty_table_and_a_cause_is_said_once():
    why = "own:compact: compact raised ConnectionError: refused [own.py:4 in compact]"
    broken = [
        item(
            case,
            0.0,
            overall=None,
            status="error",
            reason=f"{why} (case {case}, point p{n})",
            probe=str(n),
        )
        for n in (1, 2)
        for case in "ab"
    ]
    assert shown(broken) == ["nothing was scored (4 error)"]
    (line,) = cause_lines(broken)
    assert line.text == f"ERROR in 4 items: {why}; first in case a, point p1"
    assert not list(cause_lines([item("a", 3.0)]))


def test_the_line_of_a_case_has_its_score_and_what_did_not_pass():
    records = [item("a", 3.0), item("a", 4.0), item("a", 0.0, overall=None, status="unscored")]
    line = case_line("a", records, 3.5, "[1/2]", 8, 72)
    assert line == "[1/2] a         3.50  1 of 2 below 3.5, 1 unscored"
    both = [*records, item("a", 1.0, "window")]
    line = case_line("a", both, 3.5, "[1/2]", 8, 72)
    assert line == "[1/2] a         anchored 3.50, window 1.00"
    assert len(case_line("a" * 99, both, 3.5, "[1/2]", 99, 40)) <= 40
    assert case_line("a", both, 3.5, "[1/2]", 8, 34) == "[1/2] a         anchored 3.50, …"
