"""``continue``: the summary in the system message, the CLI's arithmetic, and the losses.

``continue-prune``: messages that must stay and messages that go first, to the token.
"""

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
    SpyModel,
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
from pytest_compaction.compactors.products.continue_ import (
    CANCELLED,
    OPENING,
    PREAMBLE,
    SECTIONS,
    Continue,
    ContinuePrune,
    last_sequence,
    pruned_from_end,
)
from pytest_compaction.conversation import structure_faults


def test_ide_leaves_only_the_system_message_with_the_summary_at_its_end():
    compactor = Continue()
    outcome, view = compacted(compactor, session(6), context_of(500))
    assert outcome.status == "compacted"
    assert roles(view) == ["system"]
    assert view[0].text.startswith(f"You are a careful engineer.\n{PREAMBLE}")
    for section in SECTIONS:
        assert f"## {section.title}" in view[0].text
    assert COUNTER.messages(view) <= 500
    assert compactor.traits.changes_system
    assert "starts-with-user" in compactor.traits.violations


def test_ide_restores_the_system_prompt_and_hands_the_earlier_summary_over_as_a_user_message():
    spy = SpyModel()
    context = context_of(500, model=spy)
    outcomes = list(in_a_row(Continue(), [session(5), session(5)[1:], session(5)[1:]], context))
    for outcome in outcomes:
        (message,) = view_of(Continue(), outcome, context)
        assert message.text.count("You are a careful engineer.") == 1
        assert message.text.count(PREAMBLE) == 1
    for request, outcome in zip(spy.requests[1:], outcomes, strict=False):
        assert request.messages[0].role == "user"
        assert request.messages[0].text == outcome.state["summary"]
        assert request.previous is None


def test_ide_makes_a_system_message_where_there_is_none():
    _, view = compacted(Continue(), session(6)[1:], context_of(500))
    assert roles(view) == ["system"]
    assert view[0].text.startswith(PREAMBLE)


def test_ide_tells_the_summariser_that_an_open_call_was_cancelled():
    spy = SpyModel()
    chat = [*session(6), assistant("looking", ("open", "bash", {}))]
    compacted(Continue(), chat, context_of(500, model=spy))
    assert spy.requests[0].messages[-1].results[0].text == CANCELLED
    assert spy.requests[0].messages[-1].results[0].call_id == "open"


def test_ide_a_line_of_the_user_stands_first_if_the_model_speaks_next():
    spy = SpyModel()
    compactor, context = Continue(), context_of(500, model=spy)
    outcome, _ = compacted(compactor, session(6), context)
    call = [assistant("I go on.", ("c", "bash", {})), tool("c", "ok " * 400)]
    state = observed(compactor, [*call, user("so?")], context, outcome.state, 50)
    view = compactor.render(state, context).messages
    assert (roles(view), view[1].text) == (["system", *"user assistant tool user".split()], OPENING)
    state = observed(compactor, call[:1], context, state, 60)
    assert [m.text for m in compactor.render(state, context).messages].count(OPENING) == 1
    compact_now(compactor, state, context)
    assert OPENING not in [message.text for message in spy.requests[-1].messages]
    state = observed(compactor, [user("so?")], context, outcome.state, 50)
    assert roles(compactor.render(state, context).messages) == ["system", "user"]


def test_ide_is_never_due_by_itself_and_compacts_when_asked():
    compactor, context = Continue(), context_of(500, window=600)
    state = observed(compactor, session(6), context)
    assert compactor.due(state, context) is None
    assert compact_now(compactor, state, context).status == "compacted"


def test_cli_leaves_the_system_message_and_the_summary_as_a_message_of_the_user():
    compactor = Continue(mode="cli")
    outcome, view = compacted(compactor, session(6), context_of(500))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    assert view[0] == messages_of(session(6))[0]
    assert view[1].text.startswith(PREAMBLE)
    assert not compactor.traits.changes_system
    broken = {"starts-with-user", "ends-on-user-or-tool"}
    assert not broken & set(compactor.traits.violations)


@pytest.mark.parametrize(
    ("window", "max_output", "threshold"),
    [
        (200_000, None, 121_000),
        (20_000, None, 12_100),
        (200_000, 4096, 200_000 - 4096 - 15_000),
        (200_000, 20_000, 200_000 - 20_000 - 15_000),
        (200_000, 150_000, 200_000 - 150_000 - 15_000),
        (20_000, 4096, 20_000 - 409 - 1_500),
    ],
)
def test_cli_threshold_is_the_window_less_reply_and_reserve(window, max_output, threshold):
    compactor, context = Continue("cli", max_output), context_of(window=window)
    assert compactor.due_at(context) == threshold


def test_cli_reserve_is_a_fifth_where_that_is_less_than_the_most():
    compactor, context = Continue("cli", 130_000), context_of(window=200_000)
    assert compactor.due_at(context) == 70_000 - 15_000
    small = Continue("cli", 199_000)
    assert small.due_at(context) == max(1_000 - 15_000, 1)


def test_a_request_too_long_loses_its_newest_end_by_twos_behind_users_and_calls():
    chat = [
        user("a " * 20),
        assistant("b " * 20),
        user("c " * 20),
        assistant("d " * 20),
        assistant(None, ("c1", "bash", {})),
        tool("c1", "e " * 20),
        assistant("f " * 20),
        assistant("g " * 20),
    ]
    messages = messages_of(chat)

    def left(limit):
        return len(pruned_from_end(messages, limit, COUNTER))

    total = COUNTER.messages(messages)
    assert left(total) == 8
    assert left(total - 1) == 7
    assert left(COUNTER.messages(messages[:7]) - 1) == 6
    assert left(COUNTER.messages(messages[:6]) - 1) == 4
    assert left(COUNTER.messages(messages[:4]) - 1) == 2
    assert left(COUNTER.messages(messages[:2]) - 1) == 0


def test_leaving_out_the_end_never_leaves_a_part_of_parallel_calls():
    chat = [
        user("go"),
        assistant(None, ("a", "bash", {}), ("b", "bash", {}), ("c", "bash", {})),
        *[tool(id, "out " * 30) for id in "abc"],
    ]
    messages = messages_of(chat)
    assert pruned_from_end(messages, COUNTER.messages(messages) - 1, COUNTER) == messages[:1]


def test_cli_reads_only_what_fits_its_window():
    spy = SpyModel()
    chat = session(12)
    compacted(Continue(mode="cli"), chat, context_of(400, window=1500, model=spy))
    asked = ids(spy.requests[0].messages)
    assert asked == [f"m{i}" for i in range(1, len(asked) + 1)]
    assert len(asked) < len(chat) - 1


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


def test_a_system_prompt_that_takes_the_budget_is_a_failure():
    chat = [system("rule " * 600), *session(3)[1:]]
    outcome, view = compacted(Continue(), chat, context_of(500))
    assert outcome.status == "failed"
    assert view == messages_of(chat)
