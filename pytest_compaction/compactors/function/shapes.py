"""The shapes of messages that functions take, and how the one that a function means is told.

LangChain messages are objects with ``type``, ``content`` and ``tool_calls``; those of pydantic-ai
are requests and responses made of parts, as history processors take them. A request holds the tool
returns after a response, or the prompts of system and user that follow one another. If the library
is installed, functions get its own classes, otherwise classes with the same attributes. They may
return either, or chat dictionaries.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from types import SimpleNamespace
from typing import Any, Final

from pytest_compaction.conversation import Image, Message, Text, Thinking, ToolCall
from pytest_compaction.conversation.formats.anthropic import from_anthropic, to_anthropic
from pytest_compaction.conversation.formats.chat import (
    message_from_chat,
    message_to_chat,
    to_chat,
    written_call,
)
from pytest_compaction.conversation.formats.parts import MessageShapeError, image_url
from pytest_compaction.conversation.formats.responses import from_responses, to_responses

_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_TYPES: Final = {"user": "human", "assistant": "ai", "developer": "system"}


@dataclass
class StandIn:
    """The attributes of a LangChain message that functions read and write."""

    content: Any
    type: str
    id: str | None = None
    name: str | None = None
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    invalid_tool_calls: list[dict[str, Any]] = field(default_factory=list)
    tool_call_id: str | None = None
    status: str = "success"
    additional_kwargs: dict[str, Any] = field(default_factory=dict)
    response_metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of the content."""
        if isinstance(self.content, str):
            return self.content
        parts = (part if isinstance(part, str) else part.get("text", "") for part in self.content)
        return "".join(parts)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> StandIn:
        """A copy with some attributes changed, as pydantic models have it."""
        made = copy.deepcopy(self) if deep else copy.copy(self)
        for name, value in (update or {}).items():
            setattr(made, name, value)
        return made


def langchain_messages(messages: Sequence[Message]) -> list[Any]:
    """One object per message; a system message of the developer role is a system message."""
    try:
        library: Any = importlib.import_module("langchain_core.messages")
    except ImportError:
        classes: Any = {kind: partial(StandIn, type=kind) for kind in _ROLES}
    else:
        kinds = (library.HumanMessage, library.AIMessage, library.SystemMessage)
        classes = dict(zip(_ROLES, (*kinds, library.ToolMessage), strict=True))
    return [classes[_TYPES.get(m.role, m.role)](**_langchain_attributes(m)) for m in messages]


def chat_of_langchain(returned: Sequence[Any]) -> list[Any]:
    """Chat dictionaries of objects, or of dictionaries as they are."""
    return [
        item if isinstance(item, Mapping) else _langchain_chat(item, f"message {index}")
        for index, item in enumerate(returned)
    ]


_REMOVE_ALL: Final = "__remove_all__"


def removes(item: Any) -> bool:
    """Whether an object is LangGraph's ``RemoveMessage``."""
    return getattr(item, "type", None) == "remove"


def added(messages: Sequence[Any], update: Sequence[Any]) -> list[Any]:
    """Messages of a state with an update, as LangGraph's ``add_messages`` does: one with a known
    id replaces, ``RemoveMessage`` takes out, and any other comes last."""
    if not isinstance(update, Sequence) or isinstance(update, str):
        update = [update]
    all = [n for n, item in enumerate(update) if removes(item) and item.id == _REMOVE_ALL]
    if all:
        return list(update[all[-1] + 1 :])
    found = {message.id: message for message in messages}
    for number, item in enumerate(update):
        id = item.get("id") if isinstance(item, Mapping) else getattr(item, "id", None)
        if removes(item):
            found.pop(id, None)
        else:
            found[id or f"new {number}"] = item
    return [*found.values()]


def object_field(item: Any, name: str, what: str) -> Any:
    """An attribute of a message object; raises ``MessageShapeError`` if there is none."""
    if not hasattr(item, name):
        raise MessageShapeError(f"{what} is {type(item).__name__} and has no {name!r}")
    return getattr(item, name)


def _langchain_attributes(message: Message) -> dict[str, Any]:
    chat = message_to_chat(message)
    found: dict[str, Any] = {"content": chat.get("content") or "", "id": message.id}
    if message.role == "tool":
        found["tool_call_id"] = chat["tool_call_id"]
        found["status"] = "error" if chat.get("is_error") else "success"
    if message.calls:
        found |= {"tool_calls": [], "invalid_tool_calls": []}
    for call in message.calls:
        told: dict[str, Any] = {"name": call.name, "id": call.id}
        if call.parsed() or call.arguments.strip() in {"", "{}"}:
            found["tool_calls"].append({**told, "args": call.parsed(), "type": "tool_call"})
        else:
            told |= {"args": call.arguments, "error": None, "type": "invalid_tool_call"}
            found["invalid_tool_calls"].append(told)
    return found


