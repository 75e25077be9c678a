"""``none``: the control that keeps everything.

``window``: the newest whole groups that fit, exactly, opened by a user message.

``truncate``: the first message and the newest part, an even number removed at each step.

``recorded``: the view on record, at each point of an imported case.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import (
    COUNTER,
    agent_logs,
    assistant,
    build_case,
    case_data,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import compacted, ids, in_a_row, observed, view_of, with_records

from pytest_compaction.compactors.base.cuts import LEFT_OUT, LEFT_OUT_ID, newest_part, windowed
from pytest_compaction.compactors.strategies.plain import NoCompaction, Recorded, Truncate, Window
from pytest_compaction.conversation import groups, pending_calls, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.run.feeder import CaseFeeder
from pytest_compaction.run.triggers import Trigger


@given(agent_logs(pending=True), st.sampled_from([20, 120, 300, 800]))
def test_the_control_keeps_everything_and_is_never_due(chat, budget):
    compactor, context = NoCompaction(), context_of(budget, window=1)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "noop"
    assert view_of(compactor, outcome, context) == from_chat(chat)
    assert compactor.due(state, context) is None


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


@pytest.mark.parametrize("opened", [True, False])
def test_nothing_of_nothing_is_nothing(opened):
    assert newest_part((), 0, context_of(), opened) == ()


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


def views(data: dict[str, Any]) -> list[list[str]]:
    """The texts of the view that the strategy gives at each point."""
    made = build_case(**data)
    feeder = CaseFeeder(made, Recorded(), context_of(), Trigger(), 10)

    async def fed() -> list[list[str]]:
        points = (await feeder.feed()).points
        found = []
        for number, point in enumerate(points):
            assert point.state is not None
            view = await feeder.view(number)
            found.append([m.text for m in view.messages])
        feeder.close()
        return found

    return asyncio.run(fed())


def test_the_view_is_the_summary_and_what_was_kept_after_it() -> None:
    early, late = views(
        with_records(
            {"summary": "the timeout is now 45", "kept": ["m4"]},
            {"summary": "all is done", "tokens_before": 900},
        )
    )
    system = case_data()["messages"][0]["content"]
    assert early == [system, "the timeout is now 45", case_data()["messages"][4]["content"]]
    assert late == [system, "all is done"]


def test_a_whole_view_is_taken_as_it_was_sent() -> None:
    whole = [{"log": "m1"}, {"role": "user", "content": "Summary: 45."}]
    early, late = views(with_records({"messages": whole}, {"messages": whole}))
    assert early == late == [case_data()["messages"][1]["content"], "Summary: 45."]


def test_every_message_before_is_accounted_for() -> None:
    made = build_case(**with_records({"summary": "short", "kept": ["m4"]}, {"summary": "shorter"}))
    compactor, context = Recorded(), context_of()
    state = compactor.observe(compactor.start(), made.log_until(0), context)
    outcome = asyncio.run(
        compactor.compact(state, replace(context, recorded=made.points[0].recorded))
    )
    assert [(span.ids, span.fate, span.by) for span in outcome.spans] == [
        (("m0",), "kept", None),
        (("m1", "m2", "m3"), "replaced", "recorded-early"),
        (("m4",), "kept", None),
    ]
    assert outcome.status == "compacted"


def test_without_a_record_the_compaction_fails_and_says_so() -> None:
    compactor, context = Recorded(), context_of()
    state = compactor.observe(compactor.start(), build_case().log_until(0), context)
    outcome = asyncio.run(compactor.compact(state, context))
    assert outcome.status == "failed"
    assert outcome.state == state
    assert "no record of what its agent went on with" in (outcome.error or "")
