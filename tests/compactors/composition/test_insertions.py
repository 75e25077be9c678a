"""``a+ledger``: insertions beside the parts."""

import asyncio
import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, context_of, session, system, user
from support.compacting import SpyModel, compacted, ids, in_a_row, messages_of, view_of
from support.compositions import create, talk

from pytest_compaction.compactors import Composition, Traits, Window
from pytest_compaction.compactors.composition import ELSEWHERE, InsertionCompactor
from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID
from pytest_compaction.compactors.strategies.ledger import LEDGER_ID, Ledger
from pytest_compaction.compactors.strategies.pins import PINS_ID, Pins
from pytest_compaction.conversation import readable, structure_faults, text_message


def test_the_ledger_stands_after_system_prompt_and_summary_and_nothing_exceeds_the_budget():
    context, composed = context_of(900), create("anchored+ledger")
    for outcome in in_a_row(composed, [session(8), [*talk(6)], [*talk(6, 2)]], context):
        view = view_of(composed, outcome, context)
        assert outcome.status == "compacted"
        assert ids(view)[:3] == ["m0", SUMMARY_ID, LEDGER_ID]
        assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID, LEDGER_ID]
        assert COUNTER.messages(view) <= 900
        assert structure_faults(view) == []


INSERTIONS = [(Ledger, LEDGER_ID), (Pins, PINS_ID)]


@pytest.mark.parametrize(("strategy", "inserted"), INSERTIONS)
@settings(max_examples=40)
@given(
    agent_logs(), agent_logs(pending=True), st.integers(60, 500), st.sampled_from([0.1, 0.3, 0.6])
)
def test_an_insertion_keeps_to_its_share_whatever_the_log(
    strategy, inserted, chat, more, budget, share
):
    compactor, context = strategy(share), context_of(budget)
    rules = user("Rules for the whole job: No new dependency. One commit for each step.")
    more = [rules, *(message for message in more if message["role"] != "system")]
    for outcome in in_a_row(compactor, [chat, more], context):
        state = json.loads(json.dumps(outcome.state))
        before = copy.deepcopy(state)
        view = compactor.render(state, context).messages
        assert state == before
        assert structure_faults(view) == []
        for message in view:
            if message.id == inserted:
                assert COUNTER.message(message) <= budget * share + 4
        if outcome.status == "truncated":
            assert COUNTER.messages(view) <= budget


@pytest.mark.parametrize(("strategy", "_"), INSERTIONS)
@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"share": 0}, "share=0 must be between 0 and 1"),
        ({"share": 1}, "share=1 must be between 0 and 1"),
        ({"limit": 0}, "limit=0 must be a whole number, at least 1"),
    ],
)
def test_impossible_parameters_of_an_insertion_are_refused(strategy, _, parameters, said):
    with pytest.raises(ValueError, match=said):
        strategy(**parameters)


def test_the_order_of_an_insertion_among_the_parts_does_not_matter():
    chat = session(10)
    one = compacted(create("anchored+ledger"), chat, context_of(900))[1]
    assert compacted(create("ledger+anchored"), chat, context_of(900))[1] == one


def test_the_summariser_never_reads_the_ledger():
    spy = SpyModel()
    context = context_of(900, model=spy)
    list(in_a_row(create("regenerate+ledger"), [session(8), [*talk(6)], [*talk(6, 2)]], context))
    assert len(spy.requests) == 3
    assert all(m.id != LEDGER_ID for request in spy.requests for m in request.messages)


def test_the_summariser_is_not_asked_for_what_the_ledger_covers():
    spy = SpyModel()
    context, composed = context_of(900, model=spy), create("anchored+ledger")
    outcomes = list(in_a_row(composed, [session(8), [*talk(6)]], context))
    for request in spy.requests:
        assert [section.id for section in request.sections] == [
            "session_intent",
            "decisions",
            "next_steps",
        ]
        assert "A separate record keeps these and stands beside the summary: files." in (
            request.instructions
        )
    assert "file_modifications" not in dict(spy.requests[1].previous.entries)
    summary = readable(view_of(composed, outcomes[-1], context)[1])
    assert f"## File modifications\n- {ELSEWHERE}" in summary


def test_without_anything_for_the_ledger_the_base_works_as_if_alone():
    chat = [system(), *talk(12)]
    spy = SpyModel()
    composed = create("anchored+ledger")
    _, view = compacted(composed, chat, context_of(900, model=spy))
    assert view == compacted(create("anchored"), chat, context_of(900))[1]
    assert "files" in {source for s in spy.requests[0].sections for source in s.gathers}


def test_a_view_within_the_budget_is_left_alone_with_its_ledger():
    context, composed = context_of(900), create("anchored+ledger")
    (outcome,) = in_a_row(composed, [session(8)], context)
    again = asyncio.run(composed.compact(outcome.state, context))
    assert again.status == "noop"
    assert again.state == outcome.state
    assert sorted(id for span in again.spans for id in span.ids) == sorted(
        ids(view_of(composed, outcome, context))
    )


def test_due_counts_the_ledger():
    context, composed = context_of(900), create("anchored+ledger")
    (outcome,) = in_a_row(composed, [session(8)], context)
    used = COUNTER.messages(view_of(composed, outcome, context))
    assert composed.due(outcome.state, context_of(window=used + 1)) == (
        f"{used} of {used + 1} tokens used"
    )
    assert composed.due(outcome.state, context_of(window=2 * used)) is None


def test_a_part_that_reads_per_question_gets_it():
    context, composed = context_of(900), create("rag+ledger")
    (outcome,) = in_a_row(composed, [session(12)], context)
    view = composed.render(
        outcome.state, context, "Which retry limit for src/module_1.py?"
    ).messages
    assert ids(view)[:3] == ["m0", "passages", LEDGER_ID]
    assert "it must be 101" in view[1].text
    assert COUNTER.messages(view) <= 900


class Fading(InsertionCompactor):
    """An insertion that gets shorter with each new message."""

    name = insertion_id = "fading"
    traits = Traits()

    def begin(self):
        return {"seen": 0}

    def note(self, notes, new):
        return {"seen": notes["seen"] + 1}

    def insertion(self, notes, context):
        return text_message("fading", "user", "word " * (200 // notes["seen"] ** 2), "synthetic")


def test_an_insertion_that_needs_less_is_written_anew_where_that_makes_the_view_fit():
    context, composed = context_of(600), Composition("window+fading", [Window(), Fading()])
    first, second = in_a_row(composed, [session(8), [user("more " * 220)]], context)
    before = composed.observe(first.state, messages_of([user("more " * 220)], 90), context)
    assert COUNTER.messages(composed.render(before, context).messages) > 600
    assert second.status == "compacted"
    assert COUNTER.messages(view_of(composed, second, context)) <= 600
    assert [span.fate for span in second.spans] == ["kept", "masked", "kept"]
