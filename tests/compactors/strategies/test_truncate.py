"""``truncate``: the first message and the newest part, an even number removed at each step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, tool, user
from support.compacting import compacted

from pytest_compaction.compactors.base.cuts import windowed
from pytest_compaction.compactors.strategies.plain import Truncate
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.conversation.messages import groups, structure_faults


def plain_log(count, head=()):
    turns = [user(f"question {i}") if i % 2 else assistant(f"answer {i}") for i in range(count)]
    return from_chat([*head, *turns])


@pytest.mark.parametrize(
    ("count", "fraction", "left"),
    [(9, 0.5, 5), (10, 0.5, 6), (12, 0.5, 8), (11, 0.25, 9), (3, 0.5, 1), (2, 0.5, 1), (1, 0.5, 1)],
)
def test_one_step_of_truncate_removes_an_even_number_of_the_oldest(count, fraction, left):
    messages = plain_log(count)
    shorter = Truncate(fraction).step(messages)
    if count in {2, 3}:
        assert shorter == messages[:1] + messages[-1:]
        return
    assert len(shorter) == left
    assert (count - len(shorter)) % 2 == 0
    assert shorter == messages[:1] + messages[1 + count - left :]


@given(agent_logs(), st.sampled_from([0.25, 0.5, 0.75, 1.0]))
def test_a_step_keeps_the_head_and_removes_whole_groups_after_it(chat, fraction):
    messages = from_chat(chat)
    shorter = Truncate(fraction).step(messages)
    head = next((m for m in messages if m.role != "system"), messages[0])
    assert head in shorter
    assert shorter[-1:] == messages[-1:]
    removed = [m for m in messages if m not in shorter]
    assert structure_faults(shorter) == []
    assert structure_faults(removed) == []
    if removed:
        first = messages.index(removed[0])
        assert list(messages[first : first + len(removed)]) == removed
        rest = len(messages) - first
        even = int(rest * fraction) // 2 * 2
        last_group = groups(messages)[-1][0]
        assert len(removed) >= even or first + len(removed) == last_group


@given(agent_logs(), st.sampled_from([20, 120, 300, 800]))
def test_truncate_fits_the_budget_or_fails_where_nothing_can(chat, budget):
    context = context_of(budget)
    outcome, view = compacted(Truncate(), chat, context)
    if outcome.status == "failed":
        assert view == from_chat(chat)
        assert windowed(view, context) is None
        assert str(budget) in outcome.error
    else:
        assert COUNTER.messages(view) <= budget


def test_truncate_forgets_a_first_message_for_which_there_is_no_room():
    chat = [user("word " * 900), *session(4)]
    context = context_of(300)
    outcome, view = compacted(Truncate(), chat, context)
    assert outcome.status == "truncated"
    assert COUNTER.messages(view) <= 300
    assert view[-1] == from_chat(chat)[-1]
    assert "word word" not in "".join(message.text for message in view)


def test_truncate_leaves_a_log_within_budget_alone():
    messages = session(2)
    context = context_of(COUNTER.messages(from_chat(messages)))
    assert compacted(Truncate(), messages, context)[0].status == "noop"


def test_truncate_keeps_system_first_message_and_newest_part():
    chat = session(8)
    compactor, context = Truncate(), context_of(600)
    outcome, view = compacted(compactor, chat, context)
    messages = from_chat(chat)
    assert outcome.status == "truncated"
    assert view[:2] == messages[:2]
    assert view[2:] == messages[-len(view) + 2 :]
    assert COUNTER.messages(view) <= 600
    assert [span.fate for span in outcome.spans] == ["kept", "dropped", "kept"]


def test_truncate_keeps_a_first_message_with_calls_whole():
    chat = [assistant(None, ("c1",)), tool("c1", "word " * 50), *session(4)[1:]]
    compactor, context = Truncate(), context_of(400)
    _, view = compacted(compactor, chat, context)
    assert view[:2] == from_chat(chat)[:2]
    assert structure_faults(view) == []


@pytest.mark.parametrize("fraction", [0, -1, 1.5])
def test_truncate_refuses_an_impossible_fraction(fraction):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        Truncate(fraction)
