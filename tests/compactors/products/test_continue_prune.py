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

from pytest_compaction.compactors.products.continue_prune import ContinuePrune, last_sequence
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
    for kept in (4, 5):
        wanted = COUNTER.messages((messages[0], *messages[-kept:]))
        budget = next(b for b in range(wanted, 9999) if available(b) == wanted)
        _, view = compacted(ContinuePrune(), chat, context_of(budget))
        assert view == (messages[0], *messages[-kept:])
        _, view = compacted(ContinuePrune(), chat, context_of(budget - 1))
        assert view == (messages[0], *messages[-kept + 1 :])


def available(budget):
    return ContinuePrune().available(budget, context_of())


def test_results_that_would_stand_first_go_with_their_call():
    chat = [system(), user("x " * 50), *RUN, assistant("y " * 50), user("now?")]
    messages = messages_of(chat)
    budget = next(b for b in range(9999) if available(b) == COUNTER.messages(messages) - 60)
    _, view = compacted(ContinuePrune(), chat, context_of(budget))
    assert view == (messages[0], *messages[5:])


def test_faithful_may_begin_with_the_assistant_and_hardened_begins_with_a_user_message():
    chat = pairs(6)
    context = context_of(300)
    compactor = ContinuePrune()
    budgets = range(150, 400, 10)
    faithful = [roles(compacted(compactor, chat, context_of(b))[1])[1] for b in budgets]
    assert set(faithful) == {"user", "assistant"}
    assert "starts-with-user" in compactor.traits.violations
    hardened = ContinuePrune(profile="hardened")
    assert {roles(compacted(hardened, chat, context_of(b))[1])[1] for b in budgets} == {"user"}
    assert not hardened.traits.violations
    assert compact_now(hardened, observed(hardened, chat, context), context).status == "truncated"


def test_faithful_loses_the_last_request_behind_a_tool_run_and_hardened_keeps_it():
    chat = [system(), *pairs(3)[1:], user("Never touch deploy.sh."), *RUN]
    chat += [assistant(None, ("c", "bash", {})), tool("c", "three " * 50)]
    context = context_of(200)
    _, view = compacted(ContinuePrune(), chat, context_of(90))
    assert roles(view) == ["system", "assistant", "tool"]
    _, view = compacted(ContinuePrune(profile="hardened"), chat, context_of(100))
    assert [message.text for message in view][1] == "Never touch deploy.sh."
    assert COUNTER.messages(view) <= context.budget


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


@pytest.mark.parametrize("profile", ["faithful", "hardened"])
@settings(max_examples=25)
@given(chat=agent_logs(max_turns=10), budget=st.sampled_from([60, 150, 400]))
def test_calls_and_results_stay_together_on_any_log(profile, chat, budget):
    context = context_of(budget, window=4000)
    outcome, view = compacted(ContinuePrune(profile=profile), chat, context)
    assert structure_faults(view) == []
    assert outcome.status == "failed" or COUNTER.messages(view) <= budget


def test_pruning_goes_on_over_several_compactions():
    context = context_of(300)
    outcomes = list(in_a_row(ContinuePrune(), [pairs(5), pairs(5)[1:], pairs(5)[1:]], context))
    assert [outcome.status for outcome in outcomes] == ["truncated"] * 3
    assert all(COUNTER.messages(view_of(ContinuePrune(), o, context)) <= 300 for o in outcomes)


def test_impossible_parameters_are_refused():
    with pytest.raises(ValueError, match="max_output=0 must be a whole number, at least 1"):
        ContinuePrune(max_output=0)
    with pytest.raises(ValueError, match="profile=x must be one of"):
        ContinuePrune(profile="x")
