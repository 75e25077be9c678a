"""``a+b``: parts in order on one view, each with its own state."""

import asyncio
import json
import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, user
from support.compacting import (
    AwayModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    view_of,
)
from support.compositions import create, talk

from pytest_compaction.compactors import Composition, Outcome, Span, Traits
from pytest_compaction.compactors.base.history import HistoryCompactor
from pytest_compaction.compactors.composition import CompositionError
from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID
from pytest_compaction.compactors.strategies.ledger import LEDGER_ID, Ledger
from pytest_compaction.conversation import readable, structure_faults


def test_a_later_part_acts_only_where_the_view_is_still_over_the_budget():
    chat = [*session(8), *talk(4)]
    masked, alone = compacted(create("anchored"), chat, context_of(900))
    outcome, view = compacted(create("anchored+truncate"), chat, context_of(900))
    assert (outcome.status, masked.status) == ("compacted", "compacted")
    assert view == alone


def test_a_later_part_takes_over_where_the_first_one_fails():
    chat = [*session(8), *talk(4)]
    context = context_of(900, model=AwayModel())
    outcome, view = compacted(create("anchored+window"), chat, context)
    assert outcome.status == "truncated"
    assert COUNTER.messages(view) <= 900
    assert view == compacted(create("window"), chat, context_of(900))[1]


def test_a_failure_that_leaves_the_view_over_the_budget_changes_nothing():
    chat = [*session(8), *talk(4)]
    context = context_of(900, model=AwayModel())
    state = observed(create("anchored+ledger"), chat, context)
    outcome, view = compacted(create("anchored+ledger"), chat, context)
    assert outcome.status == "failed"
    assert outcome.error.startswith("anchored: the summary could not be written")
    assert outcome.state == state
    assert view == messages_of(chat)
    assert [span.fate for span in outcome.spans] == ["kept"]


def test_each_part_keeps_its_own_state_between_compactions():
    spy = SpyModel()
    context = context_of(900, model=spy)
    batches = [session(8), *([*talk(6, n)] for n in range(3))]
    composed = create("mask-observations+anchored+ledger")
    outcomes = list(in_a_row(composed, batches, context))
    merged = [m.id for request in spy.requests for m in request.messages]
    assert len(merged) == len(set(merged))
    assert [request.previous is None for request in spy.requests] == [
        number == 0 for number in range(len(spy.requests))
    ]
    _, summary, ledger, *_ = map(readable, view_of(composed, outcomes[-1], context))
    assert "idea 2-4" in summary
    assert "src/module_7.py" in ledger


def test_spans_follow_a_message_through_the_parts():
    batches = [session(8), [*talk(8)], [*talk(8, 2)]]
    context, composed = context_of(900), create("anchored+ledger")
    state, start = composed.start(), 0
    for batch in batches:
        state = observed(composed, batch, context, state, start)
        start += len(batch)
        before = composed.render(state, context).messages
        outcome = asyncio.run(composed.compact(state, context))
        assert [id for span in outcome.spans for id in span.ids] == ids(before)
        replaced = [span for span in outcome.spans if span.fate == "replaced"]
        assert {span.by for span in replaced} == {SUMMARY_ID}
        state = outcome.state


def test_a_function_of_ones_own_is_a_part(monkeypatch):
    def newest(messages, budget):
        """Keeps the system prompt and the last two messages."""
        return [messages[0], *messages[-2:]]

    module = types.ModuleType("strategies_of_mine")
    module.newest = newest
    monkeypatch.setitem(sys.modules, "strategies_of_mine", module)
    context, composed = context_of(900), create("strategies_of_mine:newest+ledger")
    chat = [*session(8), user("Thanks."), assistant("Good.")]
    outcome, view = compacted(composed, chat, context)
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", LEDGER_ID, f"m{len(chat) - 2}", f"m{len(chat) - 1}"]
    assert composed.description == "strategies_of_mine:newest, with the ledger beside it"


class Reader(HistoryCompactor):
    """Reads ahead: its observe leaves the view alone and notes how much it saw."""

    name = "reader"
    traits = Traits()

    def start(self):
        return {"messages": [], "seen": 0}

    def observe(self, state, new, context):
        seen = super().observe(state, new, context)
        return {**seen, "seen": state["seen"] + len(new)}

    async def compact(self, state, context):
        return Outcome(state, "noop", (Span(tuple(m["id"] for m in state["messages"]), "kept"),))


def test_every_part_observes_every_message_whatever_the_others_dropped():
    context, composed = context_of(600), create("reader+window", reader=Reader)
    *_, last = in_a_row(composed, [session(6), [*talk(6)]], context)
    assert last.state["parts"][0]["seen"] == len(session(6)) + 12


COMPOSITIONS = ["anchored+ledger", "mask-observations+anchored", "rag+ledger", "anchored+window"]


@pytest.mark.parametrize("text", COMPOSITIONS)
@settings(max_examples=20)
@given(agent_logs(), agent_logs(pending=True, max_turns=3), st.sampled_from([150, 400, 900]))
def test_any_log_leaves_json_states_sound_views_and_a_partition(text, chat, more, budget):
    composed, context = create(text), context_of(budget)
    state, start = composed.start(), 0
    for batch in (chat, [message for message in more if message["role"] != "system"]):
        state = observed(composed, batch, context, state, start)
        start += len(batch)
        plain = json.dumps(state)
        before = composed.render(state, context).messages
        outcome = asyncio.run(composed.compact(state, context))
        after = composed.render(outcome.state, context).messages
        assert json.dumps(state) == plain
        assert json.loads(json.dumps(outcome.state)) == outcome.state
        assert structure_faults(after) == []
        assert [id for span in outcome.spans for id in span.ids] == ids(before)
        for span in outcome.spans:
            assert all((id in ids(after)) == (span.fate in {"kept", "masked"}) for id in span.ids)
            assert span.by is None or span.by in ids(after)
        if outcome.status in {"noop", "failed"}:
            assert after == before
        else:
            assert COUNTER.messages(after) < COUNTER.messages(before)
        state = outcome.state


def test_a_composition_of_made_parts_needs_one_that_compacts():
    with pytest.raises(CompositionError, match="has no part that compacts"):
        Composition("ledger", [Ledger()])
