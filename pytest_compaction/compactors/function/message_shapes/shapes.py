"""The shapes of messages that functions take, and how the one that a function means is told."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, SimpleNamespace
from typing import Any, Final

from pytest_compaction.compactors.function.message_shapes import langchain, pydantic_ai
from pytest_compaction.conversation.formats.anthropic import from_anthropic, to_anthropic
from pytest_compaction.conversation.formats.chat import message_from_chat, to_chat
from pytest_compaction.conversation.formats.responses import from_responses, to_responses
from pytest_compaction.conversation.messages import Message

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
            langchain.given,
            lambda returned: _read_chat(langchain.chat_of(returned)),
            re.compile(r"langchain|BaseMessage|AnyMessage|MessageLikeRepresentation"),
        ),
        Shape(
            "pydantic-ai",
            "pydantic-ai messages",
            pydantic_ai.given,
            lambda returned: _read_chat(pydantic_ai.chat_of(returned)),
            re.compile(r"pydantic_ai|ModelMessage|ModelRequest|ModelResponse"),
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
}
"""What only messages of another shape than a chat hold, and which shape that is."""
_OF_CHAT: Final = frozenset({"tool", "tool_calls", "tool_call_id", "function_call"})
"""What code that reads the messages of a chat too, or of an older chat, names as well."""


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
    found = _as_mapping(item)
    if not isinstance(found, Mapping):
        return found
    held = {
        name: [_as_mapping(each) for each in found[name]]
        for name in ("content", "output")
        if isinstance(found.get(name), Sequence) and not isinstance(found[name], str)
    }
    return {**found, **held}


def _as_mapping(item: Any) -> Any:
    if not isinstance(item, Mapping) and callable(getattr(item, "model_dump", None)):
        return item.model_dump(exclude_unset=True)
    return item


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
                f"holds {kind!r}, which is of {_SHAPES[shape].title}; to be given such messages "
                f"too, write NAME:messages={shape}"
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
