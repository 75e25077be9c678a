"""OpenAI chat completions, which is also the shape of case files and of functions' messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pytest_compaction.conversation.formats.parts import (
    TEXTS,
    THOUGHTS,
    VERBATIM,
    Json,
    MessageShapeError,
    PartRules,
    as_arguments,
    mapping,
    media_of,
    text_and_rest,
)
from pytest_compaction.conversation.formats.requests import sendable
from pytest_compaction.conversation.messages import (
    ROLES,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)

ChatMessage = Json
"""One message in OpenAI chat shape."""


def from_chat(items: Iterable[Mapping[str, Any]], prefix: str = "m") -> tuple[Message, ...]:
    """Read OpenAI chat dictionaries; a message without ``id`` is named by its position.

    Raises :class:`MessageShapeError` that names the position and the key.
    """
    return tuple(
        message_from_chat(item, f"{prefix}{index}", f"message {index}")
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
    role = read_role(item, where)
    parts = read_content(item.get("content"), where, VERBATIM)
    if role == "tool":
        call_id = item.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            raise MessageShapeError(f"{where} has role 'tool' but no tool_call_id")
        text, rest = text_and_rest(parts)
        parts = [ToolResult(call_id, text, bool(item.get("is_error", False))), *rest]
    else:
        parts += _calls(item.get("tool_calls"), where)
    return Message(str(item.get("id") or default_id), role, tuple(parts), origin)


def read_role(item: Mapping[str, Any], where: str) -> str:
    """The role of a message; raises :class:`MessageShapeError` for one that is not ours."""
    role = item.get("role")
    if role not in ROLES:
        raise MessageShapeError(f"{where} has role {role!r}; expected one of {', '.join(ROLES)}")
    return str(role)


def read_content(content: Any, where: str, rules: PartRules) -> list[Part]:
    """The parts of a content: nothing, a text, or a list of parts."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)] if content else []
    if not isinstance(content, Sequence):
        raise rules.wrong(
            f"{where}: content is {type(content).__name__}; expected text, a list of parts or null"
        )
    found = (
        read_part(part, f"{where}, content part {number}", rules)
        for number, part in enumerate(content)
    )
    return [part for part in found if part is not None]


def read_part(part: Any, where: str, rules: PartRules) -> Part | None:
    """One part of a content; ``None`` if the rules leave it out."""
    if isinstance(part, str):
        return rules.text(part)
    given = mapping(part)
    if given.get("type") in TEXTS and isinstance(given.get("text"), str):
        return rules.text(given["text"])
    if given.get("type") in THOUGHTS:
        return Thinking(canonical_json(part))
    media = media_of(given)
    return rules.unknown("message part", part, where) if media is None else rules.media(part, media)


def _calls(calls: Any, where: str) -> list[ToolCall]:
    if calls is None:
        return []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise MessageShapeError(f"{where} has tool_calls that are not a list")
    found: list[ToolCall] = []
    for index, call in enumerate(calls):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(call.get("id"), str):
            raise MessageShapeError(
                f"{where}, tool call {index} needs an id and a function with name and arguments"
            )
        arguments = function.get("arguments", "")
        if not isinstance(arguments, str):
            arguments = canonical_json(arguments)
        found.append(ToolCall(call["id"], str(function.get("name", "")), arguments))
    return found


def written_call(id: Any, name: Any, arguments: Any) -> Json:
    """A call as chat dictionaries hold it; arguments that are not text become JSON."""
    function = {"name": name, "arguments": as_arguments(arguments)}
    return {"id": id, "type": "function", "function": function}


def to_chat(messages: Iterable[Message], ids: bool = False) -> list[ChatMessage]:
    """OpenAI chat dictionaries, freshly made; with ``ids`` each carries its message id."""
    return [message_to_chat(message, ids) for message in messages]


def message_to_chat(message: Message, ids: bool = False) -> ChatMessage:
    """One OpenAI chat dictionary."""
    result: ChatMessage = {"id": message.id} if ids else {}
    result["role"] = message.role
    calls: list[Json] = []
    content: list[Json] = []
    for part in message.parts:
        if isinstance(part, ToolCall):
            calls.append(written_call(part.id, part.name, part.arguments))
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


def chat_messages(messages: Sequence[Message]) -> list[ChatMessage]:
    """Messages for a request; a call without a result gets one that says so."""
    return to_chat(sendable(messages))
