"""What each product sends to a model for a summary, and how the reply is read."""

import asyncio
import re
import tomllib
from importlib import import_module

import pytest
from support.builders import compact_now, context_of, session, user
from support.compacting import SpyModel, compacted, in_a_row, messages_of
from support.endpoint_builders import Replies, chat
from support.endpoint_replies import completion
from support.paths import ROOT

from pytest_compaction.compactors import Registry, images_as_text, parse_spec
from pytest_compaction.compactors.base.product import product_prompt
from pytest_compaction.compactors.base.summaries import write_summary
from pytest_compaction.compactors.products.goose import Goose
from pytest_compaction.compactors.products.opencode import REMINDER
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
    "adk", "anthropic:mode=client", "claude-code", "cline", "codex:mode=local", "continue",
    "continue:mode=cli", "deepagents",
    "gemini-cli", "goose", "hermes", "hermes:mode=lean", "kimi-cli", "langchain:keep=4",
    "opencode", "openhands", "openhands:version=1", "pi", "roo", "roo:version=1", "strands",
)  # fmt: skip


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
        if target.startswith("products.") and Registry().create(parse_spec(name)).asks:
            asked.add(name)
    assert asked == {name.partition(":")[0] for name in PRODUCTS}


@pytest.mark.parametrize(
    ("name", "stands", "gone"),
    [
        ("claude-code", "## Goal\n- The retry limit is 103.", "<"),
        (
            "anthropic:mode=client",
            "<summary>\n## Goal\n- The retry limit is 103.\n</summary>",
            "analysis",
        ),
        ("roo", REPLY, "(nothing yet)"),
        ("codex:mode=local", REPLY, "(nothing yet)"),
        ("kimi-cli", REPLY, "current_focus"),
        ("cline", REPLY, "(nothing yet)"),
        ("goose", REPLY, "(nothing yet)"),
        ("hermes", REPLY, "(nothing yet)"),
    ],
)
def test_a_reply_is_read_as_the_product_reads_it(name, stands, gone):
    _, view = requests(name)
    summary = next(m.text for m in view if m.origin == "synthetic" and "103." in m.text)
    assert stands in summary
    assert gone not in summary


def test_a_reply_that_is_too_long_loses_its_last_lines_and_says_so():
    lines = "\n".join(f"- line {number} of the summary" for number in range(300))
    _, view = requests("codex:mode=local", lines)
    assert "- line 1 of the summary" in view[-1].text
    assert view[-1].text.endswith("more lines did not fit)")


def test_a_reply_that_only_repeats_the_prompt_is_no_summary():
    sent, _ = requests("roo")
    _, view = requests("roo", sent[0][-1]["content"])
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


def test_adk_alone_shows_the_summariser_what_the_model_thought():
    """As their sources do; the recorded words of others answer requests without it."""
    thinking = {"type": "thinking", "thinking": "The limit may be 7.", "signature": "c2ln"}
    sealed = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    log = session(4, words=30)
    log[2] = {**log[2], "content": [thinking, sealed, {"type": "text", "text": "I look."}]}
    for name in PRODUCTS:
        if product_prompt_of(name).lines:
            sent = str(requests(name, log=log)[0])
            assert ("model (thought): The limit may be 7." in sent) == (name == "adk")
            assert ("The limit may be 7." in sent) == (name == "adk"), name
            assert "b3BhcXVl" not in sent


def product_prompt_of(name):
    return product_prompt(Registry().create(parse_spec(name)).asks)


HEADS = {
    path.stem: tomllib.loads(path.read_text("utf-8").split("+++\n")[1])
    for path in sorted((ROOT / "pytest_compaction/compactors/products/prompts").glob("*.md"))
}
IN_ROW = {
    "continue-cli": "continue",
    "hermes-lean": "hermes",
    "openhands-1": "openhands",
    "pi-turn": "pi",
    "roo-1": "roo",
}


@pytest.mark.parametrize("file", HEADS)
def test_prompt_file_docstring_and_page_name_the_same_version_and_day(file):
    name = IN_ROW.get(file, file)
    page = (ROOT / "docs/strategies.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| `{name}` \| .*$", page, re.MULTILINE)
    module = import_module(f"pytest_compaction.compactors.{SHIPPED[name].partition(':')[0]}")
    for said in (HEADS[file]["version"], HEADS[file]["read"]):
        assert said in row
        assert said in module.__doc__


def test_the_page_says_of_every_product_when_it_was_read():
    page = (ROOT / "docs/strategies.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \| ", page, re.MULTILINE))
    products = [name for name, target in SHIPPED.items() if target.startswith("products.")]
    assert [name for name in products if not re.search(r"read 20\d\d-\d\d-\d\d", rows[name])] == []


