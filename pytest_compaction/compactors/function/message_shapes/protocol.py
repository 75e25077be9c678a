"""The protocol of a message shape, the known shapes, and how one is recognised."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, Protocol

from pytest_compaction.conversation.chat_format import MessageShapeError, to_chat
from pytest_compaction.conversation.messages import Message

CHAT: Final = "chat"
_SHAPES: Final = {
    "langchain": "pytest_compaction.compactors.function.message_shapes.langchain",
    "pydantic-ai": "pytest_compaction.compactors.function.message_shapes.pydantic_ai",
}
_NAMES: Final = {
    "langchain": ("langchain", "BaseMessage", "AnyMessage", "MessageLikeRepresentation"),
    "pydantic-ai": ("pydantic_ai", "ModelMessage", "ModelRequest", "ModelResponse"),
}
"""Words in the annotation of a parameter that tell which objects it takes."""
_CONTEXTS: Final = frozenset({"ctx", "context", "run_context"})


class Shape(Protocol):
    """Makes objects of messages and reads chat dictionaries back from objects.

    ``read`` turns the objects that ``given`` made into one dictionary per message, in order,
    so that unchanged messages are recognised. It raises ``MessageShapeError``.
    """

    name: str

    def given(self, messages: Sequence[Message]) -> list[Any]:
        """Fresh objects for the messages."""

    def read(self, returned: Sequence[Any]) -> list[Any]:
        """Chat dictionaries of what a function returned."""


class ChatShape:
    """OpenAI chat dictionaries."""

    name = CHAT

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
        raise ValueError(f"messages={name} must be one of {', '.join((CHAT, *_SHAPES))}")
    shape: Shape = importlib.import_module(_SHAPES[name]).SHAPE
    return shape


def shape_of(function: Callable[..., Any]) -> str:
    """Which messages a function takes, by the annotation of its parameter; chat without one."""
    parameters = positional(function)
    annotated = parameters[1:2] if takes_run_context(function) else parameters[:1]
    for parameter in annotated:
        if parameter.annotation is not inspect.Parameter.empty:
            text = str(parameter.annotation)
            for shape, names in _NAMES.items():
                if any(name in text for name in names):
                    return shape
    return CHAT


def takes_run_context(function: Callable[..., Any]) -> bool:
    """Whether a pydantic-ai history processor wants the context of the run before the messages."""
    parameters = positional(function)
    if len(parameters) < 2:
        return False
    first = parameters[0]
    return "RunContext" in str(first.annotation) or first.name in _CONTEXTS


def run_context(tokens: int, budget: int) -> Any:
    """The part of a run that a history processor can read: tokens of the view, and budget."""
    usage = SimpleNamespace(
        total_tokens=tokens, input_tokens=tokens, output_tokens=0, requests=0, tool_calls=0
    )
    return SimpleNamespace(deps=None, usage=usage, budget=budget, retry=0, prompt=None, messages=[])


def positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that can be given by position; empty if the signature is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    return [parameter for parameter in parameters if parameter.kind in kinds]


def object_field(item: Any, name: str, what: str) -> Any:
    """An attribute of a message object; raises ``MessageShapeError`` if there is none."""
    if not hasattr(item, name):
        raise MessageShapeError(f"{what} is {type(item).__name__} and has no {name!r}")
    return getattr(item, name)
