"""pydantic-ai messages: requests and responses made of parts, as history processors take them.

If pydantic-ai is installed, functions get its own classes, otherwise classes with the same
attributes. A request holds the tool returns after a response, or the prompts of system
and user that follow one another. Functions may return either kind, or chat dictionaries.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, Final

from pytest_compaction.compactors.function.message_shapes.langchain import object_field
from pytest_compaction.conversation.formats.chat import written_call
from pytest_compaction.conversation.formats.parts import MessageShapeError, image_url
from pytest_compaction.conversation.messages import Image, Message, Text, Thinking, ToolCall

RETRIED: Final = "retry-prompt"
"""The part for a failed tool call in versions of pydantic-ai that have no ``outcome``."""
FAILED: Final = "failed"


@dataclass
class StandInPart:
    """The attributes of a part that functions read and write; ``None`` if of another kind."""

    part_kind: str
    content: Any = None
    tool_name: str | None = None
    args: Any = None
    tool_call_id: str | None = None
    id: str | None = None
    signature: str | None = None
    outcome: str = "success"


@dataclass
class StandInMessage:
    """A request or a response."""

    kind: str
    parts: list[Any] = field(default_factory=list)
    instructions: str | None = None


@dataclass
class StandInImage:
    """An image in a user prompt."""

    url: str
    kind: str = "image-url"


def given(messages: Sequence[Message]) -> list[Any]:
    """Requests and responses; one message is a part of a request, or a response."""
    make = _makers()
    names = {call.id: call.name for message in messages for call in message.calls}
    found: list[Any] = []
    for role, run in groupby(messages, lambda m: "user" if m.role == "system" else m.role):
        if role == "assistant":
            found += [make["response"](parts=_response_parts(m, make)) for m in run]
        else:
            found.append(make["request"](parts=[_request_part(m, make, names) for m in run]))
    return found


def chat_of(returned: Sequence[Any]) -> list[Any]:
    """One chat dictionary for every part of a request, and for every response."""
    found: list[Any] = []
    for index, item in enumerate(returned):
        what = f"message {index}"
        if isinstance(item, Mapping):
            found.append(item)
        elif object_field(item, "kind", what) == "response":
            found.append(_response(object_field(item, "parts", what), what))
        else:
            parts = object_field(item, "parts", what)
            found.extend(_request(part, f"{what}, part {n}") for n, part in enumerate(parts))
    return found


def _makers() -> dict[str, Callable[..., Any]]:
    try:
        library: Any = importlib.import_module("pydantic_ai.messages")
    except ImportError:

        def part(kind: str) -> Callable[..., Any]:
            return partial(StandInPart, kind)

        return {
            "request": lambda parts: StandInMessage("request", parts),
            "response": lambda parts: StandInMessage("response", parts),
            "system-prompt": part("system-prompt"),
            "user-prompt": part("user-prompt"),
            "tool-return": part("tool-return"),
            "tool-error": partial(StandInPart, "tool-return", outcome=FAILED),
            "text": part("text"),
            "thinking": part("thinking"),
            "tool-call": part("tool-call"),
            "image": lambda url: StandInImage(url),
        }
    return {
        "request": library.ModelRequest,
        "response": library.ModelResponse,
        "system-prompt": library.SystemPromptPart,
        "user-prompt": library.UserPromptPart,
        "tool-return": library.ToolReturnPart,
        "tool-error": partial(library.ToolReturnPart, outcome=FAILED)
        if "outcome" in inspect.signature(library.ToolReturnPart).parameters
        else library.RetryPromptPart,
        "text": library.TextPart,
        "thinking": library.ThinkingPart,
        "tool-call": library.ToolCallPart,
        "image": library.ImageUrl,
    }


def _request_part(
    message: Message, make: Mapping[str, Callable[..., Any]], names: Mapping[str, str]
) -> Any:
    if message.role == "tool":
        result = message.results[0]
        kind = "tool-error" if result.is_error else "tool-return"
        name = names.get(result.call_id, "")
        return make[kind](content=result.text, tool_name=name, tool_call_id=result.call_id)
    if message.role != "user":
        return make["system-prompt"](content=message.text)
    if not any(isinstance(part, Image) for part in message.parts):
        return make["user-prompt"](content=message.text)
    content: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            content.append(part.text)
        elif isinstance(part, Image):
            content.append(make["image"](url=image_url(part) or ""))
    return make["user-prompt"](content=content)


def _response_parts(message: Message, make: Mapping[str, Callable[..., Any]]) -> list[Any]:
    found: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            found.append(make["text"](content=part.text))
        elif isinstance(part, ToolCall):
            call = {"tool_name": part.name, "args": part.arguments, "tool_call_id": part.id}
            found.append(make["tool-call"](**call))
        elif isinstance(part, Thinking):
            payload = json.loads(part.payload)
            signature = payload.get("signature")
            text = str(payload.get("thinking", payload.get("text", "")))
            found.append(make["thinking"](content=text, signature=signature))
    return found


def _request(part: Any, what: str) -> dict[str, Any]:
    kind = object_field(part, "part_kind", what)
    content = object_field(part, "content", what)
    if kind == "system-prompt":
        return {"role": "system", "content": content}
    if kind == "user-prompt":
        return {"role": "user", "content": _user_content(content)}
    call_id = getattr(part, "tool_call_id", None)
    if kind == "tool-return" or (kind == RETRIED and getattr(part, "tool_name", None)):
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        failed = kind == RETRIED or getattr(part, "outcome", "") in {FAILED, "retried"}
        error = {"is_error": True} if failed else {}
        return {"role": "tool", "tool_call_id": call_id, "content": text, **error}
    if kind == RETRIED:
        return {"role": "user", "content": str(content)}
    raise MessageShapeError(
        f"{what} has part_kind {kind!r}; a request holds system-prompt, user-prompt, tool-return "
        "and retry-prompt"
    )


def _user_content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [
        {"type": "text", "text": item}
        if isinstance(item, str)
        else {"type": "image_url", "image_url": {"url": str(getattr(item, "url", ""))}}
        for item in content
    ]


def _response(parts: Sequence[Any], what: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        kind = object_field(part, "part_kind", f"{what}, part {number}")
        if kind == "text":
            content.append({"type": "text", "text": part.content})
        elif kind == "thinking":
            content.append(_thinking(part))
        elif kind == "tool-call":
            calls.append(written_call(part.tool_call_id, part.tool_name, part.args))
        else:
            raise MessageShapeError(
                f"{what}, part {number} has part_kind {kind!r}; a response holds text, thinking "
                "and tool-call"
            )
    found: dict[str, Any] = {"role": "assistant", "content": content or None}
    if calls:
        found["tool_calls"] = calls
    return found


def _thinking(part: Any) -> dict[str, Any]:
    signature = getattr(part, "signature", None)
    signed = {} if signature is None else {"signature": signature}
    return {"type": "thinking", "thinking": part.content, **signed}
