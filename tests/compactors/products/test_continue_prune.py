"""``continue-prune``: messages that must stay and messages that go first, to the token."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import (
    COUNTER,
    agent_logs,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import (
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    tokens,
    view_of,
)

from pytest_compaction.compactors.base.cuts import LEFT_OUT
from pytest_compaction.compactors.products.continue_ import ContinuePrune, last_sequence
from pytest_compaction.conversation.messages import structure_faults

RUN = [
    assistant(None, ("a", "bash", {}), ("b", "bash", {})),
    tool("a", "one"),
    tool("b", "two"),
]


@pytest.mark.parametrize(
    ("chat", "start"),
    [
        ([system(), user("x"), assistant("y"), user("z")], 3),
        ([system(), user("x"), *RUN], 2),
        ([system(), user("x"), *RUN, assistant("y"), assistant("z")], 5),
        ([system(), user("x"), assistant(None, ("open", "bash", {}))], 2),
        ([system()], 1),
        ([], 0),
    ],
)
def test_the_last_sequence_is_a_request_a_tool_run_or_the_assistants_last_words(chat, start):
    assert last_sequence(messages_of(chat), 1 if chat else 0) == start


def test_context_less_margin_and_reply_is_available():
    context = context_of(window=200_000)
    compactor = ContinuePrune()
    assert compactor.available(200_000, context) == 200_000 - 1000 - 1000
    assert compactor.available(10_000, context) == 10_000 - 200 - 50
    assert ContinuePrune(max_output=500).available(10_000, context) == 10_000 - 200 - 25


def pairs(count, words=20):
    chat = [system()]
    for number in range(count):
        chat += [user(f"q{number} " * words), assistant(f"a{number} " * words)]
    return [*chat, user("last")]


def test_the_oldest_goes_one_by_one_until_the_rest_fits_to_the_token():
    chat = pairs(6)
    messages = messages_of(chat)
    for kept in (3, 5):
        wanted = COUNTER.messages((messages[0], *messages[-kept:]))
        budget = next(b for b in range(wanted, 9999) if available(b) == wanted)
        _, view = compacted(ContinuePrune(), chat, context_of(budget))
        assert view == (messages[0], *messages[-kept:])
        _, view = compacted(ContinuePrune(), chat, context_of(budget - 1))
        assert view[1].text == LEFT_OUT
        assert view[2:] == messages[-kept + 1 :]


def available(budget):
    return ContinuePrune().available(budget, context_of())


def test_results_that_would_stand_first_go_with_their_call():
    chat = [system(), user("x " * 50), *RUN, assistant("y " * 50), user("now?")]
    messages = messages_of(chat)
    budget = next(b for b in range(9999) if available(b) == COUNTER.messages(messages) - 40)
    _, view = compacted(ContinuePrune(), chat, context_of(budget))
    assert (view[0], *view[2:]) == (messages[0], *messages[5:])
    assert view[1].text == LEFT_OUT


def test_where_the_model_would_begin_a_note_in_the_users_name_stands_first_within_the_budget():
    opened = set()
    for budget in range(150, 400, 10):
        _, view = compacted(ContinuePrune(), pairs(6), context_of(budget))
        assert roles(view)[:2] == ["system", "user"]
        assert COUNTER.messages(view) <= budget
        opened.add(view[1].text == LEFT_OUT)
    assert opened == {False, True}
    assert not ContinuePrune().traits.violations


def test_the_note_stands_first_only_once():
    context = context_of(200)
    *_, last = in_a_row(ContinuePrune(), [pairs(6), pairs(3)[1:], pairs(2)[1:]], context)
    view = view_of(ContinuePrune(), last, context)
    assert [message.text for message in view].count(LEFT_OUT) <= 1
    assert view[1].role == "user"


def test_loses_the_last_request_behind_a_tool_run():
    chat = [system(), *pairs(3)[1:], user("Never touch deploy.sh."), *RUN]
    chat += [assistant(None, ("c", "bash", {})), tool("c", "three " * 50)]
    _, view = compacted(ContinuePrune(), chat, context_of(100))
    assert roles(view) == ["system", "user", "assistant", "tool"]
    assert view[1].text == LEFT_OUT


def test_a_last_sequence_that_does_not_fit_is_an_error():
    chat = [*session(3), user("word " * 500)]
    compactor, context = ContinuePrune(), context_of(300)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "more than are available" in outcome.error


def test_last_results_that_answer_another_call_are_an_error():
    chat = [*session(3), assistant(None, ("a", "bash", {})), tool("a", "x"), tool("b", "y")]
    outcome, view = compacted(ContinuePrune(), chat, context_of(300))
    assert outcome.status == "failed"
    assert "answer no call" in outcome.error
    assert view == messages_of(chat)


def test_empty_messages_go():
    chat = [system(), user("  "), assistant(""), *pairs(4)[1:]]
    total = tokens(chat)
    _, view = compacted(ContinuePrune(), chat, context_of(total - 1))
    assert "m1" not in ids(view)
    assert "m2" not in ids(view)


def test_it_is_due_when_the_view_takes_more_than_the_window_leaves():
    compactor, window = ContinuePrune(), 2000
    context = context_of(window=window)
    limit = compactor.available(window, context)
    chat = [user("word " * (limit - 5))]
    assert tokens(chat) == limit
    assert compactor.due(observed(compactor, chat, context), context) is None
    chat = [user("word " * (limit - 4))]
    assert compactor.due(observed(compactor, chat, context), context) is not None


@settings(max_examples=25)
@given(chat=agent_logs(max_turns=10), budget=st.sampled_from([60, 150, 400]))
def test_calls_and_results_stay_together_on_any_log(chat, budget):
    context = context_of(budget, window=4000)
    outcome, view = compacted(ContinuePrune(), chat, context)
    assert structure_faults(view) == []
    assert outcome.status == "failed" or COUNTER.messages(view) <= budget


def test_pruning_goes_on_over_several_compactions():
    context = context_of(300)
    outcomes = list(in_a_row(ContinuePrune(), [pairs(5), pairs(5)[1:], pairs(5)[1:]], context))
    assert [outcome.status for outcome in outcomes] == ["truncated"] * 3
    assert all(COUNTER.messages(view_of(ContinuePrune(), o, context)) <= 300 for o in outcomes)
