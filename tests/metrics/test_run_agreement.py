"""Agreement of runs, of readings and of judges, from records that are made up here."""

import pytest
from support.two_runs import record, run, spread

from pytest_compaction.metrics import of_judges, of_readings, of_runs

NAMES = ("a.jsonl", "b.jsonl")


def figure(agreement, of, measure):
    return next(f for f in agreement.figures if (f.of, f.measure) == (of, measure))


def test_a_run_agrees_with_itself_in_everything_that_varies():
    found = of_runs(run(spread), run(spread), NAMES)
    for of, measure in (
        ("scores of items", "kappa"),
        ("scores of items", "Spearman"),
        ("accuracy", "Spearman"),
        ("ranking of strategies", "Kendall"),
    ):
        one = figure(found, of, measure)
        assert one.value == pytest.approx(1)
        assert one.interval == pytest.approx((1, 1))
        assert one.cases == 6
    assert figure(found, "scores of items", "difference").value == 0
    assert figure(found, "scores of items", "kappa").count == 36
    assert figure(found, "ranking of strategies", "Kendall").count == 3
    assert found.left_out == {"of the control": 12}


def test_a_shift_lowers_kappa_leaves_ranks_and_shows_as_a_difference():
    found = of_runs(run(spread), run(lambda *item: spread(*item) - 0.5), NAMES)
    assert figure(found, "scores of items", "kappa").value < 0.9
    assert figure(found, "scores of items", "Spearman").value == pytest.approx(1)
    assert figure(found, "accuracy", "difference").value == pytest.approx(-0.5)
    assert figure(found, "accuracy", "difference").interval == pytest.approx((-0.5, -0.5))
    reverse = of_runs(run(spread), run(lambda *item: 5 - spread(*item)), NAMES)
    one = figure(reverse, "ranking of strategies", "Kendall")
    assert one.value == pytest.approx(-1)
    assert one.interval[0] >= -1


def test_facts_are_compared_by_the_reading_that_leads():
    first, second = run(spread), run(spread)
    for number, one in enumerate(second):
        stated = number % 2 == 0
        one["reading"] = "answer"
        one["facts"] = [
            {**fact, "used": stated, "answer": "stated" if stated else "absent"}
            for fact in one["facts"]
        ]
        first[number]["facts"] = [
            {**fact, "survived": stated, "view": "stated" if stated else "absent"}
            for fact in first[number]["facts"]
        ]
    found = figure(of_runs(first, second, NAMES), "facts stated", "kappa")
    assert (found.value, found.count) == (pytest.approx(1), 36)


def test_what_is_not_in_both_runs_is_left_out_and_counted():
    first, second = ([r for r in run(spread) if r["compactor"] != "none"] for _ in "ab")
    first[0]["overall"] = None
    second[5]["hashes"] = {"case": "another digest"}
    del second[9]
    second.append(record("c9"))
    found = of_runs(first, second, NAMES)
    assert figure(found, "scores of items", "kappa").count == 33
    assert found.left_out == {
        "without a score in both": 1,
        "of another version of their case": 1,
        "in the first run only": 1,
        "in the second run only": 1,
    }


def test_what_is_not_defined_is_said_in_words():
    found = of_runs(run(spread), run(lambda *_: 2.0), NAMES)
    one = figure(found, "scores of items", "kappa")
    assert (one.value, one.interval) == (None, None)
    assert one.undefined == "not defined: the second always says 2"
    few = of_runs([record()], [record(overall=4.0)], NAMES)
    assert figure(few, "scores of items", "Spearman").undefined == (
        "not defined: 1 to compare, and it takes at least 3"
    )
    assert "1 to compare" in figure(few, "ranking of strategies", "Kendall").undefined
    assert figure(few, "scores of items", "difference").value == 1
    nothing = of_runs([], [], NAMES)
    assert figure(nothing, "scores of items", "difference").undefined.startswith("not defined: 0")


def test_view_and_answer_of_one_run_are_compared_whichever_leads():
    records = run(spread)
    for number, one in enumerate(records):
        leads = ("view", "answer")[number % 2]
        other = ("answer", "view")[number % 2]
        first, second = (2.0 + number % 3, 3.0 + number % 3)
        if leads == "answer":
            first, second = second, first
        one |= {"reading": leads, "overall": first, other: {"overall": second}}
    found = of_readings(records)
    assert figure(found, "scores of items", "difference").value == pytest.approx(1)
    assert figure(found, "scores of items", "Spearman").value == pytest.approx(1)
    assert figure(found, "scores of items", "difference").count == 36, "without the control"
    assert of_readings(run(spread)) is None, "no item has a second figure"


def test_each_two_judges_are_compared_on_items_and_criteria():
    def said(name, overall, score):
        return {"name": name, "overall": overall, "criteria": {"accuracy_factual": score}}

    records = run(spread)
    for number, one in enumerate(records):
        other = number % 5
        one["judges"] = [said("m", other, other), said("m#2", other, 4 - other)]
    (found,) = of_judges(records)
    assert (found.first, found.second) == ("m", "m#2")
    assert figure(found, "scores of items", "kappa").value == pytest.approx(1)
    assert figure(found, "scores of criteria", "Spearman").value == pytest.approx(-1)
    records[0]["judges"][1] |= {"overall": None, "criteria": {}}
    (found,) = of_judges(records)
    assert figure(found, "scores of items", "kappa").count == 47
    assert of_judges(run(spread)) == []
