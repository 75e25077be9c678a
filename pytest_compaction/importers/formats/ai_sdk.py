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
    invoked = any("toolInvocations" in mapping(message) for message in _listed(messages)[:20])
    return invoked or any_part(messages, _is_ours) or _is_ui(messages)


def _is_ours(part: Mapping[str, Any]) -> bool:
    kind = string(part.get("type"))
    called = "toolCallId" in part or "toolInvocation" in part
    return (called and kind.startswith(("tool-", "dynamic-tool"))) or kind in _MARKS


def _is_ui(messages: Any) -> bool:
    """Whether these are messages with an id and parts of a type, as all UI messages are."""
    first = mapping(next(iter(_listed(messages)), None))
    typed = [string(mapping(part).get("type")) for part in _listed(first.get("parts"))]
    return isinstance(first.get("id"), str) and "role" in first and typed[:1] == ["text"]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


IMPORTER: Final = shaped(
    "ai-sdk",
    "Vercel AI SDK 4 to 6: UI messages, model messages, chats (JSON, JSONL)",
    _SHAPE,
    _recognised,
    under("messages", "chat.messages"),
)
