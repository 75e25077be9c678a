"""The messages of each provider: what is sent stays the same to the byte, and what is written is
read back."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.conversation.formats.anthropic import from_anthropic, to_anthropic
from pytest_compaction.conversation.formats.chat import chat_messages, from_chat, to_chat
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.conversation.formats.requests import transcript
from pytest_compaction.conversation.formats.responses import (
    from_responses,
    needs_responses,
    responses_input,
    to_responses,
)

URL = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
DATA = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}
PLACEHOLDER = {"type": "image", "media_type": "image/png", "bytes": 3}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
SEALED = {"type": "compaction", "encrypted_content": "q+/="}
VENDOR = {"type": "vendor_blob", "data": "q"}


def said(role, *texts):
    return Message(f"{role}-{len(texts)}", role, tuple(map(Text, texts)))


def asked(*calls, text="I look."):
    parts = [Text(text)] if text else []
    return Message("a", "assistant", (*parts, *(ToolCall(*call) for call in calls)))


def answered(id, text, *rest, failed=False):
    return Message("t", "tool", (ToolResult(id, text, failed), *rest))


def image(payload):
    return Image(canonical_json(payload))


LOGS = {
    "text": [said("system", "Be careful."), said("user", "Hi ü 漢"), said("assistant", "Yes.")],
    "several texts": [said("developer", "One.", "Two."), said("user", "a", "", "b")],
    "images": [
        Message("u", "user", (Text("What?"), image(URL), image(DATA), Text(""))),
        Message("u", "user", (image(BLOCK),)),
        Message("u", "user", (Text("An old one"), image(PLACEHOLDER))),
        Message("a", "assistant", (Text("This:"), image(URL))),
    ],
    "calls": [
        asked(("c1", "read_file", '{"path":  "a.py"}')),
        answered("c1", "A = 1"),
        asked(("c2", "bash", "not json"), ("c3", "bash", ""), text=""),
        answered("c2", "bash: bad", failed=True),
        answered("c3", "", image(URL), Opaque(canonical_json(VENDOR))),
    ],
    "calls without a result": [
        asked(("c1", "bash", "{}"), ("c2", "bash", "{}")),
        answered("c1", "x"),
    ],
    "refused names": [
        asked(("x" * 60, "my.tool/of ü", "{}"), ("c", "n" * 80, "{}"), ("d", "", "{}")),
        answered("x" * 60, "ok"),
        answered("c", "ok"),
        answered("d", "ok"),
    ],
    "thinking": [
        Message("a", "assistant", (Thinking(canonical_json(THOUGHT)), Text("So."))),
        Message("a", "assistant", (Thinking(canonical_json(THOUGHT)),)),
    ],
    "opaque": [
        Message("a", "assistant", (Opaque(canonical_json(SEALED)), Text("Go on."))),
        Message("a", "assistant", (Opaque(canonical_json(VENDOR)),)),
    ],
    "empty": [said("user"), said("assistant", ""), said("user", " \n")],
    "halves of pairs": [said("user", "\ud83d\ude00 \ud83d"), asked(("\ud83d", "b", '"\ud83d"'))],
}  # fmt: skip
RENDERINGS = {
    "request, chat": chat_messages,
    "request, responses": responses_input,
    "sealed": needs_responses,
    "transcript": transcript,
    "chat": to_chat,
    "anthropic": to_anthropic,
    "responses": to_responses,
}
DIGESTS = {
    "text": "b38e76e2 3119542e fcbcf165 ea86b507 b38e76e2 606ead38 ac856aef",
    "several texts": "4b63c0b1 35715f8b fcbcf165 4b281e66 09137e40 963172b7 c7106514",
    "images": "cf9cce4e 83031792 fcbcf165 b7f945b9 b4efaa02 04bdb127 6c36e8ac",
    "calls": "44458fc7 5b404444 fcbcf165 91cae384 8ef91f3a 21b359eb c5e1492e",
    "calls without a result": "ea150cdf f86d6ce2 fcbcf165 00260ee2 19508091 d293f955 341f13ee",
    "refused names": "ed628ce8 f851871c fcbcf165 79e9e286 83383940 71a9432c 1b053d43",
    "thinking": "d341854f afdc3e47 fcbcf165 35b9f3f4 65c81b39 65c81b39 6e316df3",
    "opaque": "3d522b3f 41cc727f b5bea41b 7b500ca7 b000327b b000327b e4c9271b",
    "empty": "0a377153 0e4d57bb fcbcf165 9494de17 2ab0d422 d5f6ab3b a54245eb",
    "halves of pairs": "31f05a15 6bd2063b fcbcf165 48853d27 e54c5a87 a13ffa15 130e7e49",
}
"""By log, for each rendering in its order."""


def digest(value):
    text = json.dumps(value)  # in the order of the keys, with halves of pairs as escapes
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@pytest.mark.parametrize("log", LOGS)
def test_what_is_sent_is_the_same_to_the_byte_as_ever(log):
    """A changed byte is another digest of a call, and every stored reply would be paid again."""
    found = {name: digest(render(LOGS[log])) for name, render in RENDERINGS.items()}
    assert found == dict(zip(RENDERINGS, DIGESTS[log].split(), strict=True))


# --- what is written is read back ----------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).map(Text)
ids = st.integers(0, 10**6).map("call_{}".format)
arguments = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)
thoughts = st.just(THOUGHT) | st.just({"type": "redacted_thinking", "data": "e"})
SHAPES = {
    "chat": (to_chat, from_chat, [URL, DATA], True),
    "anthropic": (to_anthropic, from_anthropic, [BLOCK], True),
    "responses": (
        to_responses,
        from_responses,
        [{"type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto"}],
        False,
    ),
}


@st.composite
def logs(draw, images, errors):
    """Messages of which a format can hold everything: images are its own."""
    pictures = st.sampled_from(images).map(image)
    made = []
    for number in range(draw(st.integers(1, 4))):
        user = draw(st.lists(texts | pictures, min_size=1, max_size=3))
        made.append(("user", user))
        calls = draw(
            st.lists(st.tuples(ids, texts, arguments), max_size=3, unique_by=lambda c: c[0])
        )
        asks = [
            ToolCall(f"{id}-{number}", name.text, json.dumps(given, ensure_ascii=False))
            for id, name, given in calls
        ]
        made.append(("assistant", [draw(texts), *asks]))
        for call in asks:
            failed = errors and draw(st.booleans())
            result = ToolResult(call.id, draw(texts).text, failed)
            made.append(("tool", [result, *draw(st.lists(pictures, max_size=1))]))
    return [Message(f"m{n}", role, tuple(parts)) for n, (role, parts) in enumerate(made)]


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_what_is_written_is_read_back(shape, data):
    write, read, images, errors = SHAPES[shape]
    log = data.draw(logs(images, errors))
    found = read(json.loads(json.dumps(write(log))))
    assert [(m.role, m.parts) for m in found] == [(m.role, m.parts) for m in log]


@pytest.mark.parametrize("shape", SHAPES)
@given(payload=thoughts, words=texts)
def test_thinking_and_sealed_parts_travel_unchanged(shape, payload, words):
    write, read, _, _ = SHAPES[shape]
    sealed = Opaque(canonical_json(VENDOR))
    parts = (Thinking(canonical_json(payload)), words, sealed)
    (message,) = read(write([Message("m", "assistant", parts)]))
    assert message.parts == parts


@pytest.mark.parametrize(
    ("read", "items", "words"),
    [
        (from_anthropic, [7], "message 0 is int"),
        (from_anthropic, [{"role": "user", "content": 7}], "message 0: content is int"),
        (from_anthropic, [{"role": "x", "content": []}], "message 0 has role 'x'"),
        (from_anthropic, [{"role": "user", "content": [{"type": "tool_use"}]}], "without id"),
        (from_responses, [7], "item 0 is int"),
        (from_responses, [{}], "item 0 has no type"),
        (from_responses, [{"type": "function_call"}], "a function_call without call_id"),
        (from_responses, [{"role": "user", "content": [{"x": 1}]}], "content part 0"),
    ],
)
def test_what_cannot_be_read_is_named(read, items, words):
    with pytest.raises(MessageShapeError, match=words):
        read(items)
