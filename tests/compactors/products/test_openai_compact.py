"""``openai-compact``: the conversation continues with the output of the endpoint."""

import json
from dataclasses import replace

import pytest
from support.builders import COUNTER, assistant, compact_now, context_of, session, user
from support.compacting import (
    NativeModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    view_of,
)

from pytest_compaction.compactors.products.openai_compact import OpenAICompact
from pytest_compaction.conversation import Opaque
from pytest_compaction.models import ModelError

ITEM = {"type": "compaction", "id": "cmp_9", "encrypted_content": "gAAAA+/=é", "n": [1, 2.5, None]}


def opaque_parts(view):
    return [part for message in view for part in message.parts if isinstance(part, Opaque)]


def test_the_output_follows_the_system_prompt_in_its_order_with_one_opaque_item():
    model = NativeModel(ITEM)
    outcome, view = compacted(OpenAICompact(), session(4), context_of(500, model=model))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", *["user"] * 4, "assistant"]
    assert ids(view)[:-1] == ["m0", "m1", "m5", "m9", "m13"]
    assert json.loads(opaque_parts(view)[0].payload) == ITEM
    assert view[-1].origin == "synthetic"


def test_the_opaque_item_is_byte_identical_in_view_state_and_next_request():
    model = NativeModel(ITEM)
    context = context_of(500, model=model)
    first, second = in_a_row(OpenAICompact(), [session(4), session(4)[1:]], context)
    payload = opaque_parts(view_of(OpenAICompact(), first, context))[0].payload
    again = json.loads(json.dumps(first.state))
    assert opaque_parts(OpenAICompact().render(again, context).messages)[0].payload == payload
    assert opaque_parts(model.compacts[1].messages)[0].payload == payload
    assert len(opaque_parts(view_of(OpenAICompact(), second, context))) == 1


def test_the_system_prompt_is_not_sent_and_the_users_focus_is():
    model = NativeModel()
    context = replace(context_of(500, model=model), instructions="Keep the ports.")
    compacted(OpenAICompact(), session(4), context)
    assert ids(model.compacts[0].messages) == [f"m{i}" for i in range(1, 17)]
    assert model.compacts[0].instructions == "Keep the ports."
    assert model.requests == []


def test_every_message_has_one_fate():
    outcome, view = compacted(OpenAICompact(), session(3), context_of(300, model=NativeModel()))
    assert [id for span in outcome.spans for id in span.ids] == [f"m{i}" for i in range(13)]
    kept = [id for span in outcome.spans if span.fate == "kept" for id in span.ids]
    assert kept == ids(view)[:-1]
    assert {span.by for span in outcome.spans if span.fate == "replaced"} == {view[-1].id}


def test_a_model_without_native_compaction_fails_with_one_clear_sentence():
    compactor, context = OpenAICompact(), context_of(500)
    state = observed(compactor, session(4), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "the offline model has no native compaction" in outcome.error
    assert "\n" not in outcome.error


class RefusingModel(NativeModel):
    async def compact(self, request):
        raise ModelError("the endpoint timed out")


def test_a_failing_endpoint_leaves_the_view_as_it_was():
    compactor, context = OpenAICompact(), context_of(500, model=RefusingModel())
    state = observed(compactor, session(4), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert outcome.error == "the endpoint could not compact: the endpoint timed out"


@pytest.mark.parametrize(("items", "count"), [([{"type": "note"}], 0), ([ITEM, ITEM], 2)])
def test_an_output_without_exactly_one_compaction_item_is_refused(items, count):
    compactor, context = OpenAICompact(), context_of(500, model=NativeModel(*items))
    state = observed(compactor, session(4), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert f"returned {count} compaction items" in outcome.error


def test_takes_an_output_over_the_budget():
    chat = [*session(2), *[user("more " * 100) for _ in range(6)], assistant("ok")]
    context = context_of(300, model=NativeModel())
    compactor = OpenAICompact()
    outcome, view = compacted(compactor, chat, context)
    assert outcome.status == "compacted"
    assert COUNTER.messages(view) > 300
    assert "within-budget" in compactor.traits.violations


def test_sends_more_than_the_window_holds():
    model = NativeModel()
    context = context_of(100, window=300, model=model)
    compactor = OpenAICompact()
    assert compacted(compactor, session(6), context)[0].status == "compacted"
    assert "summariser-input-bounded" in compactor.traits.violations


def test_takes_an_output_that_is_no_smaller():
    chat = [*session(1)[:2], *[user("more " * 20) for _ in range(3)]]
    context = context_of(150, window=250, model=NativeModel())
    before = COUNTER.messages(messages_of(chat))
    compactor = OpenAICompact()
    _, view = compacted(compactor, chat, context)
    assert COUNTER.messages(view) >= before
    assert "never-larger" in compactor.traits.violations
