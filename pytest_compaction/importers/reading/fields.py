"""Fields of JSON objects, which may have any type, and the tool calls made from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import ToolCall
from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.text.words import printable

NESTED_LISTS: Final = 3
"""How deep conversations may lie in lists of lists to be looked for."""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def string(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def required_id(value: Any, what: str, place: str) -> str:
    """The id of a call or result; without one, :class:`ImportFormatError` says ``what`` lacks it.

    Calls and their results find each other by id, so neither can be read without it.
    """
    if not isinstance(value, str) or not value:
        raise ImportFormatError(f"{place}: {what}; fix or remove it")
    return value


def unknown(what: str, value: Any) -> str:
    """The reason for leaving out a record: the value of its type or role, ``what``, is unknown."""
    return f"unknown {what} {printable(str(value), 40)!r}"


def tool_call(id: str, name: Any, arguments: Any) -> ToolCall:
    """A call; one whose name was not recorded is called ``unknown``."""
    return ToolCall(id, string(name) or "unknown", as_arguments(arguments))


def as_arguments(given: Any) -> str:
    """The arguments of a call as JSON text; a text stays as the model wrote it."""
    if isinstance(given, str):
        return given
    return json.dumps({} if given is None else given, ensure_ascii=False)
