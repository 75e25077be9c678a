"""Which results belong to a view, and which groups fit at its end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, tool, user
from support.compacting import ids, messages_of

from pytest_compaction.compactors.base.cuts import without_orphans
from pytest_compaction.compactors.base.tails import newest_within
from pytest_compaction.conversation.messages import structure_faults

CALLS = assistant(None, ("a", "bash", {}), ("b", "bash", {}))


def test_results_of_waiting_calls_are_taken_in():
    view = messages_of([user("go"), CALLS, tool("a")])
    new = messages_of([tool("b"), assistant("done")], 3)
    assert without_orphans(view, new) == new


def test_results_whose_call_is_gone_are_left_out():
    view = messages_of([user("a summary")])
    new = messages_of([tool("a"), tool("b"), assistant("done")], 3)
    assert ids(without_orphans(view, new)) == ["m5"]
    assert without_orphans((), new[:2]) == ()


@settings(max_examples=30)
@given(agent_logs(), st.integers(0, 30))
def test_a_log_fed_in_two_parts_loses_nothing_while_the_view_is_the_log(chat, place):
    messages = messages_of(chat)
    place = min(place, len(messages))
    assert without_orphans(messages[:place], messages[place:]) == messages[place:]


@settings(max_examples=30)
@given(agent_logs(), st.sampled_from([0, 50, 200, 5000]))
def test_the_newest_groups_within_a_limit_are_whole_and_as_many_as_fit(chat, limit):
    messages = messages_of(chat)
    newest = newest_within(messages, limit, COUNTER)
    assert messages[len(messages) - len(newest) :] == newest
    assert COUNTER.messages(newest) <= limit
    assert structure_faults(newest) == []


@pytest.mark.parametrize(("spare", "left"), [(0, 2), (-1, 1)])
def test_a_group_goes_when_one_token_is_missing(spare, left):
    messages = messages_of([user("one"), user("two"), user("three")])
    limit = COUNTER.messages(messages[1:]) + spare
    assert len(newest_within(messages, limit, COUNTER)) == left
