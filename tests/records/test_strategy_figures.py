"""The header's figures of strategies: each with its interval, and every two compared."""

import json

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics import aggregate, proportion_interval
from pytest_compaction.records import figures_of
from pytest_compaction.settings import CONTROL

CASES = [f"c{number:02}" for number in range(8)]
FACTS = [
    {"text": "a", "survived": True, "used": True},
    {"text": "b", "survived": False, "used": False},
]


def arm(name, score):
    return [
        record(
            case=case,
            probe=probe,
            compactor=name,
            overall=score + number % 3 / 10,
            status="passed" if number % 2 else "failed",
            facts=FACTS,
            tokens={"log": 1000 + 100 * number, "view": 100, "summary": 50},
        )
        for number, case in enumerate(CASES)
        for probe in "pq"
    ]


RECORDS = [*arm("anchored", 4.0), *arm("truncate", 2.0), *arm(CONTROL, 4.5)]


def test_every_figure_of_every_strategy_has_its_interval():
    found = figures_of(RECORDS)["strategies"]
    assert list(found) == ["anchored", "truncate", CONTROL]
    for figures in found.values():
        assert (figures["items"], figures["scored"]) == (16, 16)
        named = [figures[key] for key in ("overall", "pass^1", "stated", "removed", "view_tokens")]
        for figure in [*named, *figures["dimensions"].values()]:
            assert figure["cases"] == 8
            low, high = figure["interval"]
            assert low <= figure["mean"] <= high
    assert set(found["anchored"]["dimensions"]) == set("accuracy context completeness".split()) | {
        "instruction"
    }


def test_pass_1_has_wilsons_interval_and_the_value_that_is_shown():
    mean = aggregate("anchored", arm("anchored", 4.0)).passed
    flags = {case: [number % 2 == 1] * 2 for number, case in enumerate(CASES)}
    assert (mean.value, mean.count, mean.cases) == (0.5, 16, 8)
    assert mean.interval == proportion_interval(flags)
    assert aggregate("anchored", arm("anchored", 4.0)).passes == {1: mean.value}


def test_trials_of_an_item_count_as_one_item_of_pass_1():
    trials = [
        record(case=case, trial=trial, status="passed" if trial == 1 else "failed")
        for case in "ab"
        for trial in (1, 2, 3)
    ]
    found = aggregate("anchored", trials)
    assert found.passed.value == pytest.approx(found.passes[1])
    assert found.passed.count == 2


def test_the_share_removed_has_the_interval_of_a_ratio_of_tokens():
    removed = aggregate("anchored", RECORDS[:16]).tokens.removed_mean
    logs = [1000 + 100 * number for number in range(8)]
    assert removed.value == pytest.approx(1 - 800 / sum(logs))
    low, high = removed.interval
    assert low < removed.value < high <= 1
    assert aggregate("anchored", [record(tokens={})]).tokens.removed_mean is None


def test_every_two_strategies_are_compared_and_the_control_is_not():
    (pair,) = figures_of(RECORDS)["comparisons"]
    assert pair == {
        "first": "anchored",
        "second": "truncate",
        "difference": {"mean": -2.0, "interval": [-2.0, -2.0], "cases": 8},
        "items": 16,
        "p": 0.00781,
        "holm": 0.00781,
        "wins": 0,
        "ties": 0,
        "losses": 16,
        "detectable": 0.0,
    }
    letters = {name: arm.get("letters") for name, arm in figures_of(RECORDS)["strategies"].items()}
    assert letters == {"anchored": "a", "truncate": "b", CONTROL: None}


def test_one_strategy_has_no_letter_and_no_comparison():
    found = figures_of(arm("anchored", 4.0))
    assert "comparisons" not in found
    assert "letters" not in found["strategies"]["anchored"]


def test_one_case_and_no_score_say_that_there_is_no_interval():
    found = figures_of([record(), unscored(compactor="truncate")])["strategies"]
    assert found["anchored"]["overall"] == {"mean": 4.0, "interval": None, "cases": 1}
    assert found["anchored"]["pass^1"]["interval"] is None
    assert found["truncate"]["overall"] is None
    assert found["truncate"]["pass^1"] is None


def test_figures_are_plain_json_and_do_not_depend_on_the_order_of_items():
    figures = figures_of(RECORDS)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    turned = [*reversed(arm("anchored", 4.0)), *reversed(arm("truncate", 2.0))]
    again = figures_of([*turned, *arm(CONTROL, 4.5)])
    assert (again["strategies"], again["comparisons"]) == (
        figures["strategies"],
        figures["comparisons"],
    )


def test_an_empty_run_has_no_figures_of_strategies():
    assert "strategies" not in figures_of([])
