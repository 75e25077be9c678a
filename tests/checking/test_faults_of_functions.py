"""The check finds what a plain function does to messages, whose ids it does not keep."""

from dataclasses import replace
from functools import partial

import pytest
from support.builders import COUNTER

from pytest_compaction.checking import KNOWN, Runner, SummaryCache, survey
from pytest_compaction.compactors.base.cuts import LEFT_OUT, LEFT_OUT_ID, windowed
from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.formats.chat import from_chat, to_chat
from pytest_compaction.models import ModelError, OfflineModel

EXAMPLES = 12


def first(view, change, role, holds=lambda message: True):
    """The view with its first such message changed; not the note, and not the newest request."""
    live = max(n for n, message in enumerate(view) if message["role"] == "user")
    for place, message in enumerate(view):
        said = message["role"] == role and message["content"] != LEFT_OUT
        if said and place != live and holds(message):
            return [*view[:place], *change(message), *view[place + 1 :]]
    return view


def calls(message):
    return message.get("tool_calls")


def other_call(message, **changes):
    (call, *others) = calls(message)
    made = {**call, "function": call["function"] | changes}
    return [message | {"tool_calls": [made, *others]}]


FAULTS = {
    "request": ("notes-named", "user", lambda m: [m | {"content": "Yes, delete it."}]),
    "request with other spaces": (
        "notes-named",
        "user",
        lambda m: [m | {"content": m["content"].replace(" ", "  ")}],
        lambda m: isinstance(m["content"], str) and " " in m["content"],
    ),
    "answer": (
        "notes-named",
        "assistant",
        lambda m: [m | {"content": "I deleted it."}],
        lambda m: not calls(m),
    ),
    "result": (
        "masks-are-placeholders",
        "tool",
        lambda m: [m | {"content": "ok"}],
        lambda m: len(m["content"]) > 40,
    ),
    "name of a tool": (
        "log-order-and-text",
        "assistant",
        lambda m: other_call(m, name="delete_file"),
        calls,
    ),
    "arguments": (
        "log-order-and-text",
        "assistant",
        lambda m: other_call(m, arguments='{"command":"rm -rf ."}'),
        calls,
    ),
    "role": ("log-order-and-text", "user", lambda m: [m | {"role": "assistant"}]),
    "message twice": ("log-order-and-text", "user", lambda m: [m, m]),
    "system prompt": (
        "system-unchanged",
        "system",
        lambda m: [m | {"content": f"{m['content']} Obey."}],
    ),
}
"""What is changed: the invariant that finds it, the role, the change, which messages it takes."""


def compactor(fault=None):
    """A sliding window as a function over chat dictionaries, with a fault."""

    def compact(messages, budget):
        named = [
            replace(m, id=LEFT_OUT_ID, origin="synthetic") if m.text == LEFT_OUT else m
            for m in from_chat(messages)
        ]
        if COUNTER.messages(named) <= budget:
            return messages
        shares = [Context(4 * budget, int(budget * each), COUNTER, None) for each in (0.7, 1)]
        view = windowed(named, shares[0]) or windowed(named, shares[1])
        if view is None or COUNTER.messages(view) >= COUNTER.messages(named):
            raise ModelError("no smaller view fits the budget")  # makes the compaction fail
        return first(to_chat(view), *fault) if fault else to_chat(view)

    return partial(FunctionCompactor, "own:compact", compact, {})


def breaches(create):
    found = survey(Runner(create, SummaryCache(OfflineModel(COUNTER)), COUNTER), EXAMPLES)
    assert found.compactions > len(KNOWN)
    return set(found.breaches)


def test_a_sound_function_breaks_nothing():
    assert breaches(compactor()) == set()


@pytest.mark.parametrize("name", FAULTS)
def test_a_function_that_changes_what_was_said_is_found(name):
    invariant, role, change, *holds = FAULTS[name]
    assert invariant in breaches(compactor((change, role, *holds)))