def twice(name, reply):
    """The requests of two compactions, the second of a view that begins with a summary."""
    caller = Replies(completion(reply))
    context = context_of(700, window=4_000, model=chat(caller))
    strategy = Registry().create(parse_spec(name))
    batches = [session(6, words=30), session(6, words=30)[1:]]
    outcomes = list(in_a_row(strategy, batches, context))
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 2
    return [call.body["messages"] for call in caller.calls]


def test_gemini_cli_checks_its_snapshot_as_a_turn_of_the_model():
    snapshot = "<state_snapshot>It costs $5.</state_snapshot>"
    first, check, later, again = twice("gemini-cli", snapshot)
    assert check[:-2] == first[:-1]
    assert check[-2] == {"role": "assistant", "content": snapshot}
    assert check[-1]["content"].startswith("You wrote the earlier summary")
    assert "Make a new <state_snapshot>" in first[-1]["content"]
    assert later[1]["content"] == again[1]["content"] == snapshot
    assert [message["role"] for message in later[:3]] == ["system", "user", "assistant"]
    assert "You MUST take over" in later[-1]["content"]


def test_opencode_updates_the_checkpoint_that_is_the_first_message():
    first, later = twice("opencode", "## Objective\n- The limit.")
    assert "<conversation-checkpoint>" not in first[0]["content"]
    assert "<summary>\n## Objective\n- The limit.\n</summary>" in later[0]["content"]
    assert later[1]["content"].startswith("User: ")
    assert later[-1]["content"].startswith("Bring the checkpoint")


def test_opencode_asks_once_more_for_a_summary_without_its_sections():
    sent, view = requests("opencode", "I am done.", session(6, words=30))
    assert [REMINDER in asked[-1]["content"] for asked in sent] == [False, True]
    assert not any(message.origin == "synthetic" for message in view)


def test_hermes_updates_its_summary_and_says_the_newest_request_itself():
    reply = "## Historical Task Snapshot\nNone.\n\n## Goal\nThe limits."
    caller = Replies(completion(reply))
    context = context_of(2500, window=5_000, model=chat(caller))
    batches = [session(10), session(10)[1:]]
    list(in_a_row(Registry().create(parse_spec("hermes")), batches, context))
    first, later = (call.body["messages"][0]["content"] for call in caller.calls)
    assert "EARLIER SUMMARY" not in first
    stated = later.partition("EARLIER SUMMARY:\n")[2].partition("\n\nNEW TURNS:")[0]
    assert stated.startswith("## Historical Task Snapshot\nThe user asked: Please fix")
    assert stated.endswith("## Goal\nThe limits.")
    assert "None." not in stated


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
LINKED = {"type": "image_url", "image_url": {"url": "https://a.b/c.png"}}


@pytest.mark.parametrize(
    ("name", "embedded", "linked"),
    [
        ("cline", "[image: image/png]", "[image: image]"),
        ("codex", "[image]", "[image]"),
        ("deepagents", '<image url="/conversation_history/media/', '<image url="https://a.b/c.png'),
        ("goose", "[image: image/png]", "[image: image]"),
        ("hermes", "[image]", "[image: https://a.b/c.png]"),
        ("langchain", "", '<image url="https://a.b/c.png" />'),
        ("openhands", "[Image: 1 URLs]", "[Image: 1 URLs]"),
        ("pi", "", ""),
        ("roo", "[an image was here]", "[an image was here]"),
    ],
)
def test_an_image_is_said_in_the_words_of_its_product(name, embedded, linked):
    prompt = product_prompt(name)
    for picture, words in ((PICTURE, embedded), (LINKED, linked)):
        log = messages_of([user([picture]), user("Go on.")])
        *shown, last = images_as_text(log, prompt.image, prompt.linked)
        assert [message.text.startswith(words) for message in shown] == [True] * bool(words)
        assert last.text == "Go on."


def test_the_summariser_reads_those_words():
    spy, prompt = SpyModel(), product_prompt("goose")
    log = messages_of([user([PICTURE])])
    asyncio.run(write_summary(context_of(model=spy), log, Goose().sections, 99, prompt=prompt))
    assert spy.requests[0].messages[0].text == "[image: image/png]"


def test_rules_read_no_prompt():
    context = context_of(700, window=4_000, model=OfflineModel())
    _, view = compacted(
        Registry().create(parse_spec("codex:mode=local")), session(4, words=30), context
    )
    assert "## Progress and key decisions" in view[-1].text
