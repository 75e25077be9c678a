"""``window``: the newest whole groups that fit, exactly, opened by a user message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, system, tool, user
from support.compacting import compacted, ids, in_a_row, observed, view_of

from pytest_compaction.compactors.base.cuts import LEFT_OUT, LEFT_OUT_ID, newest_part
from pytest_compaction.compactors.strategies.plain import Window
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.conversation.messages import groups, pending_calls, structure_faults


def sizes(chat):
    return [COUNTER.message(message) for message in from_chat(chat)]


def plain(count):
    """User and assistant in turns, each of the same size."""
    return [(user if i % 2 == 0 else assistant)(f"line {i:03}") for i in range(count)]


def test_what_fits_to_the_token_stays_and_one_token_less_takes_a_whole_group():
    chat = [system("s"), *plain(9)]
    (head, *rest) = sizes(chat)
    assert len(set(rest)) == 1
    each = rest[0]
    for count in (3, 5):
        _, view = compacted(Window(), chat, context_of(head + count * each))
        assert [message.id for message in view] == ["m0", *(f"m{i}" for i in range(10 - count, 10))]
    _, view = compacted(Window(), chat, context_of(head + 5 * each - 1))
    # four would begin with an assistant message: the user message that it answers takes its place
    assert [message.id for message in view] == ["m0", "m7", "m8", "m9"]


def test_a_tail_of_tool_work_brings_the_request_that_it_answers():
    work = [
        step
        for i in range(6)
        for step in (
            assistant(None, (f"c{i}", "bash", {"command": "ls"})),
            tool(f"c{i}", "x " * 30),
        )
    ]
    chat = [system(), user("old question"), assistant("done"), user("Tidy the shelf."), *work]
    outcome, view = compacted(Window(), chat, context_of(200))
    assert outcome.status == "truncated"
    assert view[1].text == "Tidy the shelf."
    assert view[2].calls
    assert view[-1].results
    assert COUNTER.messages(view) <= 200
    assert [span.fate for span in outcome.spans] == ["kept", "dropped", "kept", "dropped", "kept"]


def test_a_request_larger_than_the_budget_is_left_out_and_a_note_says_so():
    chat = [system("s"), user("word " * 500), assistant("I will."), assistant("Done, and tested.")]
    _, view = compacted(Window(), chat, context_of(60))
    assert [message.id for message in view] == ["m0", LEFT_OUT_ID, "m2", "m3"]
    assert (view[1].role, view[1].origin, view[1].text) == ("user", "synthetic", LEFT_OUT)


def test_the_note_is_not_kept_twice_and_not_taken_for_a_request():
    first = [system("s"), user("word " * 500), assistant("I will."), assistant("Done. " * 8)]
    more = [assistant("And " * 12), assistant("more. " * 12)]
    context = context_of(70)
    views = [
        view_of(Window(), outcome, context)
        for outcome in in_a_row(Window(), [first, more], context)
    ]
    assert views[0][1].id == LEFT_OUT_ID
    assert ids(views[1])[1] == LEFT_OUT_ID
    assert ids(views[1]).count(LEFT_OUT_ID) == 1
    assert ids(views[1])[-1] == "m5"


def test_a_call_that_waits_stays_or_the_compaction_is_refused():
    chat = [*session(4), assistant("look", ("open", "bash", {"command": "ls " * 150}))]
    outcome, view = compacted(Window(), chat, context_of(300))
    assert outcome.status == "truncated"
    assert pending_calls(view) == ("open",)
    refused, same = compacted(Window(), chat, context_of(100))
    assert refused.status == "failed"
    assert refused.error == "what must stay takes more than the budget of 100 tokens"
    assert same == from_chat(chat)


def test_a_system_prompt_over_the_budget_is_a_failure_that_says_so():
    chat = [system("rule " * 200), *session(2)[1:]]
    outcome, view = compacted(Window(), chat, context_of(100))
    assert outcome.status == "failed"
    assert "the system prompt alone takes" in outcome.error
    assert view == from_chat(chat)


def test_a_log_within_the_budget_is_left_alone():
    chat = session(2)
    context = context_of(sum(sizes(chat)))
    assert compacted(Window(), chat, context)[0].status == "noop"


@given(agent_logs(), st.integers(20, 500))
def test_no_longer_run_of_whole_groups_would_have_fitted(chat, budget):
    messages = from_chat(chat)
    compactor, context = Window(), context_of(budget)
    outcome, view = compacted(compactor, chat, context)
    if outcome.status != "truncated":
        return
    assert COUNTER.messages(view) <= budget
    assert structure_faults(view) == []
    kept = {message.id for message in view}
    start = next((i for i in range(len(messages)) if all(m.id in kept for m in messages[i:])), None)
    start = len(messages) if start is None else start
    before = max((begin for begin, end in groups(messages) if end <= start), default=None)
    if before is not None and messages[before].role == "user":
        head = [message for message in messages if message.role == "system"][:1]
        assert COUNTER.messages([*head, *messages[before:]]) > budget


def test_due_looks_at_the_window():
    compactor, chat = Window(), session(4)
    state = observed(compactor, chat, context_of())
    used = sum(sizes(chat))
    assert compactor.due(state, context_of(window=2 * used)) is None
    assert compactor.due(state, context_of(window=used)) is not None


@pytest.mark.parametrize("opened", [True, False])
def test_nothing_of_nothing_is_nothing(opened):
    assert newest_part((), 0, context_of(), opened) == ()
