"""LangChain messages: objects with ``type``, ``content`` and ``tool_calls``.

If langchain-core is installed, functions get its own classes, otherwise classes with the
same attributes. They may return either, or chat dictionaries.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation.formats.chat import message_to_chat, written_call
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.conversation.messages import Message

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


def given(messages: Sequence[Message]) -> list[Any]:
    """One object per message; a system message of the developer role is a system message."""
    make = _maker()
    return [make(_TYPES.get(m.role, m.role), **_attributes(m)) for m in messages]


def chat_of(returned: Sequence[Any]) -> list[Any]:
    """Chat dictionaries of objects, or of dictionaries as they are."""
    return [
        item if isinstance(item, Mapping) else _read(item, f"message {index}")
        for index, item in enumerate(returned)
    ]


def object_field(item: Any, name: str, what: str) -> Any:
    """An attribute of a message object; raises ``MessageShapeError`` if there is none."""
    if not hasattr(item, name):
        raise MessageShapeError(f"{what} is {type(item).__name__} and has no {name!r}")
    return getattr(item, name)


def _maker() -> Any:
    try:
        library: Any = importlib.import_module("langchain_core.messages")
    except ImportError:
        return lambda type, **attributes: StandIn(type=type, **attributes)
    classes = {
        "human": library.HumanMessage,
        "ai": library.AIMessage,
        "system": library.SystemMessage,
        "tool": library.ToolMessage,
    }
    return lambda type, **attributes: classes[type](**attributes)


def _attributes(message: Message) -> dict[str, Any]:
    chat = message_to_chat(message)
    found: dict[str, Any] = {"content": chat.get("content") or "", "id": message.id}
    if message.role == "tool":
        found["tool_call_id"] = chat["tool_call_id"]
        found["status"] = "error" if chat.get("is_error") else "success"
    if not message.calls:
        return found
    found["tool_calls"] = [
        {"name": call.name, "args": call.parsed(), "id": call.id, "type": "tool_call"}
        for call in message.calls
        if call.parsed() or call.arguments.strip() in {"", "{}"}
    ]
    known = {call["id"] for call in found["tool_calls"]}
    found["invalid_tool_calls"] = [
        {
            "name": c.name,
            "args": c.arguments,
            "id": c.id,
            "error": None,
            "type": "invalid_tool_call",
        }
        for c in message.calls
        if c.id not in known
    ]
    return found


def _read(item: Any, what: str) -> dict[str, Any]:
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
