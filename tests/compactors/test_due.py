"""When compaction is due, for every shipped strategy; what each must keep is an invariant."""

import pytest
from support.builders import assistant, context_of, session, tool

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.conversation.formats.chat import from_chat

REGISTRY = Registry()
APART = {"none", "openai-compact", "recorded"}
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