def _langchain_chat(item: Any, what: str) -> dict[str, Any]:
    kind = str(object_field(item, "type", what)).removesuffix("MessageChunk").lower()
    role = getattr(item, "role", kind) if kind == "chat" else _ROLES.get(kind, "")
    if not role:
        raise MessageShapeError(f"{what} has type {kind!r}; expected one of {', '.join(_ROLES)}")
    found: dict[str, Any] = {"role": role, "content": object_field(item, "content", what)}
    if role == "tool":
        found["tool_call_id"] = getattr(item, "tool_call_id", None)
        if getattr(item, "status", "success") == "error":
            found["is_error"] = True
    calls = [*(getattr(item, "tool_calls", None) or ())]
    calls += getattr(item, "invalid_tool_calls", None) or ()
    if role == "assistant" and calls:
        found["tool_calls"] = [
            written_call(call.get("id"), call.get("name", ""), call.get("args")) for call in calls
        ]
    return found


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


def pydantic_messages(messages: Sequence[Message]) -> list[Any]:
    """Requests and responses; one message is a part of a request, or a response."""
    library = _pydantic_library()
    names = {call.id: call.name for message in messages for call in message.calls}
    found: list[Any] = []
    for role, run in groupby(messages, lambda m: "user" if m.role == "system" else m.role):
        if role == "assistant":
            found += [library.ModelResponse(parts=_response_parts(m, library)) for m in run]
        else:
            found.append(
                library.ModelRequest(parts=[_request_part(m, library, names) for m in run])
            )
    return found


def chat_of_pydantic(returned: Sequence[Any]) -> list[Any]:
    """One chat dictionary for every part of a request, and for every response."""
    found: list[Any] = []
    for index, item in enumerate(returned):
        what = f"message {index}"
        if isinstance(item, Mapping):
            found.append(item)
        elif object_field(item, "kind", what) == "response":
            found.append(_response_chat(object_field(item, "parts", what), what))
        else:
            parts = object_field(item, "parts", what)
            found.extend(_request_chat(part, f"{what}, part {n}") for n, part in enumerate(parts))
    return found


def _pydantic_library() -> Any:
    """The library's module, or one with stand-ins of the same names."""
    try:
        return importlib.import_module("pydantic_ai.messages")
    except ImportError:
        return SimpleNamespace(
            ModelRequest=partial(StandInMessage, "request"),
            ModelResponse=partial(StandInMessage, "response"),
            SystemPromptPart=partial(StandInPart, "system-prompt"),
            UserPromptPart=partial(StandInPart, "user-prompt"),
            ToolReturnPart=partial(StandInPart, "tool-return"),
            TextPart=partial(StandInPart, "text"),
            ThinkingPart=partial(StandInPart, "thinking"),
            ToolCallPart=partial(StandInPart, "tool-call"),
            ImageUrl=StandInImage,
        )


def _request_part(message: Message, library: Any, names: Mapping[str, str]) -> Any:
    if message.role == "tool":
        result = message.results[0]
        make = library.ToolReturnPart
        if result.is_error:
            known = "outcome" in inspect.signature(make).parameters
            make = partial(make, outcome=FAILED) if known else library.RetryPromptPart
        name = names.get(result.call_id, "")
        return make(content=result.text, tool_name=name, tool_call_id=result.call_id)
    if message.role != "user":
        return library.SystemPromptPart(content=message.text)
    if not any(isinstance(part, Image) for part in message.parts):
        return library.UserPromptPart(content=message.text)
    content: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            content.append(part.text)
        elif isinstance(part, Image):
            content.append(library.ImageUrl(url=image_url(part) or ""))
    return library.UserPromptPart(content=content)


def _response_parts(message: Message, library: Any) -> list[Any]:
    found: list[Any] = []
    for part in message.parts:
        if isinstance(part, Text):
            found.append(library.TextPart(content=part.text))
        elif isinstance(part, ToolCall):
            call = {"tool_name": part.name, "args": part.arguments, "tool_call_id": part.id}
            found.append(library.ToolCallPart(**call))
        elif isinstance(part, Thinking):
            payload = json.loads(part.payload)
            text = str(payload.get("thinking", payload.get("text", "")))
            found.append(library.ThinkingPart(content=text, signature=payload.get("signature")))
    return found


