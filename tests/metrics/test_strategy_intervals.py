"""Intervals of pass^1 and of the share of tokens removed."""

import pytest
from support.builders import record

from pytest_compaction.metrics import aggregate, proportion_interval

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
    removed = aggregate("anchored", arm("anchored", 4.0)).tokens.removed_mean
    logs = [1000 + 100 * number for number in range(8)]
    assert removed.value == pytest.approx(1 - 800 / sum(logs))
    low, high = removed.interval
    assert low < removed.value < high <= 1
    assert aggregate("anchored", [record(tokens={})]).tokens.removed_mean is None
