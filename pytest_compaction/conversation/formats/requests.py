"""The parts of messages that endpoints take: texts, calls and results, and images of the user.

Thinking is left out, because its signatures bind it to its provider; opaque items go back to the
responses API byte-identical. What is sent is part of the identity of a call: one changed byte, and
it is paid again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import image_url, mapping
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    ToolCall,
    ToolResult,
    pending_calls,
)

IMAGE: Final = "[image]"
NO_RESULT: Final = "(no result yet)"
FAILED: Final = "[the tool failed] "
NATIVE_ITEMS: Final = frozenset({"compaction", "compaction_summary"})
"""Types of items that only the responses API can read."""

MAX_CALL_ID: Final = 40
MAX_TOOL_NAME: Final = 64
"""The most characters that endpoints take in the id of a call and in the name of a tool."""
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]+")


def sendable(messages: Sequence[Message], native: bool = False) -> Iterator[Message]:
    """The messages as endpoints take them; a call without a result gets one that says so.

    With ``native`` there are messages of items that only the responses API can read, and the
    role ``developer``, which chat completions of many servers lack.
    """
    for message in messages:
        role = "system" if message.role == "developer" and not native else message.role
        if role == "tool":
            images = [IMAGE for part in message.parts if isinstance(part, Image)]
            for result in message.results:
                text = "\n".join([clean(result.text), *images])
                text = f"{FAILED}{text}" if result.is_error else text
                yield _result(result.call_id, text)
        items = [part for part in message.parts if native and is_native(part)]
        if items:
            yield Message(message.id, "assistant", tuple(items))
        calls = [
            ToolCall(call_id(call.id), tool_name(call.name), clean(call.arguments))
            for call in message.calls
        ]
        parts = () if role == "tool" else (*_content(message), *calls)
        if parts:
            yield Message(message.id, role, parts)
    for id in pending_calls(messages):
        yield _result(id, NO_RESULT)


def _result(id: str, text: str) -> Message:
    return Message("", "tool", (ToolResult(call_id(id), text),))


def _content(message: Message) -> tuple[Part, ...]:
    """One text, or texts and images if a user message holds images; empty without any text."""
    parts: list[Text | Image] = []
    for part in message.parts:
        url = image_url(part) if isinstance(part, Image) and message.role == "user" else None
        if url is not None:
            parts.append(Image(json.dumps({"type": "image_url", "image_url": {"url": url}})))
        elif isinstance(part, Text | Image):
            parts.append(Text(readable_part(part)))
    if any(isinstance(part, Image) for part in parts):
        return tuple(parts)
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    return (Text(text),) if text else ()


COMPACTIONS: Final = ("compaction", "compaction_summary", "context_compaction")
"""The types of items of the responses API that stand for a compaction."""
ENCRYPTED: Final = "its summary is encrypted: only its provider can read it"


def is_native(part: Part) -> bool:
    """Whether a part is an item that only the responses API can read."""
    if not isinstance(part, Opaque):
        return False
    item: Any = json.loads(part.payload)
    return isinstance(item, dict) and item.get("type") in NATIVE_ITEMS


def encrypted_in(messages: Sequence[Message]) -> bool:
    """Whether a compaction that only its provider can read stands alone for what is gone: there is
    no text that a strategy wrote beside it."""
    opaque = (part for message in messages for part in message.parts if isinstance(part, Opaque))
    items = (mapping(json.loads(part.payload)) for part in opaque)
    texts = ("summary", "content")
    found = any(i.get("type") in COMPACTIONS and not any(map(i.get, texts)) for i in items)
    return found and not any(m.origin == "synthetic" and m.text.strip() for m in messages)


def transcript(messages: Iterable[Message]) -> str:
    """Messages as text for a reader: roles, texts, tool calls and their results."""
    said: list[str] = []
    for message in messages:
        lines: list[str] = []
        for part in message.parts:
            if isinstance(part, Text | Image):
                lines.append(readable_part(part))
            elif isinstance(part, ToolCall):
                lines.append(f"calls {clean(part.name)} with {clean(part.arguments)}")
            elif isinstance(part, ToolResult):
                lines.append(f"{FAILED if part.is_error else ''}{clean(part.text)}")
        said.append(f"[{message.role}]\n" + ("\n".join(lines) or "(nothing readable)"))
    return "\n\n".join(said)


def readable_part(part: Text | Image) -> str:
    """The text, or ``[image]`` for an image."""
    return clean(part.text) if isinstance(part, Text) else IMAGE


def call_id(id: str) -> str:
    """The id of a tool call, or a hash of an id that is longer than endpoints take."""
    id = clean(id)
    if len(id) <= MAX_CALL_ID:
        return id
    return f"call_{hashlib.sha256(id.encode()).hexdigest()[: MAX_CALL_ID - 5]}"


def tool_name(name: str) -> str:
    """The name of a tool, with characters replaced that endpoints refuse in names."""
    return _NOT_IN_NAMES.sub("_", name)[:MAX_TOOL_NAME] or "tool"


def clean(text: str) -> str:
    """Text that can be sent: halves of surrogate pairs joined, lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
