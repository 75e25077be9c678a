"""Views as an endpoint takes them: chat messages, items of the responses API, a transcript.

Text, tool calls and tool results are passed on as they are. Endpoints take images in user
messages only, so ``[image]`` stands for an image elsewhere. Thinking is left out as a
whole, because its signatures bind it to the provider that wrote it. Opaque items of the
responses API go back to it byte-identical; other opaque parts are left out as a whole.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    pending_calls,
)

Json = dict[str, Any]

IMAGE: Final = "[image]"
NO_RESULT: Final = "(no result yet)"
FAILED: Final = "[the tool failed] "
NATIVE_ITEMS: Final = frozenset({"compaction", "compaction_summary"})
"""Types of items that only the responses API can read."""

MAX_CALL_ID: Final = 40
MAX_TOOL_NAME: Final = 64
"""The most characters that endpoints take in the id of a call and in the name of a tool."""
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]+")


def needs_responses(messages: Iterable[Message]) -> bool:
    """Whether the messages hold an item that only the responses API can read."""
    return any(_native(part) is not None for message in messages for part in message.parts)


def chat_messages(messages: Sequence[Message]) -> list[Json]:
    """Messages for ``chat.completions``; a call without a result gets one that says so."""
    rendered: list[Json] = []
    for message in messages:
        if message.role == "tool":
            rendered.extend(
                {
                    "role": "tool",
                    "tool_call_id": call_id(result.call_id),
                    "content": _result_text(message, result),
                }
                for result in message.results
            )
        else:
            rendered.extend(_chat_message(message))
    rendered.extend(
        {"role": "tool", "tool_call_id": call_id(id), "content": NO_RESULT}
        for id in pending_calls(messages)
    )
    return rendered


def _chat_message(message: Message) -> list[Json]:
    role = "system" if message.role == "developer" else message.role
    content = _chat_content(message)
    result: Json = {"role": role, "content": content or None}
    if message.calls:
        result["tool_calls"] = [
            {
                "id": call_id(call.id),
                "type": "function",
                "function": {"name": tool_name(call.name), "arguments": clean(call.arguments)},
            }
            for call in message.calls
        ]
    return [result] if content or message.calls else []


def _chat_content(message: Message) -> str | list[Json]:
    """A string, or content parts if a user message holds images."""
    parts: list[Json] = []
    for part in message.parts:
        url = image_url(part) if isinstance(part, Image) and message.role == "user" else None
        if url is not None:
            parts.append({"type": "image_url", "image_url": {"url": url}})
        elif isinstance(part, Text | Image):
            parts.append({"type": "text", "text": readable_part(part)})
    if any(part["type"] != "text" for part in parts):
        return parts
    return "\n".join(part["text"] for part in parts)


def responses_input(messages: Sequence[Message]) -> list[Json]:
    """Input items for the responses API; opaque items are as they came from it."""
    items: list[Json] = []
    for message in messages:
        if message.role == "tool":
            items.extend(
                {
                    "type": "function_call_output",
                    "call_id": call_id(result.call_id),
                    "output": _result_text(message, result),
                }
                for result in message.results
            )
        items.extend(_native_items(message))
        content = "" if message.role == "tool" else _responses_content(message)
        if content:
            items.append({"type": "message", "role": message.role, "content": content})
        items.extend(
            {
                "type": "function_call",
                "call_id": call_id(call.id),
                "name": tool_name(call.name),
                "arguments": clean(call.arguments),
            }
            for call in message.calls
        )
    items.extend(
        {"type": "function_call_output", "call_id": call_id(id), "output": NO_RESULT}
        for id in pending_calls(messages)
    )
    return items


def _native_items(message: Message) -> list[Json]:
    found = (_native(part) for part in message.parts)
    return [item for item in found if item is not None]


def _native(part: object) -> Json | None:
    if not isinstance(part, Opaque):
        return None
    item: Any = json.loads(part.payload)
    return item if isinstance(item, dict) and item.get("type") in NATIVE_ITEMS else None


def _responses_content(message: Message) -> str | list[Json]:
    content = _chat_content(message)
    if isinstance(content, str):
        return content
    return [
        {"type": "input_text", "text": part["text"]}
        if part["type"] == "text"
        else {"type": "input_image", "image_url": part["image_url"]["url"]}
        for part in content
    ]


def _result_text(message: Message, result: ToolResult) -> str:
    images = [IMAGE for part in message.parts if isinstance(part, Image)]
    text = "\n".join([clean(result.text), *images]) if images else clean(result.text)
    return f"{FAILED}{text}" if result.is_error else text


def transcript(messages: Iterable[Message]) -> str:
    """Messages as text for a reader: roles, texts, tool calls and their results."""
    return "\n\n".join(f"[{message.role}]\n{_said(message)}" for message in messages)


def _said(message: Message) -> str:
    lines: list[str] = []
    for part in message.parts:
        if isinstance(part, Text | Image):
            lines.append(readable_part(part))
        elif isinstance(part, ToolCall):
            lines.append(f"calls {clean(part.name)} with {clean(part.arguments)}")
        elif isinstance(part, ToolResult):
            lines.append(f"{FAILED if part.is_error else ''}{clean(part.text)}")
        elif isinstance(part, Thinking):
            continue
    return "\n".join(lines) or "(nothing readable)"


def readable_part(part: Text | Image) -> str:
    """The text, or ``[image]`` for an image."""
    return clean(part.text) if isinstance(part, Text) else IMAGE


def image_url(part: Image) -> str | None:
    """The URL (or data URL) of an image in the shape of OpenAI or Anthropic, else ``None``."""
    data: Any = json.loads(part.payload)
    found = data.get("image_url")
    if isinstance(found, dict):
        found = found.get("url")
    if isinstance(found, str):
        return found
    source = data.get("source")
    if isinstance(source, dict) and isinstance(source.get("data"), str):
        return f"data:{source.get('media_type', 'image/png')};base64,{source['data']}"
    if isinstance(source, dict) and isinstance(source.get("url"), str):
        return str(source["url"])
    return None


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
