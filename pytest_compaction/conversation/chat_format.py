"""Converts OpenAI chat dictionaries to messages, and messages to such dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pytest_compaction.conversation.messages import (
    ROLES,
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)

ChatMessage = dict[str, Any]
"""One message in OpenAI chat shape."""


class MessageShapeError(ValueError):
    """A dictionary is not an OpenAI chat message; the text says where and why."""


def from_chat(
    items: Iterable[Mapping[str, Any]],
    origin: Literal["log", "synthetic"] = "log",
    prefix: str = "m",
) -> tuple[Message, ...]:
    """Read OpenAI chat dictionaries; a message without ``id`` is named by its position.

    Raises :class:`MessageShapeError` that names the position and the key.
    """
    return tuple(
        message_from_chat(item, f"{prefix}{index}", f"message {index}", origin)
        for index, item in enumerate(items)
    )


def message_from_chat(
    item: Any,
    default_id: str,
    where: str,
    origin: Literal["log", "synthetic"] = "log",
) -> Message:
    """Read one OpenAI chat dictionary; ``where`` names it in the error."""
    if not isinstance(item, Mapping):
        raise MessageShapeError(
            f"{where} is {type(item).__name__}; expected a chat message, a dictionary"
        )
    role = item.get("role")
    if role not in ROLES:
        raise MessageShapeError(f"{where} has role {role!r}; expected one of {', '.join(ROLES)}")
    content = _content_parts(item.get("content"), where)
    parts: list[Part]
    if role == "tool":
        call_id = item.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            raise MessageShapeError(f"{where} has role 'tool' but no tool_call_id")
        text = "\n".join(part.text for part in content if isinstance(part, Text))
        rest = [part for part in content if not isinstance(part, Text)]
        parts = [ToolResult(call_id, text, bool(item.get("is_error", False))), *rest]
    else:
        parts = [*content, *_call_parts(item.get("tool_calls"), where)]
    return Message(str(item.get("id") or default_id), str(role), tuple(parts), origin)


def _content_parts(content: Any, where: str) -> list[Part]:
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)] if content else []
    if not isinstance(content, Sequence):
        raise MessageShapeError(
            f"{where} has content of type {type(content).__name__}; expected text, a list or null"
        )
    return [_content_part(part, f"{where}, content part {i}") for i, part in enumerate(content)]


def _content_part(part: Any, where: str) -> Part:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise MessageShapeError(f"{where} is not a dictionary with a type")
    kind = part["type"]
    if kind in {"text", "input_text", "output_text"}:
        if not isinstance(part.get("text"), str):
            raise MessageShapeError(f"{where} has type {kind!r} but no text")
        return Text(part["text"])
    payload = canonical_json(part)
    if kind in {"image_url", "image", "input_image"}:
        return Image(payload)
    if kind in {"thinking", "redacted_thinking", "reasoning"}:
        return Thinking(payload)
    return Opaque(payload)


def _call_parts(calls: Any, where: str) -> list[Part]:
    if calls is None:
        return []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise MessageShapeError(f"{where} has tool_calls that are not a list")
    parts: list[Part] = []
    for index, call in enumerate(calls):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(call.get("id"), str):
            raise MessageShapeError(
                f"{where}, tool call {index} needs an id and a function with name and arguments"
            )
        arguments = function.get("arguments", "")
        if not isinstance(arguments, str):
            arguments = canonical_json(arguments)
        parts.append(ToolCall(call["id"], str(function.get("name", "")), arguments))
    return parts


def to_chat(messages: Iterable[Message], ids: bool = False) -> list[ChatMessage]:
    """OpenAI chat dictionaries, freshly made; with ``ids`` each carries its message id."""
    return [message_to_chat(message, ids) for message in messages]


def message_to_chat(message: Message, ids: bool = False) -> ChatMessage:
    """One OpenAI chat dictionary."""
    result: ChatMessage = {"id": message.id} if ids else {}
    result["role"] = message.role
    calls: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, ToolCall):
            function = {"name": part.name, "arguments": part.arguments}
            calls.append({"id": part.id, "type": "function", "function": function})
        elif isinstance(part, ToolResult):
            result["tool_call_id"] = part.call_id
            if part.is_error:
                result["is_error"] = True
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        else:
            content.append(json.loads(part.payload))
    if not content:
        result["content"] = None
    elif len(content) == 1 and content[0].get("type") == "text":
        result["content"] = content[0]["text"]
    else:
        result["content"] = content
    if calls:
        result["tool_calls"] = calls
    return result