def _request_chat(part: Any, what: str) -> dict[str, Any]:
    kind = object_field(part, "part_kind", what)
    content = object_field(part, "content", what)
    if kind == "system-prompt":
        return {"role": "system", "content": content}
    if kind == "user-prompt":
        if not isinstance(content, str):
            content = [
                {"type": "text", "text": item}
                if isinstance(item, str)
                else {"type": "image_url", "image_url": {"url": str(getattr(item, "url", ""))}}
                for item in content
            ]
        return {"role": "user", "content": content}
    if kind == "tool-return" or (kind == RETRIED and getattr(part, "tool_name", None)):
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        failed = kind == RETRIED or getattr(part, "outcome", "") in {FAILED, "retried"}
        error = {"is_error": True} if failed else {}
        id = getattr(part, "tool_call_id", None)
        return {"role": "tool", "tool_call_id": id, "content": text, **error}
    if kind == RETRIED:
        return {"role": "user", "content": str(content)}
    raise MessageShapeError(
        f"{what} has part_kind {kind!r}; a request holds system-prompt, user-prompt, tool-return "
        "and retry-prompt"
    )


def _response_chat(parts: Sequence[Any], what: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        kind = object_field(part, "part_kind", f"{what}, part {number}")
        if kind == "text":
            content.append({"type": "text", "text": part.content})
        elif kind == "thinking":
            signature = getattr(part, "signature", None)
            signed = {} if signature is None else {"signature": signature}
            content.append({"type": "thinking", "thinking": part.content, **signed})
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


@dataclass
class StandInChatMessage:
    """The attributes of llama-index's ``ChatMessage``."""

    role: str
    content: Any = None
    additional_kwargs: dict[str, Any] = field(default_factory=dict)


def llama_messages(messages: Sequence[Message]) -> list[Any]:
    """One ``ChatMessage`` per message; what is no text is among its ``additional_kwargs``."""
    try:
        make: Any = importlib.import_module("llama_index.core.llms").ChatMessage
    except ImportError:
        make = StandInChatMessage
    found = []
    for message in messages:
        chat = copy.deepcopy(message_to_chat(message))
        role, content = chat.pop("role"), chat.pop("content", None)
        if not isinstance(content, str | None):
            chat["parts"] = content
            content = message.text or (message.results[0].text if message.results else "")
        found.append(make(role=role, content=content, additional_kwargs=chat))
    return found


def chat_of_llama(returned: Sequence[Any]) -> list[Any]:
    """Chat dictionaries of ``ChatMessage``; tool calls may also be among their blocks."""
    found: list[Any] = []
    for index, item in enumerate(returned):
        if isinstance(item, Mapping):
            found.append(item)
            continue
        what = f"message {index}"
        rest = dict(object_field(item, "additional_kwargs", what))
        content, parts = object_field(item, "content", what), rest.pop("parts", None)
        if parts is not None and (content or "") == _llama_text(parts):
            content = parts
        calls = [
            written_call(block.tool_call_id, block.tool_name, block.tool_kwargs)
            for block in getattr(item, "blocks", ())
            if getattr(block, "block_type", "") == "tool_call"
        ]
        known = {"tool_calls": [*rest.get("tool_calls", ()), *calls]} if calls else {}
        known |= {k: rest[k] for k in ("tool_calls", "tool_call_id", "is_error") if k in rest}
        role = getattr(item.role, "value", item.role)
        found.append({"role": role, "content": content, **known})
    return found


def _llama_text(parts: Sequence[Any]) -> str:
    return message_from_chat({"role": "user", "content": parts}, "", "").text


CHAT: Final = "chat"


@dataclass(frozen=True, slots=True)
class Shape:
    """Makes objects of messages, and reads messages back from objects.

    ``read`` turns the objects that ``given`` made into one message each, in order, so that
    unchanged messages are recognised by their role and parts; ids are nobody's. It raises
    :class:`~pytest_compaction.conversation.formats.parts.MessageShapeError`. ``title`` names the
    shape in sentences, and ``told`` finds words in an annotation that tell it. The system prompt
    stands outside the messages where it ``keeps_system``, and a shape that ``lacks_errors`` does
    not say whether a call failed.
    """

    name: str
    title: str
    given: Callable[[Sequence[Message]], list[Any]]
    read: Callable[[Sequence[Any]], list[Message]]
    told: re.Pattern[str] | None = None
    keeps_system: bool = False
    lacks_errors: bool = False


def _read_chat(returned: Sequence[Any]) -> list[Message]:
    return [message_from_chat(item, "", f"message {n}") for n, item in enumerate(returned)]


_SHAPES: Final = {
    shape.name: shape
    for shape in (
        Shape(CHAT, "OpenAI chat messages", lambda ms: copy.deepcopy(to_chat(ms)), _read_chat),
        Shape(
            "langchain",
            "LangChain messages",
            langchain_messages,
            lambda returned: _read_chat(chat_of_langchain(returned)),
            re.compile(r"langchain|BaseMessage|AnyMessage|MessageLikeRepresentation"),
        ),
        Shape(
            "pydantic-ai",
            "pydantic-ai messages",
            pydantic_messages,
            lambda returned: _read_chat(chat_of_pydantic(returned)),
            re.compile(r"pydantic_ai|ModelMessage|ModelRequest|ModelResponse"),
            keeps_system=True,
        ),
        Shape(
            "llama-index",
            "llama-index messages",
            llama_messages,
            lambda returned: _read_chat(chat_of_llama(returned)),
            re.compile(r"llama_index|^[^.]*\bChatMessage\b"),
        ),
        Shape(
            "anthropic",
            "Anthropic's messages",
            to_anthropic,
            lambda returned: from_anthropic([_plain(item) for item in returned]),
            re.compile(r"\banthropic\b|\b(?:Beta)?MessageParam\b"),
            keeps_system=True,
        ),
        Shape(
            "responses",
            "items of OpenAI's Responses interface",
            to_responses,
            lambda returned: from_responses([_plain(item) for item in returned]),
            re.compile(
                r"\bT?ResponseInputItem(?:Param)?\b|\bResponseInputParam\b"
                r"|\bopenai\.types\.responses\b"
            ),
            lacks_errors=True,
        ),
    )
}
SHAPES: Final = tuple(_SHAPES)
"""The names of all shapes."""
_BLOCKS: Final = {
    "tool_use": "anthropic",
    "tool_result": "anthropic",
    "function_call": "responses",
    "function_call_output": "responses",
    "compaction": "responses",
}
"""What only messages of another shape than a chat hold, and which shape that is."""


def shape_named(name: str) -> Shape:
    """The shape of that name; raises ``ValueError`` with all names if there is none."""
    if name not in _SHAPES:
        raise ValueError(f"messages={name} must be one of {', '.join(SHAPES)}")
    return _SHAPES[name]


def shape_of(parameter: inspect.Parameter | None) -> str:
    """The shape of the messages that a parameter takes, by its annotation; chat without one."""
    if parameter is not None and parameter.annotation is not inspect.Parameter.empty:
        text = str(parameter.annotation)
        for shape in _SHAPES.values():
            if shape.told and shape.told.search(text):
                return shape.name
    return CHAT


def run_context(tokens: int, budget: int) -> Any:
    """The part of a run that a history processor can read: tokens of the view, and budget."""
    usage = SimpleNamespace(
        total_tokens=tokens, input_tokens=tokens, output_tokens=0, requests=0, tool_calls=0
    )
    return SimpleNamespace(deps=None, usage=usage, budget=budget, retry=0, prompt=None, messages=[])


def _plain(item: Any) -> Any:
    """An item as a dictionary, and what it holds, too: libraries have objects for both."""
    if callable(getattr(item, "model_dump", None)):
        item = item.model_dump(exclude_unset=True)
    if not isinstance(item, Mapping):
        return item
    held = {
        name: list(map(_plain, item[name]))
        for name in ("content", "output")
        if isinstance(item.get(name), Sequence) and not isinstance(item[name], str)
    }
    return {**item, **held}


def hint_on(item: Any) -> str:
    """Say what is foreign in a chat message and which parameter helps; empty if nothing is.

    ``NAME`` stands for the name of the compactor.
    """
    if not isinstance(item, Mapping):
        return ""
    content = item.get("content")
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
    for part in (item, *parts):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in _BLOCKS:
            shape = _BLOCKS[kind]
            return (
                f"holds {kind!r}, which is of {_SHAPES[shape].title}; to be given such messages "
                f"too, write NAME:messages={shape}"
            )
    return ""
