"""The tails that strategies keep: whole groups, as many as fit, and calls that wait."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, user
from support.compacting import messages_of

from pytest_compaction.compactors.base.cuts import newest_within, tail_start
from pytest_compaction.conversation.messages import pending_calls, structure_faults


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


@settings(max_examples=30)
@given(agent_logs(), st.sampled_from([0, 50, 200, 5000]))
def test_a_tail_is_the_newest_groups_but_for_calls_that_wait(chat, limit):
    messages = messages_of(chat)
    context = context_of()
    start = tail_start(messages, limit, context)
    if not pending_calls(messages):
        assert messages[start:] == newest_within(messages, limit, context.tokens)
    else:
        assert pending_calls(messages[start:]) == pending_calls(messages)


def test_a_call_that_waits_stays_however_large_it_is_and_nothing_beside_it():
    messages = messages_of([user("hi"), assistant("x " * 500, ("a", "bash", {}))])
    assert tail_start(messages, 0, context_of()) == 1
    assert newest_within(messages, 0, COUNTER) == ()


def test_a_tail_never_starts_before_the_first_index_that_is_allowed():
    messages = messages_of([user("one"), user("two"), user("three")])
    starts = [tail_start(messages, 5000, context_of(), first) for first in range(5)]
    assert starts == [0, 1, 2, 3, 3]
