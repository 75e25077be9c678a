"""Which results of tools belong to a view.

What a summariser reads fits its window, and what it writes fits its budget.

The tails that strategies keep: whole groups, as many as fit, and calls that wait.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, tool, user
from support.compacting import ids, messages_of

from pytest_compaction.compactors.base.cuts import newest_within, tail_start, without_orphans
from pytest_compaction.compactors.base.summaries import (
    fitting_input,
    fitting_summary,
    without_middle,
)
from pytest_compaction.conversation import pending_calls, structure_faults, text_message
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import Section, Summary

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


SECTIONS = (
    Section("one", "One", "The first.", ("values",)),
    Section("two", "Two", "The second.", ("values",)),
)
entries = st.lists(st.sampled_from(["short", "a longer entry of several words", "x " * 60]))


@given(agent_logs(), st.integers(0, 3000))
def test_the_input_fits_and_is_left_alone_where_it_did(chat, limit):
    messages = from_chat(chat)
    kept = fitting_input(messages, limit, COUNTER)
    assert COUNTER.messages(kept) <= limit or not kept
    if COUNTER.messages(messages) <= limit:
        assert kept == messages
    assert structure_faults(kept) == []
    assert [m.id for m in kept] == [m.id for m in messages if m.id in {k.id for k in kept}]


def test_a_giant_message_loses_its_middle_and_the_others_stay():
    giant = "begin " + "middle " * 5000 + "end"
    messages = (text_message("a", "user", "The question."), text_message("b", "user", giant))
    kept = fitting_input(messages, 500, COUNTER)
    assert kept[0] == messages[0]
    assert kept[1].text.startswith("begin")
    assert kept[1].text.endswith("end")
    assert "characters left out" in kept[1].text


@given(st.text(max_size=400), st.integers(60, 300))
def test_a_text_without_its_middle_says_how_much_is_missing(text, length):
    short = without_middle(text, length)
    assert len(short) <= length + 20
    if len(text) > length:
        left_out = int(short.split(" [")[-1].split(" characters")[0]) if " [" in short else 0
        assert left_out > 0
    else:
        assert short == text


@given(entries, entries, st.integers(0, 400))
def test_a_summary_that_is_too_long_gives_up_its_last_entries(one, two, budget):
    summary = Summary((("one", tuple(one)), ("two", tuple(two))))
    fitted = fitting_summary(summary, SECTIONS, budget, COUNTER)
    if COUNTER.text(summary.render(SECTIONS)) <= budget:
        assert fitted == summary
    assert fitted.empty or COUNTER.text(fitted.render(SECTIONS)) <= budget
    for section in ("one", "two"):
        assert summary.of(section)[: len(fitted.of(section))] == fitted.of(section)


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
