"""Anthropic's messages: blocks, results in messages of the user, the system prompt outside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from pytest_compaction.conversation.formats import chat
from pytest_compaction.conversation.formats.parts import (
    TEXTS,
    THOUGHTS,
    VERBATIM,
    Json,
    PartRules,
    as_arguments,
    mapping,
    media_of,
    required_id,
    string,
    text_and_rest,
)
from pytest_compaction.conversation.messages import (
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

_BASE64: Final = ";base64,"
_SERVER_SIDE: Final = (
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "search_result",
    "tool_reference",
    "fallback",
)
_SERVER_RESULT: Final = "_tool_result"
"""The ending of each result of a tool that the provider runs, such as web_search_tool_result."""

_OUTER: Final = ("tool_use", "tool_result", "compaction")
"""What cannot stand within a tool result."""


@dataclass(slots=True)
class Blocks:
    """The content of one message: its own parts, its tool results, and summaries of compactions."""

    parts: list[Part] = field(default_factory=list)
    results: list[tuple[ToolResult, list[Part]]] = field(default_factory=list)
    compactions: list[str] = field(default_factory=list)


def from_anthropic(items: Sequence[Any]) -> list[Message]:
    """One message for each result, and one for the other blocks of a message between results.

    Raises :class:`~.parts.MessageShapeError` that names the position.
    """
    found: list[Message] = []
    for index, item in enumerate(items):
        place = f"message {index}"
        content = item.get("content") if isinstance(item, Mapping) else None
        if isinstance(content, str | None) or item.get("role") == "tool":
            found.append(chat.message_from_chat(item, "", place))
            continue
        role = chat.read_role(item, place)
        blocks = _listed(content, place, VERBATIM)
        kinds = groupby(blocks, lambda block: mapping(block).get("type") == "tool_result")
        for is_result, run in kinds:
            if is_result:
                results = (_read_result(block, place, VERBATIM) for block in run)
                found += [Message("", "tool", (result, *rest)) for result, rest in results]
            else:
                parts = _read_parts(run, place, VERBATIM)
                calls_last = sorted(parts, key=lambda part: isinstance(part, ToolCall))
                found.append(Message("", role, tuple(calls_last)))
        if not blocks:
            found.append(Message("", role, ()))
    return found


def read_blocks(content: Any, place: str, rules: PartRules) -> Blocks:
    """The content of a message: a text, or a list of blocks."""
    found = Blocks()
    own: list[Any] = []
    for block in _listed(content, place, rules):
        kind = mapping(block).get("type")
        if kind == "tool_result":
            found.results.append(_read_result(block, place, rules))
        elif kind == "compaction":
            found.compactions.append(string(block.get("content")))
        else:
            own.append(block)
    found.parts += _read_parts(own, place, rules)
    return found


def _listed(content: Any, place: str, rules: PartRules) -> Sequence[Any]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (content,)
    if isinstance(content, Sequence):
        return content
    raise rules.wrong(
        f"{place}: content is {type(content).__name__}; expected text or a list of blocks"
    )


def _read_parts(blocks: Iterable[Any], place: str, rules: PartRules) -> tuple[Part, ...]:
    found = (_read_part(block, place, rules) for block in blocks)
    return tuple(part for part in found if part is not None)


def _read_part(block: Any, place: str, rules: PartRules) -> Part | None:
    if isinstance(block, str):
        return rules.text(block)
    given = mapping(block)
    kind = given.get("type")
    if kind in TEXTS and isinstance(given.get("text"), str):
        return rules.text(given["text"])
    if kind in THOUGHTS:
        return Thinking(canonical_json(block))
    if kind == "tool_use":
        call_id = required_id(given.get("id"), "a tool_use without id", place, rules)
        return ToolCall(call_id, string(given.get("name")), as_arguments(given.get("input")))
    media = media_of(given)
    if media is not None:
        return rules.media(given, media)
    if isinstance(kind, str) and (kind in _SERVER_SIDE or kind.endswith(_SERVER_RESULT)):
        return Opaque(canonical_json(block))
    return rules.unknown("content block", block, place)


def _read_result(
    block: Mapping[str, Any], place: str, rules: PartRules
) -> tuple[ToolResult, list[Part]]:
    given = block.get("tool_use_id")
    call_id = required_id(given, "a tool_result without tool_use_id", place, rules)
    found: list[Part | None] = []
    for inner in _listed(block.get("content"), place, rules):
        if mapping(inner).get("type") in _OUTER:
            found.append(rules.unknown("block within a tool result", inner, place))
        else:
            found.append(_read_part(inner, place, rules))
    text, rest = text_and_rest(part for part in found if part is not None)
    return ToolResult(call_id, text, block.get("is_error") is True), rest


def to_anthropic(messages: Iterable[Message]) -> list[Json]:
    """Messages with lists of blocks; results that follow one another share a message."""
    found: list[Json] = []
    for is_result, run in groupby(messages, lambda message: message.role == "tool"):
        if is_result:
            found.append({"role": "user", "content": [_result(message) for message in run]})
            continue
        for message in run:
            role = message.role if message.role != "developer" else "system"
            found.append({"role": role, "content": [_block(part) for part in message.parts]})
    return found


def _result(message: Message) -> Json:
    result = message.results[0]
    rest = [_block(part) for part in message.parts if not isinstance(part, ToolResult)]
    content: Any = [{"type": "text", "text": result.text}, *rest] if rest else result.text
    block = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
    return {**block, "is_error": True} if result.is_error else block


def _block(part: Part) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.parsed()}
    if isinstance(part, ToolResult):
        return {"type": "tool_result", "tool_use_id": part.call_id, "content": part.text}
    payload: Json = json.loads(part.payload)
    return _image(payload) if isinstance(part, Image) else payload


def _image(payload: Json) -> Json:
    """An image of a chat as a block; one that is a block already stays as it is."""
    given = payload.get("image_url")
    url = str(given.get("url", "") if isinstance(given, Mapping) else given or "")
    if not url:
        return payload
    head, is_data, data = url.partition(_BASE64)
    if not is_data or not head.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": url}}
    source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": data}
    return {"type": "image", "source": source}
