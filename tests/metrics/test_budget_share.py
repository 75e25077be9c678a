"""How much of the budget the views take."""

import pytest

from pytest_compaction.metrics import budget_share


def record(case, log, view, budget=1000, trial=1):
    return {
        "case": case,
        "trial": trial,
        "tokens": {"log": log, "view": view},
        "compaction": {"budget": budget},
    }


def test_the_last_view_of_each_case_and_trial_counts_once():
    records = [record("a", 100, 900), record("a", 500, 500), record("a", 500, 500)]
    assert budget_share(records).value == 0.5
    two = budget_share([*records, record("b", 300, 1500)])
    assert (two.value, two.cases) == (1.0, 2)
    assert budget_share([*records, record("a", 500, 700, trial=2)]).value == pytest.approx(0.6)


def test_without_a_view_there_is_no_share():
    assert budget_share([]) is None
    assert budget_share([{"case": "a", "trial": 1, "tokens": {}, "compaction": {}}]) is None
