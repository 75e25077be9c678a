"""Facts that a question brought back into a view, and their price in tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.finished import fact, several

from pytest_compaction.metrics import is_over_budget, known, means, without_questions


def searched(*facts, tokens=600, **more):
    """A record of a strategy that reads the question; each fact as (before, after)."""
    made = [fact(None if after else "dropped", unasked=before) for before, after in facts]
    (record,) = several("a+archive", 4.0, facts=made, search={"tokens": tokens, "apart": True})
    return record | more


KEPT, FOUND, GONE, HIDDEN = (True, True), (False, True), (False, False), (True, False)


def figures(*records):
    return {name: mean.value for name, mean in means(records).items()}


def test_survival_before_and_after_the_search_and_what_it_found_of_all_that_was_dropped():
    found = figures(searched(KEPT, FOUND, GONE, HIDDEN))
    assert (found["unasked"], found["stated"], found["found"]) == (0.5, 0.5, 0.5)
    found = figures(searched(FOUND), searched(GONE, GONE, GONE, KEPT), searched(KEPT))
    assert found["found"] == 0.25


def test_searches_that_find_nothing_are_paid_as_well():
    assert figures(searched(FOUND, FOUND), searched(GONE, tokens=300))["found_tokens"] == 450
    assert "found_tokens" not in figures(searched(GONE), searched(KEPT))


def test_other_strategies_and_items_without_a_score_have_none_of_these_figures():
    assert not {"unasked", "found", "found_tokens"} & figures(*several("anchored", 3.0)).keys()
    assert known()["found"].mean([searched(FOUND, overall=None)]) is None


def test_only_what_a_search_found_is_not_held_against_the_budget():
    tokens, compaction = {"log": 9000, "view": 1500, "summary": 0}, {"budget": 1000}
    record = searched(KEPT, tokens=600, compaction=compaction) | {"tokens": tokens}
    assert not is_over_budget(record)
    assert is_over_budget(record | {"search": {"tokens": 600, "apart": False}})
    assert is_over_budget(record | {"search": {"tokens": 400, "apart": True}})


def test_the_view_without_the_question_is_what_was_there_before_it():
    tokens = {"log": 9000, "view": 1500, "summary": 0}
    asked = searched(KEPT, FOUND, GONE, GONE, tokens=600) | {"tokens": tokens}
    (plain,) = without_questions([asked, *several("anchored", 3.0)])
    assert plain["tokens"]["view"] == 900
    assert figures(plain)["stated"] == figures(asked)["unasked"] == 0.25


outcomes = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=6)


@given(st.lists(outcomes, min_size=1, max_size=5))
def test_found_facts_make_up_the_difference_where_the_search_hides_nothing(items):
    records = [searched(*[(a, a or b) for a, b in facts]) for facts in items]
    all_facts = [pair for facts in items for pair in facts]
    dropped = [pair for pair in all_facts if not pair[0]]
    found = figures(*records).get("found", 0.0) * len(dropped)
    after = sum(a or b for a, b in all_facts)
    assert after - sum(a for a, _ in all_facts) == pytest.approx(found)
