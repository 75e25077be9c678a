"""What the strategies of products share: refused parameters, failures, calls, empty replies."""

import json
import re

import pytest
from support.builders import assistant, compact_now, context_of, session, tool, user
from support.compacting import (
    AwayModel,
    NativeModel,
    SayingModel,
    compacted,
    ids,
    messages_of,
    observed,
)
from support.compositions import create

from pytest_compaction.compactors.products.adk import Adk
from pytest_compaction.compactors.products.anthropic import Anthropic
from pytest_compaction.compactors.products.claude_code import ClaudeCode
from pytest_compaction.compactors.products.codex import Codex
from pytest_compaction.compactors.products.continue_ import Continue, ContinuePrune
from pytest_compaction.compactors.products.kimi_cli import KimiCli
from pytest_compaction.compactors.products.langchain import DeepAgents
from pytest_compaction.compactors.products.opencode import Opencode
from pytest_compaction.compactors.products.openhands import OpenHands
from pytest_compaction.compactors.products.pi import Pi
from pytest_compaction.compactors.products.roo import Roo
from pytest_compaction.compactors.products.strands import Strands
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.conversation.messages import leading_system, pending_calls, structure_faults

IMPOSSIBLE = [
    (Adk, {"retention": -1}, "retention=-1 must be a whole number, at least 0"),
    (Adk, {"threshold": 0, "retention": 1}, "threshold=0 must be a whole number, at least 1"),
    (Adk, {"threshold": 100}, "threshold=100 needs retention="),
    (Adk, {"interval": 3}, "interval= and overlap= must be given together"),
    (Adk, {"overlap": 1}, "interval= and overlap= must be given together"),
    (Adk, {"interval": 0, "overlap": 1}, "interval=0 must be a whole number, at least 1"),
    (Anthropic, {"threshold": 0}, "threshold=0 must be a whole number, at least 1"),
    (Anthropic, {"threshold": "many"}, "threshold=many must be a whole number"),
    (Anthropic, {"mode": "cloud"}, "mode=cloud must be client or server"),
    (Anthropic, {"clear": -1}, "clear=-1 must be a whole number, at least 0"),
    (Anthropic, {"clear": 3, "clear_trigger": 0}, "clear_trigger=0 must be a whole"),
    (Anthropic, {"clear": 3, "clear_at_least": -5}, "clear_at_least=-5 must be a whole"),
    (ClaudeCode, {"files": -1}, "files=-1 must be a whole number, at least 0"),
    (Codex, {"users": 0}, "users=0 must be a whole number, at least 1"),
    (Codex, {"limit": -1}, "limit=-1 must be a whole number, at least 0"),
    (Continue, {"mode": "vim"}, "mode=vim must be ide or cli"),
    (Continue, {"max_output": 0}, "max_output=0 must be a whole number, 1 to 199999"),
    (Continue, {"max_output": 200_000}, "max_output=200000 must be"),
    (ContinuePrune, {"max_output": 0}, "max_output=0 must be a whole number, at least 1"),
    (DeepAgents, {"arguments": 5}, "arguments=5 must be a whole number of characters, at least 20"),
    (DeepAgents, {"keep": "x"}, "keep=x must be a number of messages"),
    (KimiCli, {"keep": 0}, "keep=0 must be a whole number, at least 1"),
    (KimiCli, {"threshold": 0}, "threshold=0 must be above 0 and at most 1"),
    (KimiCli, {"reserve": -1}, "reserve=-1 must be a whole number, at least 0"),
    (KimiCli, {"calls": 1}, "calls=1 must be False or True"),
    (Opencode, {"reserve": 0}, "reserve=0 must be a whole number, at least 1"),
    (Opencode, {"overflow": "x"}, "overflow=x must be False or True"),
    (OpenHands, {"max_size": 0}, "max_size=0 must be a whole number, at least 1"),
    (OpenHands, {"keep_first": -1}, "keep_first=-1 must be a whole number, at least 0"),
    (OpenHands, {"max_tokens": 0}, "max_tokens=0 must be a whole number of tokens"),
    (OpenHands, {"max_size": 10, "keep_first": 4}, "it must be below 4"),
    (OpenHands, {"read_results": -1}, "read_results=-1 must be a whole number of characters"),
    (Pi, {"reserve": 0}, "reserve=0 must be a whole number, at least 1"),
    (Pi, {"keep": 0}, "keep=0 must be a whole number, at least 1"),
    (Pi, {"read_results": -1}, "read_results=-1 must be a whole number of characters, at least 0"),
    (Roo, {"version": 3}, "version=3 must be 1 or 2"),
    (Roo, {"version": True}, "version=True must be 1 or 2"),
    (Roo, {"keep": 2.5}, "keep=2.5 must be a whole number"),
    (Roo, {"keep": 0}, "keep=0 must be a whole number, at least 1"),
    (Roo, {"threshold": 4}, "threshold=4 must be a whole number, 5 to 100"),
    (Roo, {"threshold": 101}, "threshold=101 must be"),
    (Roo, {"max_output": 0}, "max_output=0 must be a whole"),
    (Strands, {"ratio": 0.05}, "ratio=0.05 must be a number from 0.1 to 0.8"),
    (Strands, {"ratio": True}, "ratio=True must be a number from 0.1 to 0.8"),
    (Strands, {"keep": -1}, "keep=-1 must be a whole number, at least 0"),
    (Strands, {"threshold": 1.5}, "threshold=1.5 must be a number from 0 to 1"),
]
ASKED_ONCE = (
    "adk anthropic claude-code codex continue continue:mode=cli deepagents gemini-cli goose "
    "kimi-cli langchain opencode openhands pi roo strands"
)
EVERY = [name for name in Registry().names() if name not in {"none", "recorded"}]
EVERY += ["adk:interval=2:overlap=1", "cline:mode=basic", "continue:mode=cli", "roo:version=2"]
LOSING_CALLS = (
    "anthropic codex continue continue:mode=cli goose openai-compact opencode roo:version=2"
)


@pytest.mark.parametrize(("strategy", "parameters", "said"), IMPOSSIBLE)
def test_impossible_parameters_are_refused(strategy, parameters, said):
    with pytest.raises(ValueError, match=said):
        strategy(**parameters)


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


@pytest.mark.parametrize("name", ["goose", "kimi-cli", "opencode", "pi", "strands"])
def test_an_empty_reply_is_taken_for_the_summary(name):
    compactor = create(name)
    outcome, view = compacted(compactor, session(8), context_of(900, model=SayingModel()))
    assert outcome.status == "compacted"
    assert "summary-not-empty" in compactor.traits.violations
    written = next(message for message in view if "summary" in message.id)
    assert "- " not in written.text.removeprefix(compactor.preamble)
