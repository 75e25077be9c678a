"""Recorded tool calls are replayed in both arms, with arguments and results."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.replaying import (
    TOKENS,
    Writer,
    a_dialogue,
    in_force,
    last_only,
    replay,
    strategy,
)

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.conversation import structure_faults
from pytest_compaction.dialogues.dialogue import RecordedCall, UserTurn
from pytest_compaction.dialogues.history import exchange
from pytest_compaction.run.triggers import Trigger

CALLS = (
    (
        RecordedCall("search", '{"to": "PER"}', "flights 7 and 8"),
        RecordedCall("rank", "{}", "8 is cheaper"),
    ),
    (RecordedCall("book", '{"flight": 8}', "seats are gone", True),),
)


def tools_in(view):
    """Names, arguments and results of the calls in a view, in order."""
    results = {result.call_id: result for message in view for result in message.results}
    return [
        RecordedCall(c.name, c.arguments, results[c.id].text, results[c.id].is_error)
        for message in view
        for c in message.calls
    ]


def test_recorded_tool_calls_are_replayed_with_arguments_and_results_in_both_arms():
    writer = Writer()
    replay(lambda name: NoCompaction(), a_dialogue(calls=CALLS), responder=writer)
    in_order = [call for step in CALLS for call in step]
    for number, turn in enumerate(a_dialogue().turns):
        views = [view for _, view, question in writer.asked if question == turn.user]
        assert len(views) == 2 and views[0] == views[1]
        assert not structure_faults(views[0])
        assert tools_in(views[0]) == in_order * (number + 1), "those of the turn itself as well"


def test_what_a_tool_gave_in_a_turn_is_there_uncompacted_when_the_turn_is_answered():
    writer = Writer()
    replayed = replay(strategy(last_only), a_dialogue(calls=CALLS), responder=writer)
    last = a_dialogue().turns[-1].user
    compacted = min((view for _, view, q in writer.asked if q == last), key=len)
    assert tools_in(compacted[-5:]) == [call for step in CALLS for call in step]
    assert in_force(replayed) == [False, False, True, True]


def test_tool_results_count_among_the_tokens_of_a_prompt():
    plain, with_calls = (
        replay(lambda _: NoCompaction(), a_dialogue(2, calls)).comparison for calls in ((), CALLS)
    )
    more = sum(TOKENS.message(message) for message in exchange(1, UserTurn("u", "", CALLS), "")[1:])
    assert [
        b.prompt_tokens - a.prompt_tokens
        for a, b in zip(plain.baseline[0].replies, with_calls.baseline[0].replies, strict=True)
    ] == [more, 2 * more]


def test_calls_on_record_give_no_dialogue_a_share_of_its_consistency():
    """The calls are the same in both arms, so a term for them would be a constant."""
    nothing_alike = Writer(answers=lambda request: f"word{len(request.view)}")
    replayed = replay(strategy(last_only), a_dialogue(calls=CALLS), responder=nothing_alike)
    agreed = replayed.comparison.agreements[0]
    assert agreed.turns == (1.0, 1.0, 0.0, 0.0)
    assert all(not r.calls for arm in replayed.comparison.summary for r in arm.replies)


@pytest.mark.parametrize(
    "name", ["mask-observations:window=1", "opencode-prune:protect=100:minimum=0"]
)
def test_a_strategy_for_tool_results_has_something_to_do(name):
    long = " ".join(f"seat {number} is free," for number in range(400))
    calls = ((RecordedCall("seats", "{}", long),),)
    create = lambda _: Registry({}).create(parse_spec(name))  # noqa: E731
    replayed = replay(create, a_dialogue(calls=calls), trigger=Trigger("turns", 1))
    assert replayed.comparison.summarised is True
    (summary,), (baseline,) = replayed.comparison.summary, replayed.comparison.baseline
    assert summary.prompt_tokens < baseline.prompt_tokens
    assert summary.generation_tokens == 0


recorded_calls = st.builds(RecordedCall, st.text(min_size=1), st.text(), st.text(), st.booleans())
steps = st.lists(st.lists(recorded_calls, min_size=1, max_size=3).map(tuple), max_size=3)


@given(st.text(), st.text(min_size=1).filter(str.strip), steps)
def test_a_turn_becomes_messages_that_an_endpoint_takes(answer, user, calls):
    messages = exchange(1, UserTurn(user, answer, tuple(calls)), answer)
    assert not structure_faults(messages)
    assert tools_in(messages) == [call for step in calls for call in step]
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", c.id) for m in messages for c in m.calls)
