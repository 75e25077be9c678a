"""The promises of every strategy, on any log of an agent, with any model."""

import asyncio
import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import (
    COUNTER,
    agent_logs,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import SpyModel, batched, cycles, in_a_row, observed
from support.compositions import create

from pytest_compaction.compactors import Truncate
from pytest_compaction.compactors.strategies.anchored import Anchored, Regenerate
from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.conversation import pending_calls, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import Summary, SummaryReply

STRATEGIES = [NoCompaction, Truncate, Regenerate, Anchored]
BUDGETS = st.sampled_from([20, 120, 300, 800])


def view_at(compactor, state, context):
    """The view of a state."""
    return compactor.render(state, context).messages


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=30)
@given(chat=agent_logs(), more=agent_logs(pending=True, max_turns=3), budget=BUDGETS)
def test_the_structure_stays_sound_and_every_message_has_one_fate(strategy, chat, more, budget):
    compactor, context = strategy(), context_of(budget)
    more = [message for message in more if message["role"] != "system"]
    for state, outcome in cycles(compactor, [*batched(chat, 3), more], context):
        before = view_at(compactor, state, context)
        after = view_at(compactor, outcome.state, context)
        assert structure_faults(after) == []
        claimed = [id for span in outcome.spans for id in span.ids]
        assert claimed == [message.id for message in before]
        ids = [message.id for message in after]
        assert len(set(ids)) == len(ids)
        for span in outcome.spans:
            assert all((id in ids) == (span.fate in {"kept", "masked"}) for id in span.ids)
            assert span.by is None or span.by in ids
        kept = {id for span in outcome.spans if span.fate == "kept" for id in span.ids}
        assert [m for m in before if m.id in kept] == [m for m in after if m.id in kept]
        if outcome.status in {"noop", "failed"}:
            assert outcome.state == state
        else:
            assert COUNTER.messages(after) < COUNTER.messages(before)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(), budget=BUDGETS)
def test_a_state_is_json_and_no_method_changes_what_it_is_given(strategy, chat, budget):
    compactor, context = strategy(), context_of(budget)
    start = compactor.start()
    new = from_chat(chat)
    given_new = copy.deepcopy(new)
    state = compactor.observe(start, new, context)
    assert start == strategy().start()
    assert new == given_new
    before = json.loads(json.dumps(state))
    assert before == state
    outcome = compact_now(compactor, state, context)
    compactor.due(state, context)
    view = view_at(compactor, state, context)
    assert state == before
    assert view_at(compactor, before, context) == view == given_new
    again = json.loads(json.dumps(outcome.state))
    assert view_at(compactor, again, context) == view_at(compactor, outcome.state, context)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(), budget=BUDGETS)
def test_the_same_log_gives_the_same_view(strategy, chat, budget):
    first, second = (
        list(in_a_row(strategy(), batched(chat, 2), context_of(budget))) for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(pending=True), budget=BUDGETS)
def test_a_call_that_waits_for_its_result_survives(strategy, chat, budget):
    compactor, context = strategy(), context_of(budget)
    state = observed(compactor, chat, context)
    waiting = pending_calls(from_chat(chat))
    outcome = compact_now(compactor, state, context)
    view = view_at(compactor, outcome.state, context)
    assert waiting
    assert pending_calls(view) == waiting
    results = from_chat([*(tool(id, "late") for id in waiting), user("go on")], prefix="late")
    complete = view_at(compactor, compactor.observe(outcome.state, results, context), context)
    assert structure_faults(complete) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_observed_is_nothing_to_compact(strategy):
    compactor, context = strategy(), context_of(100)
    outcome = compact_now(compactor, compactor.start(), context)
    assert (outcome.status, outcome.spans) == ("noop", ())
    assert view_at(compactor, outcome.state, context) == ()


@pytest.mark.parametrize("strategy", [Truncate, Regenerate, Anchored])
def test_compaction_is_due_near_the_end_of_the_window(strategy):
    compactor = strategy()
    small = context_of()
    state = observed(compactor, session(4), small)
    used = COUNTER.messages(from_chat(session(4)))
    assert compactor.due(state, context_of(window=used * 2)) is None
    assert f"{used} of {used + 1} tokens used" == compactor.due(state, context_of(window=used + 1))


BUDGETED = "anchored ledger light pins rag regenerate said-only truncate window".split()


@pytest.mark.parametrize("name", BUDGETED)
def test_a_system_prompt_that_takes_the_budget_is_a_failure(name):
    compactor, context = create(name), context_of(100)
    state = observed(compactor, [system("rule " * 500), *session(2)[1:]], context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "the system prompt alone takes" in outcome.error


@pytest.mark.parametrize("name", [name for name in BUDGETED if name != "regenerate"])
def test_a_log_within_the_budget_is_left_alone(name):
    compactor, spy = create(name), SpyModel()
    context = context_of(COUNTER.messages(from_chat(session(2))), model=spy)
    outcome = compact_now(compactor, observed(compactor, session(2), context), context)
    assert (outcome.status, spy.requests) == ("noop", [])


class EmptyModel(SpyModel):
    async def summarize(self, request):
        return SummaryReply(Summary(tuple((section.id, ()) for section in request.sections)))


@pytest.mark.parametrize("strategy", [Anchored, Regenerate])
def test_an_empty_summary_leaves_the_state_as_it_was(strategy):
    compactor, context = strategy(), context_of(400, model=EmptyModel())
    state = observed(compactor, session(6), context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "empty" in outcome.error
    assert outcome.state == state
    assert [span.fate for span in outcome.spans] == ["kept"]


def test_a_strategy_works_on_any_event_loop():
    compactor, context = Anchored(), context_of(400)
    state = observed(compactor, session(6), context)

    async def twice():
        return await asyncio.gather(*(compactor.compact(state, context) for _ in range(2)))

    first, second = asyncio.run(twice())
    assert first == second == compact_now(compactor, state, context)
