"""Items of OpenAI's responses API, as the Agents SDK keeps them in sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.conversation.formats import chat
from pytest_compaction.conversation.formats.parts import (
    TEXTS,
    VERBATIM,
    Json,
    MessageShapeError,
    PartRules,
    as_arguments,
    mapping,
    media_of,
    required_id,
    string,
    text_and_rest,
)
from pytest_compaction.conversation.formats.requests import is_native, sendable
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

OUTPUT: Final = "function_call_output"
_CALL: Final = "function_call"
_TEXTS: Final = (*TEXTS, "summary_text", "reasoning_text")
_MARK: Final = "from-"
"""What stands before the id of a message in the ids of its items."""
_REASONING, _SAID, _CALLED = 1, 2, 3
"""The order of the items of one message of the assistant."""


def from_responses(items: Sequence[Any]) -> list[Message]:
    """One message for the items of the assistant that belong together, and for each other item.

    Raises :class:`~.parts.MessageShapeError` that names the position.
    """
    found: list[tuple[str, list[Part]]] = []
    owner, filled = "", 0
    for index, item in enumerate(items):
        place = f"item {index}"
        kind = kind_of(item) if isinstance(item, Mapping) else None
        if not isinstance(kind, str):
            said = "has no type" if isinstance(item, Mapping) else f"is {type(item).__name__}"
            raise MessageShapeError(
                f"{place} {said}; expected message, {_CALL}, {OUTPUT} or reasoning"
            )
        if kind == OUTPUT:
            call_id = required_id(
                item.get("call_id"), f"a {OUTPUT} without call_id", place, VERBATIM
            )
            result, rest = read_output(item, call_id, place, VERBATIM)
            found.append(("tool", [result, *rest]))
            owner, filled = "", 0
        elif kind == "message" and item.get("role") != "assistant":
            plain = {"role": item.get("role"), "content": _texts(item.get("content"))}
            message = chat.message_from_chat(plain, "", place)
            found.append((message.role, [*message.parts]))
            owner, filled = "", 0
        else:
            stage = {"message": _SAID, _CALL: _CALLED}.get(kind, _REASONING)
            own = string(item.get("id")).partition(_MARK)[2]
            joined = own == owner if own and owner else filled and stage >= filled
            if not filled or not joined or (stage == _SAID and filled >= _SAID):
                found.append(("assistant", []))
            owner, filled = own, stage
            found[-1][1].extend(_assistant_parts(item, kind, place))
    return [Message(f"m{n}", role, tuple(parts)) for n, (role, parts) in enumerate(found)]


def kind_of(item: Mapping[str, Any]) -> Any:
    """The type of an item; that of a message may be left out."""
    return item.get("type") or ("message" if "role" in item else None)


def _assistant_parts(item: Mapping[str, Any], kind: str, place: str) -> list[Part]:
    if kind == "message":
        return read_content(item.get("content"), place, VERBATIM)
    if kind == _CALL:
        given, what = item.get("call_id"), f"a {kind} without call_id"
        call_id = required_id(given, what, place, VERBATIM)
        return [ToolCall(call_id, string(item.get("name")), as_arguments(item.get("arguments")))]
    # What the provider wrote, without the message that it is from: nothing else may change.
    own = str(item.get("id") or "").partition(_MARK)[0]
    rest = {key: value for key, value in item.items() if key != "id"}
    return chat.read_content([{**rest, "id": own} if own else rest], place, VERBATIM)


def read_content(content: Any, place: str, rules: PartRules) -> list[Part]:
    """The parts of a message item; a refusal is a text."""
    return chat.read_content(_texts(content), place, rules)


def _texts(content: Any) -> Any:
    if not isinstance(content, Sequence) or isinstance(content, str):
        return content
    found: list[Any] = []
    for part in content:
        given = mapping(part)
        text = given.get("refusal" if given.get("type") == "refusal" else "text")
        is_text = given.get("type") in (*_TEXTS, "refusal") and isinstance(text, str)
        found.append({"type": "text", "text": text} if is_text else part)
    return found


def read_output(
    item: Mapping[str, Any], call_id: str, place: str, rules: PartRules
) -> tuple[ToolResult, list[Part]]:
    """The result of a call: a text, parts, or any JSON, which is kept as text."""
    given, success = item.get("output"), True
    if media_of(mapping(given)):
        given = [given]
    if isinstance(given, Mapping):
        success = given.get("success") is not False
        given = given.get("content", given)
    if isinstance(given, list) and all("type" in mapping(part) for part in given):
        text, rest = text_and_rest(read_content(given, place, rules))
        return ToolResult(call_id, text, not success), rest
    return ToolResult(call_id, "" if given is None else as_arguments(given), not success), []


def to_responses(messages: Iterable[Message]) -> list[Json]:
    """One item for each text, call, output and piece of reasoning."""
    return [item for message in messages for item in _items(message)]


def _items(message: Message) -> list[Json]:
    if message.role == "tool":
        return [_output(message)]
    if message.role != "assistant":
        content = _contents(message.parts, "input_text")
        return [{"type": "message", "role": message.role, "content": content}]
    mark = f"{_MARK}{message.id}"
    thoughts = [json.loads(part.payload) for part in message.parts if isinstance(part, Thinking)]
    found = [{**thought, "id": f"{thought.get('id') or ''}{mark}"} for thought in thoughts]
    said = _contents([p for p in message.parts if not isinstance(p, Thinking)], "output_text")
    if said or not message.parts:
        spoken = {"type": "message", "role": "assistant", "content": said}
        found.append({**spoken, "id": f"msg_{mark}", "status": "completed"})
    for number, call in enumerate(message.calls):
        found.append({**_call(call), "id": f"fc{number}_{mark}", "status": "completed"})
    return found


def _contents(parts: Iterable[Part], kind: str) -> list[Json]:
    """The content of a message, with texts of this type. An image in the shape of a chat becomes
    one of this API; a part of another provider stays as it is."""
    found: list[Json] = []
    for part in parts:
        if isinstance(part, Text):
            notes: Json = {"annotations": []} if kind == "output_text" else {}
            found.append({"type": kind, "text": part.text, **notes})
        elif isinstance(part, Image | Thinking | Opaque):
            payload = json.loads(part.payload)
            given = payload.get("image_url")
            if isinstance(part, Image) and isinstance(given, Mapping):
                url = str(given.get("url", ""))
                payload = {"type": "input_image", "image_url": url, "detail": "auto"}
            found.append(payload)
    return found


def _output(message: Message) -> Json:
    result = message.results[0]
    rest = _contents(message.parts, "input_text")
    output: Any = [{"type": "input_text", "text": result.text}, *rest] if rest else result.text
    return {"type": OUTPUT, "call_id": result.call_id, "output": output}


def _call(call: ToolCall) -> Json:
    return {"type": _CALL, "call_id": call.id, "name": call.name, "arguments": call.arguments}


def needs_responses(messages: Iterable[Message]) -> bool:
    """Whether the messages hold an item that only the responses API can read."""
    return any(is_native(part) for message in messages for part in message.parts)


def responses_input(messages: Sequence[Message]) -> list[Json]:
    """Input items for a request; opaque items are as they came from the API."""
    return [item for message in sendable(messages, native=True) for item in _sent(message)]


def _sent(message: Message) -> list[Json]:
    if message.role == "tool":
        return [_output(message)]
    items = [json.loads(part.payload) for part in message.parts if isinstance(part, Opaque)]
    said = [part for part in message.parts if isinstance(part, Text | Image)]
    if said:
        alone = said[0].text if len(said) == 1 and isinstance(said[0], Text) else None
        parts = _contents(said, "input_text")
        for part in parts:
            part.pop("detail", None)
        content = parts if alone is None else alone
        items.append({"type": "message", "role": message.role, "content": content})
    return items + [_call(call) for call in message.calls]
