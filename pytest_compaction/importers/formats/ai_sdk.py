"""Vercel AI SDK: UI messages of versions 4, 5 and 6, model messages, and chats that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.shapes import Shape, any_part, shaped, under

_SHAPE: Final = Shape(leave={"data": "data of the application"})
_MARKS: Final = ("tool-call", "tool-result", "tool-invocation", "dynamic-tool", "step-start")


def _recognised(value: Any) -> bool:
    messages = mapping(value).get("messages") or value
    listed = messages if isinstance(messages, list) else [messages]
    invoked = any("toolInvocations" in mapping(message) for message in listed[:20])
    # A message with an id and parts of a type, as all UI messages are.
    first = mapping(next(iter(listed), None))
    parts = first["parts"] if isinstance(first.get("parts"), list) else []
    is_ui = isinstance(first.get("id"), str) and "role" in first
    return (
        invoked
        or any_part(messages, _is_ours)
        or (is_ui and string(mapping(next(iter(parts), None)).get("type")) == "text")
    )


def _is_ours(part: Mapping[str, Any]) -> bool:
    kind = string(part.get("type"))
    called = "toolCallId" in part or "toolInvocation" in part
    return (called and kind.startswith(("tool-", "dynamic-tool"))) or kind in _MARKS


IMPORTER: Final = shaped(
    "ai-sdk",
    "Vercel AI SDK 4 to 6: UI messages, model messages, chats (JSON, JSONL)",
    _SHAPE,
    _recognised,
    under("messages", "chat.messages"),
)
