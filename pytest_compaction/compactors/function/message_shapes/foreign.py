"""Messages of other interfaces among those of a chat: told by their blocks, with what helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, Final

from pytest_compaction.compactors.function.message_shapes.protocol import title_of

_BLOCKS: Final = {
    "tool_use": "anthropic",
    "tool_result": "anthropic",
    "function_call": "responses",
    "function_call_output": "responses",
}
"""What only messages of another shape hold, and which shape that is."""
_OF_CHAT: Final = frozenset({"tool", "tool_calls", "tool_call_id", "function_call"})
"""What code that reads the messages of a chat too, or of an older chat, names as well."""


def hint_on(item: Any) -> str:
    """What is foreign in a chat message, and which parameter helps; empty if nothing is.

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
                f"holds {kind!r}, which is of {title_of(shape)}; to be given such messages too, "
                f"write NAME:messages={shape}"
            )
    return ""


def foreign_words(function: Callable[..., Any]) -> tuple[str, str]:
    """A block of another shape that the code of a function names, and that shape.

    Both are empty if it names none. A function that looks for such blocks in the messages of a
    chat finds nothing there and would do nothing, without a word.
    """
    target: Any = getattr(function, "__func__", function)
    code = getattr(target, "__code__", None)
    if isinstance(code, CodeType):
        named = set(_texts(code))
        for kind, shape in _BLOCKS.items():
            if kind in named and not named & _OF_CHAT:
                return kind, shape
    return "", ""


def _texts(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from (each for each in constant if isinstance(each, str))
        elif isinstance(constant, CodeType):
            yield from _texts(constant)
