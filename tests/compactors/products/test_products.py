"""What the strategies of products share: refused parameters, failures, calls, empty replies."""

import json
import re

import pytest
from support.builders import assistant, compact_now, context_of, session, tool, user
from support.compacting import (
    AwayModel,
    NativeModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
)
from support.compositions import create

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.conversation import leading_system, pending_calls, structure_faults

ASKED_ONCE = (
    "adk anchored anthropic:mode=client claude-code codex:mode=local continue continue:mode=cli "
    "deepagents gemini-cli goose kimi-cli langchain light opencode openhands pi regenerate "
    "roo:version=1 strands"
)
EVERY = [name for name in Registry().names() if name not in {"none", "recorded"}]
EVERY += [
    "adk:interval=2:overlap=1",
    "anthropic:mode=client",
    "codex:mode=local",
    "cline:mode=basic",
    "continue:mode=cli",
    "hermes:mode=lean",
    "roo:version=1",
]
LOSING_CALLS = (
    "anthropic:mode=client codex codex:mode=local continue continue:mode=cli goose "
    "openai-compact opencode roo"
)


@pytest.mark.parametrize("name", ASKED_ONCE.split())
def test_a_model_that_is_away_leaves_the_view_as_it_was(name):
    compactor, context = create(name), context_of(600, model=AwayModel())
    state = observed(compactor, session(8), context)
    outcome, view = compacted(compactor, session(8), context)
    assert outcome.status == "failed"
    assert "the endpoint is away" in outcome.error
    assert view == messages_of(session(8))
    assert {**outcome.state, "failures": 0} == {**state, "failures": 0}


@pytest.mark.parametrize(("name", "times"), [("langchain", 3), ("kimi-cli", 3), ("goose", 1)])
def test_a_model_that_is_away_is_asked_as_often_as_the_original_asks(name, times):
    away = AwayModel()
    compacted(create(name), session(8), context_of(600, model=away))
    assert len(away.requests) == times


@pytest.mark.parametrize("name", LOSING_CALLS.split())
def test_an_open_call_is_lost_and_its_late_result_is_left_out(name):
    compactor, context = create(name), context_of(700, model=NativeModel())
    chat = [*session(8), user("look"), assistant("looking", ("open", "bash", {}))]
    outcome, view = compacted(compactor, chat, context)
    assert outcome.status == "compacted"
    assert pending_calls(view) == ()
    assert "pending-call-kept" in compactor.traits.violations
    late = observed(compactor, [tool("open"), user("so?")], context, outcome.state, 90)
    after = compactor.render(late, context).messages
    assert ids(after)[-1] == "m91"
    assert structure_faults(after) == []


@pytest.mark.parametrize("name", EVERY)
def test_no_request_is_empty_begins_with_the_model_or_has_a_result_without_its_call(name):
    compactor, context = create(name), context_of(900, window=4000, model=NativeModel())
    state, said = compactor.start(), 0
    calls = [assistant("I look.", ("open", "bash", {})), tool("open", "out " * 30)]
    for chat in ([*session(8), calls[0]], [calls[1], *session(4)[2:]], session(6)[1:]):
        named = json.loads(re.sub(r'"c(\d+)"', rf'"{said}-\1"', json.dumps(chat)))
        state = observed(compactor, named, context, state, said)
        said += len(chat)
        shown = compactor.render(state, context).messages
        shown = shown[leading_system(shown) :]
        assert shown[0].role == "user"
        assert all(message.parts for message in shown)
        assert structure_faults(shown) == []
        state = compact_now(compactor, state, context).state


@pytest.mark.parametrize("name", ["goose", "kimi-cli", "pi"])
def test_an_empty_reply_is_taken_for_the_summary(name):
    compactor = create(name)
    outcome, view = compacted(compactor, session(8), context_of(900, model=SayingModel()))
    assert outcome.status == "compacted"
    assert "summary-not-empty" in compactor.traits.violations
    written = next(message for message in view if "summary" in message.id)
    assert "- " not in written.text.removeprefix(compactor.preamble)


READ_AGAIN = (
    "adk:retention=4 anthropic:mode=client codex:mode=local deepagents goose kimi-cli "
    "langchain:trim=0 strands"
)


@pytest.mark.parametrize("name", READ_AGAIN.split())
def test_an_earlier_summary_is_read_without_its_preamble_and_replaced(name):
    spy = SpyModel()
    compactor, context = create(name), context_of(900, window=20_000, model=spy)
    outcomes = list(in_a_row(compactor, [session(12), session(12)[1:]], context))
    read = spy.requests[1].messages
    (earlier,) = (message for message in read if message.id == f"{compactor.name}-summary-1")
    assert earlier in read[:1] or name == "codex:mode=local"
    assert compactor.preamble not in earlier.text
    assert spy.requests[1].previous is None
    assert outcomes[1].status == "compacted"
    view = compactor.render(outcomes[1].state, context).messages
    written = [message.id for message in view if message.id.startswith(f"{compactor.name}-summary")]
    assert len(written) == 1
    assert written[0] != earlier.id


@pytest.mark.parametrize("name", ["anthropic:mode=client", "codex", "openai-compact"])
def test_a_view_within_budget_and_threshold_is_not_sent(name):
    model = NativeModel()
    outcome, _ = compacted(create(name), session(2), context_of(5000, model=model))
    assert (outcome.status, model.compacts, model.requests) == ("noop", [], [])
