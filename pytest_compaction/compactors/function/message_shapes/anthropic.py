"""Messages of Anthropic's interface: blocks, results in messages of the user.

The system prompt stands outside the messages there: a function gets it only if it has a
parameter ``system``, and it stays in front whatever the function returns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from pytest_compaction.compactors.function.message_shapes.protocol import Shape, as_mapping
from pytest_compaction.conversation.chat_format import MessageShapeError
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Text,
    ToolCall,
    ToolResult,
)

_BASE64: Final = ";base64,"


class AnthropicShape:
    """See the module's first paragraph."""

    name = "anthropic"
    keeps_system = True

    def given(self, messages: Sequence[Message]) -> list[Any]:
        """Messages with lists of blocks; results that follow one another share a message."""
        found: list[Any] = []
        for is_result, run in groupby(messages, lambda m: m.role == "tool"):
            if is_result:
                found.append({"role": "user", "content": [_result(m) for m in run]})
            else:
                found += [_message(m) for m in run]
        return found

    def read(self, returned: Sequence[Any]) -> list[Any]:
        """Chat dictionaries: one for each result, and one for the other blocks of a message."""
        found: list[Any] = []
        for index, item in enumerate(returned):
            found += _chat(as_mapping(item), f"message {index}")
        return found


def _message(message: Message) -> dict[str, Any]:
    role = message.role if message.role != "developer" else "system"
    return {"role": role, "content": [_block(part) for part in message.parts]}


def _block(part: Any) -> Any:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.parsed()}
    payload = json.loads(part.payload)
    return _image(payload) if isinstance(part, Image) else payload


def _image(payload: Mapping[str, Any]) -> Any:
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


def _result(message: Message) -> dict[str, Any]:
    result = message.results[0]
    rest = [_block(part) for part in message.parts if not isinstance(part, ToolResult)]
    content: Any = [{"type": "text", "text": result.text}, *rest] if rest else result.text
    block = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
    return {**block, "is_error": True} if result.is_error else block


def _chat(item: Any, what: str) -> list[Any]:
    if not isinstance(item, Mapping):
        raise MessageShapeError(f"{what} is {type(item).__name__}; expected a dictionary")
    content = item.get("content")
    if isinstance(content, str) or content is None or item.get("role") == "tool":
        return [{key: value for key, value in item.items() if key != "id"}]
    if not isinstance(content, Sequence):
        raise MessageShapeError(
            f"{what} has content of type {type(content).__name__}; expected text or blocks"
        )
    blocks = [as_mapping(block) for block in content]
    found: list[Any] = []
    kinds = [block.get("type") if isinstance(block, Mapping) else None for block in blocks]
    for is_result, run in groupby(zip(kinds, blocks, strict=True), lambda b: b[0] == "tool_result"):
        if is_result:
            found += [_tool_message(block) for _, block in run]
        else:
            found.append(_other(item.get("role"), [b for _, b in run]))
    return found or [_other(item.get("role"), [])]


def _tool_message(block: Mapping[str, Any]) -> dict[str, Any]:
    content = block.get("content")
    error = {"is_error": True} if block.get("is_error") else {}
    call_id = block.get("tool_use_id")
    return {"role": "tool", "tool_call_id": call_id, "content": content or "", **error}


def _other(role: Any, blocks: list[Any]) -> dict[str, Any]:
    calls = [b for b in blocks if isinstance(b, Mapping) and b.get("type") == "tool_use"]
    content = [b for b in blocks if b not in calls]
    found: dict[str, Any] = {"role": role, "content": content or None}
    if calls:
        found["tool_calls"] = [_call(block) for block in calls]
    return found


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
    function = {"name": block.get("name", ""), "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": function}


SHAPE: Final[Shape] = AnthropicShape()
