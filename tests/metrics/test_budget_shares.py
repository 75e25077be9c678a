"""Views over their budget, and strategies that compact nothing, from records alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import record, unscored

from pytest_compaction.metrics import (
    budget_share,
    furthest_over,
    is_over_budget,
    over_budget_text,
    times,
    tokens_over,
    uncompacted_text,
)


def view(tokens, budget=1000, log=5000, **more):
    return record(
        tokens={"log": log, "view": tokens, "summary": 0},
        compaction={"steps": {"compacted": 1}, "errors": [], "budget": budget},
        **more,
    )


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_view_is_over_its_budget_from_one_token_more_on(tokens, budget):
    assert tokens_over(view(tokens, budget)) == ((tokens, budget) if tokens > budget else None)


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_ratio_above_one_is_never_said_to_be_one(more, budget):
    assert not times((budget + more) / budget).startswith("1.00 ")


def test_the_control_and_items_that_went_wrong_have_no_view_over_a_budget():
    assert not is_over_budget(view(2000, compactor="none"))
    assert not is_over_budget(record(tokens={}, compaction={}, status="error", overall=None))
    assert is_over_budget(view(2000, compactor="none+none"))


def test_the_text_counts_items_and_names_the_farthest():
    records = [view(1000), view(1500, probe="a"), view(8000, probe="b")]
    assert over_budget_text(records[:1]) is None
    assert over_budget_text(records) == (
        "2 of 3 items have a view over budget, up to 8.00 times it"
    )
    assert [(r["probe"], *over) for r, *over in furthest_over(records, 1)] == [("b", 8000, 1000)]


def test_one_view_smaller_than_its_log_shows_that_something_was_compacted():
    assert uncompacted_text([view(5000), view(4999)]) is None
    assert uncompacted_text([view(5000), view(9000)]) == (
        "nothing was compacted: no view of 2 items is smaller than its log"
    )
    assert uncompacted_text([view(500, log=500)]) == (
        "nothing was compacted: no view of 1 item is smaller than its log, and each log fits "
        "its budget"
    )
    for records in ([], [unscored()], [unscored(tokens={}, compaction={})]):
        assert uncompacted_text(records) is None


def test_the_last_view_of_each_case_and_trial_counts_once_in_the_share_of_the_budget():
    records = [view(900, log=100), view(500, log=500), view(500, log=500)]
    assert budget_share(records).value == 0.5
    two = budget_share([*records, view(1500, case="b")])
    assert (two.value, two.cases) == (1.0, 2)
    assert budget_share([*records, view(700, log=500, trial=2)]).value == pytest.approx(0.6)
    assert budget_share([]) is budget_share([record(tokens={}, compaction={})]) is None
