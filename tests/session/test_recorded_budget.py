"""``--compaction-budget=recorded``: as many tokens as the agent's own compaction left it."""

import copy

from support.builders import COUNTER
from support.scenarios import (
    case,
    own,
    ran,
    records,
    refused,
    run,
    run_files,
    set_up,
    write_cases,
)
from support.worker_counts import BOTH

from pytest_compaction.case import case_from_json
from pytest_compaction.metrics import curves
from pytest_compaction.records import Run
from pytest_compaction.reports.summary import run_summary

AT_RECORDS = "--compaction-budget=recorded"
SHORT = "We edited src/queue.py. " * 12
LONG = "The retry limit is 45 because the broker restarts slowly. " * 9


def recorded_case(id="first", early=None, late=None):
    data = case(id)
    for point, text in zip(data["compaction_points"], (early, late), strict=True):
        if text is not None:
            point["recorded"] = {"summary": text}
    return data


def recorded_tokens(data):
    return [
        COUNTER.messages(point.recorded) if point.recorded else made.budget
        for made in [case_from_json(data)]
        for point in made.points
    ]


def budgets(pytester):
    """The budgets of the last run, by point."""
    return {(r["point"]["id"], r["compaction"]["budget"]) for r in records(pytester).records}


@BOTH
def test_every_point_has_the_tokens_of_its_recorded_view(pytester, workers):
    set_up(pytester, "first")
    data = recorded_case(early=SHORT, late=LONG)
    write_cases(pytester, data)
    names = "--compactor=recorded,window"
    result = run(pytester, "-v", workers, names, AT_RECORDS, compactor=None)
    early, late = recorded_tokens(data)
    assert early < late
    assert budgets(pytester) == {("early", early), ("late", late)}
    found = records(pytester).records
    assert all(r["tokens"]["view"] <= r["compaction"]["budget"] for r in found)
    assert {r["tokens"]["view"] for r in found if r["compactor"] == "recorded"} == {early, late}
    assert {r["budget"] for r in found} == {"recorded"}
    if workers == "-n0":
        assert "recorded-brecorded-first-limit" in ran(result)


def test_a_point_without_a_record_has_the_budget_of_the_case(pytester):
    set_up(pytester, "first")
    data = recorded_case(late=LONG)
    write_cases(pytester, data)
    run(pytester, AT_RECORDS)
    assert budgets(pytester) == {("early", 1000), ("late", recorded_tokens(data)[1])}


def test_cases_without_a_record_are_left_out_with_one_line(pytester):
    set_up(pytester, "first", "second")
    write_cases(pytester, recorded_case("third", late=LONG))
    result = run(pytester, "-q", AT_RECORDS, "--compactor=none", compactor=None)
    result.stdout.fnmatch_lines(["left out: 2 cases without a recorded compaction"])
    found = records(pytester)
    assert {record["case"] for record in found.records} == {"third"}
    assert found.header["left_out"] == ["first", "second"]
    other = run(pytester, "-q", "--compactor=none", compactor=None)
    assert "left out" not in str(other.stdout)


def test_a_run_without_any_record_is_refused(pytester):
    set_up(pytester, "first")
    assert (
        "--compaction-budget=recorded: none of the 1 cases holds a compaction on record"
        in refused(run(pytester, AT_RECORDS))
    )
    assert not run_files(pytester)


def test_a_view_over_the_tokens_on_record_is_shown_apart(pytester):
    set_up(pytester, "first")
    write_cases(pytester, recorded_case(early=SHORT, late=SHORT))
    result = run(pytester, AT_RECORDS, f"--compactor=window,{own('keep')}", compactor=None)
    kept = [r for r in records(pytester).records if r["compactor"] == own("keep")]
    over = {r["point"]["id"] for r in kept if r["tokens"]["view"] > r["compaction"]["budget"]}
    assert over == {"late"}
    assert "below the rule: views over the budget of their case" in str(result.stdout)


def test_with_another_trigger_the_budget_of_the_next_point_is_in_force(pytester):
    set_up(pytester, "first")
    data = recorded_case(early=SHORT, late=LONG)
    write_cases(pytester, data)
    run(pytester, AT_RECORDS, "--compaction-trigger=turns:1", "--compactor=window", compactor=None)
    early, late = recorded_tokens(data)
    assert budgets(pytester) == {("early", early), ("late", late)}
    views = {r["point"]["id"]: r["tokens"]["view"] for r in records(pytester).records}
    assert views["late"] <= late


def test_records_at_numbers_and_at_recorded_budgets_can_be_read_together(pytester):
    set_up(pytester, "first")
    write_cases(pytester, recorded_case(early=SHORT, late=LONG))
    run(pytester, AT_RECORDS)
    own_budget = records(pytester).records
    run(pytester, "--compaction-budget=100,400")
    both = Run()
    for record in copy.deepcopy([*own_budget, *records(pytester).records]):
        both.add(record)
    order = list(dict.fromkeys(record["budget"] for record in both.records))
    assert order == [100, 400, "recorded"]
    (drawn,) = curves(both.records)
    assert [point.budget for point in drawn.points] == [100, 400]
    lines = [line.text for line in run_summary(both.records, [own("keep")], control=False)]
    assert "budget of the views on record" in lines
    assert "budget 100 tokens" in lines
