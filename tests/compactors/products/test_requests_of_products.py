"""What each product sends to a model for a summary, and how the reply is read."""

import re

import pytest
from support.builders import compact_now, context_of, session, user
from support.compacting import compacted, messages_of
from support.endpoint_builders import Replies, chat
from support.endpoint_replies import completion

from pytest_compaction.compactors import Registry, parse_spec
from pytest_compaction.compactors.registry import SHIPPED
from pytest_compaction.models import OfflineModel

REPLY = "\n".join(
    [
        "<analysis>The retry limit changed.</analysis>",
        "<summary>",
        "## Goal",
        "- The retry limit is 103.",
        "</summary>",
    ]
)
PRODUCTS = (
    "adk", "anthropic:mode=client", "claude-code", "codex", "continue", "deepagents", "gemini-cli",
    "kimi-cli", "langchain:keep=4", "openhands", "pi", "roo:version=1",
    "roo:version=2", "strands",
)  # fmt: skip
AS_OTHERS = {"cline", "goose", "hermes", "opencode"}
"""Products that are asked for a summary in the frame of the strategies without a product."""


def requests(name, reply=REPLY, log=None):
    """The requests of one compaction, and the view after it."""
    caller = Replies(completion(reply))
    context = context_of(700, window=4_000, model=chat(caller))
    strategy = Registry().create(parse_spec(name))
    _, view = compacted(strategy, log or session(4, words=30), context)
    assert caller.calls, "no summary was asked for"
    return [call.body["messages"] for call in caller.calls], view


def shown(messages):
    text = "\n".join(
        f"[{message['role']}] {message.get('content') or ''}"
        + "".join(f"\n  calls {c['function']['name']}" for c in message.get("tool_calls", ()))
        for message in messages
    )
    return re.sub(r"word\dx\d+(?: word\dx\d+)*", "…", text)


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_request_has_the_shape_of_its_product(name, snapshot):
    sent, _ = requests(name)
    assert "\n\n=====\n\n".join(map(shown, sent)) == snapshot


def test_every_product_that_asks_for_a_summary_is_known_here():
    asked = set()
    for name, target in SHIPPED.items():
        traits = Registry().create(parse_spec(name)).traits
        if target.startswith("products.") and traits.needs_model and not traits.opaque:
            asked.add(name)
    assert asked == {name.partition(":")[0] for name in PRODUCTS} | AS_OTHERS


@pytest.mark.parametrize(
    ("name", "stands", "gone"),
    [
        ("claude-code", "## Goal\n- The retry limit is 103.", "<"),
        (
            "anthropic:mode=client",
            "<summary>\n## Goal\n- The retry limit is 103.\n</summary>",
            "analysis",
        ),
        ("roo:version=2", REPLY, "(nothing yet)"),
        ("codex", REPLY, "(nothing yet)"),
        ("kimi-cli", REPLY, "current_focus"),
    ],
)
def test_a_reply_is_read_as_the_product_reads_it(name, stands, gone):
    _, view = requests(name)
    summary = next(m.text for m in view if m.origin == "synthetic" and "103." in m.text)
    assert stands in summary
    assert gone not in summary


def test_a_reply_that_is_too_long_loses_its_last_lines_and_says_so():
    lines = "\n".join(f"- line {number} of the summary" for number in range(300))
    _, view = requests("codex", lines)
    assert "- line 1 of the summary" in view[-1].text
    assert view[-1].text.endswith("more lines did not fit)")


def test_a_reply_that_only_repeats_the_prompt_is_no_summary():
    sent, _ = requests("roo:version=2")
    _, view = requests("roo:version=2", sent[0][-1]["content"])
    assert not any("Primary request and intent" in message.text for message in view)


def test_pi_updates_its_summary_with_another_prompt():
    caller = Replies(completion("## Goal\n- The first."))
    context = context_of(700, window=4_000, model=chat(caller))
    strategy = Registry().create(parse_spec("pi"))
    outcome, _ = compacted(strategy, session(4, words=30), context)
    log = messages_of([user("And now the docs, please."), *session(4, words=30)[1:]], 100)
    compact_now(strategy, strategy.observe(outcome.state, log, context), context)
    first, *_, last = [call.body["messages"][-1]["content"] for call in caller.calls]
    assert "<previous-summary>" not in first
    assert "<previous-summary>\n## Goal\n- The first." in last


def test_rules_read_no_prompt():
    context = context_of(700, window=4_000, model=OfflineModel())
    _, view = compacted(Registry().create(parse_spec("codex")), session(4, words=30), context)
    assert "## Progress and key decisions" in view[-1].text
