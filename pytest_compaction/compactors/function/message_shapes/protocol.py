"""The protocol of a message shape, the known shapes, and how one is recognised."""

from __future__ import annotations

import copy
import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, Protocol

from pytest_compaction.conversation.chat_format import MessageShapeError, to_chat
from pytest_compaction.conversation.messages import Message

CHAT: Final = "chat"
_SHAPES: Final = {
    "langchain": "pytest_compaction.compactors.function.message_shapes.langchain",
    "pydantic-ai": "pytest_compaction.compactors.function.message_shapes.pydantic_ai",
    "anthropic": "pytest_compaction.compactors.function.message_shapes.anthropic",
    "responses": "pytest_compaction.compactors.function.message_shapes.responses",
}
SHAPES: Final = (CHAT, *_SHAPES)
"""The names of all shapes."""
_TOLD: Final = {
    "langchain": re.compile(r"langchain|BaseMessage|AnyMessage|MessageLikeRepresentation"),
    "pydantic-ai": re.compile(r"pydantic_ai|ModelMessage|ModelRequest|ModelResponse"),
    "anthropic": re.compile(r"\banthropic\b|\b(?:Beta)?MessageParam\b"),
    "responses": re.compile(
        r"\bT?ResponseInputItem(?:Param)?\b|\bResponseInputParam\b|\bopenai\.types\.responses\b"
    ),
}
"""Words in the annotation of a parameter that tell which objects it takes."""
_TITLES: Final = {
    CHAT: "OpenAI chat messages",
    "langchain": "LangChain messages",
    "pydantic-ai": "pydantic-ai messages",
    "anthropic": "Anthropic's messages",
    "responses": "items of OpenAI's Responses interface",
}


class Shape(Protocol):
    """Makes objects of messages and reads chat dictionaries back from objects.

    ``read`` turns the objects that ``given`` made into one dictionary per message, in order,
    so that unchanged messages are recognised. It raises ``MessageShapeError``.
    ``keeps_system`` says that the system prompt stands outside the messages.
    """

    name: str
    keeps_system: bool

    def given(self, messages: Sequence[Message]) -> list[Any]:
        """Fresh objects for the messages."""

    def read(self, returned: Sequence[Any]) -> list[Any]:
        """Chat dictionaries of what a function returned."""


class ChatShape:
    """OpenAI chat dictionaries."""

    name = CHAT
    keeps_system = False

    def given(self, messages: Sequence[Message]) -> list[Any]:
        """Fresh dictionaries."""
        return copy.deepcopy(to_chat(messages))

    def read(self, returned: Sequence[Any]) -> list[Any]:
        """The dictionaries as they are, without a message id."""
        return [
            {key: value for key, value in item.items() if key != "id"}
            if isinstance(item, Mapping)
            else item
            for item in returned
        ]


def shape_named(name: str) -> Shape:
    """The shape of that name; raises ``ValueError`` with all names if there is none."""
    if name == CHAT:
        return ChatShape()
    if name not in _SHAPES:
        raise ValueError(f"messages={name} must be one of {', '.join(SHAPES)}")
    shape: Shape = importlib.import_module(_SHAPES[name]).SHAPE
    return shape


def title_of(name: str) -> str:
    """What the messages of a shape are called in sentences."""
    return _TITLES[name]


def shape_of(parameter: inspect.Parameter | None) -> str:
    """The shape of the messages that a parameter takes, by its annotation; chat without one."""
    if parameter is not None and parameter.annotation is not inspect.Parameter.empty:
        text = str(parameter.annotation)
        for shape, words in _TOLD.items():
            if words.search(text):
                return shape
    return CHAT


def run_context(tokens: int, budget: int) -> Any:
    """The part of a run that a history processor can read: tokens of the view, and budget."""
    usage = SimpleNamespace(
        total_tokens=tokens, input_tokens=tokens, output_tokens=0, requests=0, tool_calls=0
    )
    return SimpleNamespace(deps=None, usage=usage, budget=budget, retry=0, prompt=None, messages=[])


def as_mapping(item: Any) -> Any:
    """An object of a library that can be written as a dictionary, as one; others as they are."""
    if not isinstance(item, Mapping) and callable(getattr(item, "model_dump", None)):
        return item.model_dump(exclude_unset=True)
    return item


def object_field(item: Any, name: str, what: str) -> Any:
    """An attribute of a message object; raises ``MessageShapeError`` if there is none."""
    if not hasattr(item, name):
        raise MessageShapeError(f"{what} is {type(item).__name__} and has no {name!r}")
    return getattr(item, name)
