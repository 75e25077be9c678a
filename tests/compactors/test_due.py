"""When compaction is due, for every shipped strategy; what each must keep is an invariant."""

import pytest
from support.builders import COUNTER, assistant, context_of, session, tool, user

from pytest_compaction.compactors import Registry, parse_spec
from pytest_compaction.conversation.formats.chat import from_chat

REGISTRY = Registry()
APART = {"anthropic", "none", "openai-compact", "recorded"}
"""The control; what needs an endpoint that compacts; what shows a transcript's own compactions."""
BY_COUNT = {"mask-observations"}
"""Due from a number of tool results on, whatever their size, like their originals."""
ON_REQUEST = {"continue", "langchain", "strands"}
"""Never due without a parameter, like their originals: user, application or a refusal decide."""
SHIPPED = [name for name in REGISTRY.names() if name not in APART]


def due(name, chat, budget, window):
    compactor, context = REGISTRY.create(parse_spec(name)), context_of(budget, window=window)
    heard = from_chat([{**message, "id": f"m{n}"} for n, message in enumerate(chat)])
    return compactor.due(compactor.observe(compactor.start(), heard, context), context)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in BY_COUNT])
def test_a_young_conversation_is_not_due(name):
    assert due(name, session(2), budget=20_000, window=200_000) is None


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in ON_REQUEST])
def test_a_full_window_is_due_in_the_middle_of_tool_calls_too(name):
    call = assistant("On.", ("mid", "bash", {"command": "ls"}))
    chat = [*session(14, words=60), call, tool("mid", "out " * 900)]
    assert due(name, chat, budget=900, window=4000) is not None


FROM = """
    adk 20000 18000, adk:threshold=500:retention=3 20000 500,
    anchored 20000 18000, truncate 20000 18000, window 20000 18000,
    anthropic:mode=client 20000 10000, anthropic:mode=client 200000 100000,
    anthropic:mode=client:threshold=50000 200000 50000,
    claude-code 20000 16700, claude-code 200000 167000,
    cline 20000 16200,
    codex 20000 18000, codex:mode=local:limit=5000 272000 5000,
    continue:mode=cli 200000 121000, continue-prune 2000 1951,
    gemini-cli 20000 10000, gemini-cli:threshold=0.9 20000 18000,
    goose 20000 16001,
    kimi-cli 262144 212144, kimi-cli:reserve=0 20000 17000,
    openhands 20000 20001, openhands:max_tokens=900 20000 901,
    opencode 200000 168000, opencode:reserve=50000 200000 150000,
    opencode:output=8000 200000 180000, opencode:input=120000 200000 100000,
    pi 200000 183617,
    roo 20000 17182, roo 200000 171809, roo:threshold=50 1000 500, roo:threshold=-1 1000 861,
    strands:threshold=0.7 20000 14000
"""
"""A strategy, the window, and the tokens from which on it is due."""


@pytest.mark.parametrize("row", FROM.split(","), ids=str.strip)
def test_it_is_due_from_so_many_tokens_on(row):
    name, window, least = row.split()
    for count, is_due in ((int(least), True), (int(least) - 1, False)):
        chat = [user("word " * (count - 5))]
        assert COUNTER.messages(from_chat(chat)) == count
        assert (due(name, chat, budget=1000, window=int(window)) is not None) is is_due


@pytest.mark.parametrize(
    "name", ["continue", "goose:threshold=0", "goose:threshold=1", "langchain"]
)
def test_what_is_switched_off_is_never_due(name):
    assert due(name, session(9), budget=100, window=200) is None
