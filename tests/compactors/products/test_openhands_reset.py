"""``openhands``: the reset of a hard requirement, with smaller texts at each attempt."""

import itertools
import json

from support.builders import (
    compact_now,
    context_of,
    session,
    system,
    user,
)
from support.compacting import (
    AwayModel,
    RefusingModel,
    SayingModel,
    compacted,
    ids,
    in_a_row,
    observed,
    talk,
    view_of,
)

from pytest_compaction.compactors.products.openhands import FORGOTTEN, PREVIEW, OpenHands

ROOMY = 1_000_000


def test_a_hard_requirement_resets_everything_with_smaller_texts_at_each_attempt():
    model = RefusingModel(4)
    chat = talk(30, words=200)
    context = context_of(2000, model=model)
    outcome, view = compacted(OpenHands(), chat, context)
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "openhands-summary-1"]
    assert len(model.requests) == 5
    sizes = [max(len(m.text) for m in request.messages) for request in model.requests[1:]]
    assert PREVIEW < sizes[0] < PREVIEW + 30
    for before, after in itertools.pairwise(sizes):
        assert 0.75 * before <= after <= 0.85 * before
    assert len(model.requests[1].messages) == 30


def test_after_five_attempts_the_view_stays():
    model = AwayModel()
    compactor, context = OpenHands(), context_of(500, model=model)
    state = observed(compactor, talk(30), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert len(model.requests) == 1 + 5


def test_after_a_reset_the_summary_stays_as_a_first_event():
    giant = [system(), user("word " * 1500)]
    context = context_of(1000, window=8000)
    outcomes = list(in_a_row(OpenHands(), [giant, session(12)[1:]], context))
    view = view_of(OpenHands(), outcomes[-1], context)
    assert sum(m.origin == "synthetic" for m in view) == 2
    assert "one-live-summary" in OpenHands().traits.violations


def test_after_a_reset_without_a_summary_a_note_in_the_users_name_stands_first():
    giant = [system(), user("word " * 1500)]
    outcome, view = compacted(OpenHands(), giant, context_of(1000, model=SayingModel()))
    assert outcome.status == "compacted"
    assert [(m.role, m.text) for m in view[1:]] == [("user", FORGOTTEN)]
    assert not {"starts-with-user", "ends-on-user-or-tool"} & set(OpenHands().traits.violations)


def test_its_state_is_json_after_a_reset():
    outcome, _ = compacted(OpenHands(), talk(30), context_of(500, model=RefusingModel(1)))
    assert json.loads(json.dumps(outcome.state)) == outcome.state
