"""Messages for endpoints whose chat template takes fewer roles than the API.

The templates of Gemma, Mistral and Llama 2 want users and assistants to alternate, some take no
system message, and some know no tools. What was said stays; only who says it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Chat = list[dict[str, Any]]

_SYSTEM: Final = frozenset({"system", "developer"})
_JOINED: Final = frozenset({"system", "user", "assistant"})
_BEFORE: Final = "(The conversation goes on.)"
"""Said by the user before a conversation that begins with an assistant's message."""


def is_system(message: Mapping[str, Any]) -> bool:
    """Whether a message is one of the system, under either name of the role."""
    return message.get("role") in _SYSTEM


def has_tools(message: Mapping[str, Any]) -> bool:
    """Whether a message holds calls of tools or the result of one."""
    return message.get("role") == "tool" or bool(message.get("tool_calls"))


def alternating(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """One system message at the start, then user and assistant in turn; neighbours are joined."""
    found: Chat = []
    for message in messages:
        each = dict(message)
        if is_system(each):
            each["role"] = "system" if all(map(is_system, found)) else "user"
        elif each.get("role") == "assistant" and all(map(is_system, found)):
            found.append({"role": "user", "content": _BEFORE})
        if found and each.get("role") == found[-1].get("role") in _JOINED:
            found[-1] = _joined(found[-1], each)
        else:
            found.append(each)
    return found


def system_in_user(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """The messages with all system text before that of the first user message."""
    said = [{**message, "role": "user"} for message in messages if is_system(message)]
    others = [dict(message) for message in messages if not is_system(message)]
    if others and others[0].get("role") == "user":
        said.append(others.pop(0))
    first = said[0]
    for message in said[1:]:
        first = _joined(first, message)
    return [first, *others]


def tools_as_text(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """The messages with calls as text of the assistant and results as text of the user."""
    names: dict[Any, str] = {}
    found: Chat = []
    for message in messages:
        each = dict(message)
        if each.get("role") == "tool":
            name = names.get(each.pop("tool_call_id", None), "a tool")
            head = {"role": "user", "content": f"[result of {name}]"}
            each = _joined(head, {**each, "role": "user"}, "\n")
        for call in each.pop("tool_calls", None) or ():
            function = call.get("function") or {}
            names[call.get("id")] = str(function.get("name"))
            text = f"[called {function.get('name')} with {function.get('arguments')}]"
            each = _joined(each, {"role": "assistant", "content": text}, "\n")
        found.append(each)
    return alternating(found)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any], between: str = "\n\n") -> Any:
    """One message of the first one's role with the content and the calls of both."""
    joined = dict(one)
    contents = [each for each in (one.get("content"), other.get("content")) if each]
    if all(isinstance(each, str) for each in contents):
        joined["content"] = between.join(contents)
    else:
        joined["content"] = [part for each in contents for part in _parts(each)]
    calls = [*(one.get("tool_calls") or ()), *(other.get("tool_calls") or ())]
    return {**joined, "tool_calls": calls} if calls else joined


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
