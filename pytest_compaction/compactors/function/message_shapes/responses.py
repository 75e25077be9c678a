"""Items of OpenAI's Responses interface, as the Agents SDK keeps them in sessions.

A message of the assistant is several items there: reasoning, text, and a call each. Items carry
the message that they are from in their ``id``, and whoever leaves that out has them joined in the
order in which a model writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_compaction.compactors.function.message_shapes.protocol import Shape, as_mapping
from pytest_compaction.conversation.chat_format import MessageShapeError
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

_OUTPUTS: Final = "function_call_output"
_CALL: Final = "function_call"
_TEXTS: Final = frozenset({"input_text", "output_text", "text", "summary_text", "refusal"})
_MARK: Final = "from-"
"""What stands before the id of a message in the ids of its items."""


class ResponsesShape:
    """See the module's first paragraph."""

    name = "responses"
    keeps_system = False

    def given(self, messages: Sequence[Message]) -> list[Any]:
        """One item for each text, call, output and piece of reasoning."""
        return [item for message in messages for item in _items(message)]

    def read(self, returned: Sequence[Any]) -> list[Any]:
        """One chat dictionary for each message of the assistant, whatever its items, and each
        other item."""
        found: list[Any] = []
        owner, filled = "", 0
        for index, given in enumerate(returned):
            item = as_mapping(given)
            if not isinstance(item, Mapping):
                raise MessageShapeError(f"item {index} is {type(item).__name__}; expected an item")
            kind = item.get("type") or ("message" if "role" in item else None)
            if kind == _OUTPUTS or (kind == "message" and item.get("role") != "assistant"):
                found.append(_output(item) if kind == _OUTPUTS else _message(item, index))
                owner, filled = "", 0
                continue
            stage = _stage(kind, index)
            own = _owner(item)
            joined = own == owner if own and owner else filled and stage >= filled
            if not filled or not joined or (stage == _TEXT and filled >= _TEXT):
                found.append({"role": "assistant", "content": None})
            owner, filled = own, stage
            _add(found[-1], item, kind, index)
        return found


_REASONING, _TEXT, _CALLED = 1, 2, 3
"""The order of the items of one message of the assistant."""


def _items(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [_output_item(message)]
    if message.role != "assistant":
        content = [_content(part, "input_text") for part in message.parts]
        return [{"type": "message", "role": message.role, "content": content}]
    mark = f"{_MARK}{message.id}"
    thoughts = [json.loads(part.payload) for part in message.parts if isinstance(part, Thinking)]
    found = [{**thought, "id": f"{thought.get('id') or ''}{mark}"} for thought in thoughts]
    said = [
        _content(part, "output_text")
        for part in message.parts
        if not isinstance(part, Thinking | ToolCall)
    ]
    if said or not message.parts:
        spoken = {"type": "message", "role": "assistant", "content": said}
        found.append({**spoken, "id": f"msg_{mark}", "status": "completed"})
    for number, call in enumerate(message.calls):
        asked = {"type": _CALL, "call_id": call.id, "name": call.name}
        ended = {"id": f"fc{number}_{mark}", "status": "completed"}
        found.append({**asked, "arguments": call.arguments, **ended})
    return found


def _content(part: Any, kind: str) -> dict[str, Any]:
    if isinstance(part, Text):
        notes: dict[str, Any] = {"annotations": []} if kind == "output_text" else {}
        return {"type": kind, "text": part.text, **notes}
    payload: dict[str, Any] = json.loads(part.payload)
    given = payload.get("image_url")
    if isinstance(part, Image) and isinstance(given, Mapping):
        return {"type": "input_image", "image_url": str(given.get("url", "")), "detail": "auto"}
    return payload


def _output_item(message: Message) -> dict[str, Any]:
    result = message.results[0]
    rest = [_content(p, "input_text") for p in message.parts if not isinstance(p, ToolResult)]
    output: Any = [{"type": "input_text", "text": result.text}, *rest] if rest else result.text
    return {"type": _OUTPUTS, "call_id": result.call_id, "output": output}


def _owner(item: Mapping[str, Any]) -> str:
    """The message that an item is from; empty if the item does not say."""
    return str(item.get("id") or "").partition(_MARK)[2]


def _stage(kind: Any, index: int) -> int:
    if kind == "message":
        return _TEXT
    if kind == _CALL:
        return _CALLED
    if isinstance(kind, str):  # reasoning, compaction and whatever else the provider writes
        return _REASONING
    raise MessageShapeError(
        f"item {index} has no type; expected message, {_CALL}, {_OUTPUTS} or reasoning"
    )


def _add(chat: dict[str, Any], item: Mapping[str, Any], kind: Any, index: int) -> None:
    """Put an item of the assistant into its message."""
    if kind == _CALL:
        arguments = item.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments or {}, ensure_ascii=False)
        function = {"name": item.get("name", ""), "arguments": arguments}
        call = {"id": item.get("call_id"), "type": "function", "function": function}
        chat.setdefault("tool_calls", []).append(call)
        return
    parts = _message(item, index)["content"] if kind == "message" else [_unmarked(item)]
    if isinstance(parts, str):
        parts = [{"type": "text", "text": parts}]
    if parts:
        chat["content"] = [*(chat["content"] or []), *parts]


def _unmarked(item: Mapping[str, Any]) -> dict[str, Any]:
    """What the provider wrote, without the message that it is from: nothing else may change."""
    own = str(item.get("id") or "").partition(_MARK)[0]
    rest = {key: value for key, value in item.items() if key != "id"}
    return {**rest, "id": own} if own else rest


def _message(item: Mapping[str, Any], index: int) -> dict[str, Any]:
    content = item.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        content = [_part(as_mapping(part)) for part in content]
    elif not isinstance(content, str) and content is not None:
        raise MessageShapeError(
            f"item {index} has content of type {type(content).__name__}; expected text or a list"
        )
    return {"role": item.get("role"), "content": content or None}


def _part(part: Any) -> Any:
    if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
        return part
    return {"type": "text", "text": part.get("text", part.get("refusal", ""))}


def _output(item: Mapping[str, Any]) -> dict[str, Any]:
    output = item.get("output")
    if isinstance(output, Sequence) and not isinstance(output, str):
        output = [_part(as_mapping(part)) for part in output]
    elif not isinstance(output, str):
        output = json.dumps(output, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": item.get("call_id"), "content": output}


SHAPE: Final[Shape] = ResponsesShape()
