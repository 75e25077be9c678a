"""The situations that every check looks at: each declared violation shows there, and no other."""

import json

import pytest
from support.builders import COUNTER

from pytest_compaction.checking import INVARIANTS, KNOWN, Runner, SummaryCache, shrunk, survey
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.conversation import Message, Opaque, structure_faults
from pytest_compaction.conversation.formats.chat import message_to_chat
from pytest_compaction.models import CompactReply, OfflineModel
from pytest_compaction.session.check import UNCHECKED

REGISTRY = Registry()
MODES = (
    "adk:interval=2:overlap=1",
    "anthropic:mode=client",
    "cline:mode=basic",
    "codex:mode=local",
    "continue:mode=cli",
    "roo:version=1",
)
FAITHFUL = [
    text
    for text in (*REGISTRY.names(), *MODES)
    if text not in {*UNCHECKED, "ledger"} and REGISTRY.create(parse_spec(text)).traits.violations
]
OFTEN = 3
"""Every third strategy is surveyed in the ordinary run, all of them in the slower lane."""
ITEM = Opaque(json.dumps({"type": "compaction", "encrypted_content": "0xbeef" * 30}))


class Native(OfflineModel):
    """Compacts natively: what the user said, and one opaque item that holds the rest."""

    async def compact(self, request):
        users = (m for m in request.messages if m.role == "user" and m.origin == "log")
        return CompactReply((*users, Message("item", "user", (ITEM,), "synthetic")))


def mostly_exhaustive(texts):
    """Parameters for strategies, of which every third runs every time."""
    return [
        pytest.param(text, marks=pytest.mark.exhaustive if number % OFTEN else ())
        for number, text in enumerate(texts)
    ]


def runner_of(text):
    model = Native(COUNTER)
    return Runner(lambda: REGISTRY.create(parse_spec(text)), SummaryCache(model), COUNTER)


def broken_by(text):
    """The invariants that a strategy breaks in the situations, without any drawn example."""
    return set(survey(runner_of(text), 0).breaches)


def test_there_are_strategies_that_declare_violations():
    assert len(FAITHFUL) > 15


@pytest.mark.parametrize("text", mostly_exhaustive(FAITHFUL))
def test_a_shipped_strategy_shows_each_violation_that_it_declares_and_no_other(text):
    declared = REGISTRY.create(parse_spec(text)).traits.violations
    assert set(declared) <= {invariant.name for invariant in INVARIANTS}
    assert broken_by(text) == set(declared)


LOW_TRIGGERS = {
    "adk:threshold=50:retention=3": {"not-due-after"},
    "anthropic:mode=client:threshold=5000": {"not-due-after", "progress-or-stop", "never-larger"},
    "codex:mode=local:limit=5000": {"not-due-after", "progress-or-stop", "never-larger"},
    "deepagents:trigger=3messages": {"not-due-after"},
    "gemini-cli:threshold=0.05": {"not-due-after"},
    "goose:threshold=0.05": {"not-due-after"},
    "kimi-cli:threshold=0.05": {"not-due-after"},
    "langchain:keep=5:trigger=3messages": {"not-due-after"},
    "openhands:max_tokens=100": {"not-due-after"},
    "roo:threshold=5": {"not-due-after", "never-larger"},
    "roo:version=1:threshold=5": {"not-due-after"},
    "strands:threshold=0.05": {"not-due-after"},
}
"""Triggers below what a compaction leaves, with what a strategy declares more because of them."""


@pytest.mark.parametrize("text", mostly_exhaustive(LOW_TRIGGERS))
def test_a_trigger_that_a_user_sets_too_low_is_declared(text):
    plain = next((m for m in MODES if text.startswith(f"{m}:")), text.partition(":")[0])
    usual, declared = (
        set(REGISTRY.create(parse_spec(spec)).traits.violations) for spec in (plain, text)
    )
    assert declared == usual | LOW_TRIGGERS[text]
    assert "not-due-after" in broken_by(text) <= declared


def test_the_situations_differ_and_are_sound_conversations():
    assert len(set(KNOWN)) == len(KNOWN)
    for scenario in KNOWN:
        assert structure_faults(scenario.log) == []
        assert all(message_to_chat(message) for message in scenario.log)
        assert scenario.budget < scenario.window


def test_a_situation_is_shown_as_it_is_where_no_drawn_example_breaks_the_invariant():
    runner = runner_of("cline:mode=basic")
    invariant = next(each for each in INVARIANTS if each.name == "never-larger")
    found = survey(runner, 0)
    assert found.examples == len(KNOWN)
    first = found.first["never-larger"]
    assert first.scenario.stratum == "known"
    assert shrunk(first, invariant, runner, 0) == first
