"""Wraps a plain function over messages as a compactor.

The function is called as ``f(messages, budget)`` with OpenAI chat dictionaries
and the number of tokens that the view may take, and returns the messages to go
on with. It may be async; a parameter ``model`` receives the model of the run, and
further keyword parameters come from the command line.

A function over other message objects (see :mod:`.message_shapes`) is recognised by the
annotation of its parameter or named by ``messages=langchain``; it is called with
the messages alone, and with the budget if it has a parameter ``budget`` or requires
one named ``max_tokens``. An object with ``invoke`` is called through that.
A parameter ``budget`` that is not the second is given by its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.function.message_shapes.protocol import (
    CHAT,
    positional,
    run_context,
    shape_named,
    shape_of,
    takes_run_context,
)
from pytest_compaction.compactors.protocol import CompactorError, Context, Outcome, State, Traits
from pytest_compaction.conversation.chat_format import (
    ChatMessage,
    MessageShapeError,
    message_from_chat,
)
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.protocol import ModelError


class FunctionCompactor(HistoryCompactor):
    """A function over messages as a strategy.

    ``messages`` names the shape of the objects that it takes; without it the
    annotation of its parameter decides, and chat dictionaries are the default.
    Raises ``ValueError`` for an unknown shape.
    """

    traits = Traits()

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        parameters: Mapping[str, Any],
        messages: str | None = None,
    ) -> None:
        self.name = name
        self.description = (inspect.getdoc(function) or "a function").splitlines()[0]
        self._function = called(function)
        self._parameters = dict(parameters)
        invoked = hasattr(function, "invoke") and self._function is not function
        default = "langchain" if invoked else shape_of(self._function)
        self._shape = shape_named(messages or default)
        self.takes_model = _takes(self._function, "model")
        second = positional(self._function)[1:2]
        self._by_name = _takes(self._function, "budget") and (
            not second or second[0].name != "budget"
        )

    def call_with(self, messages: list[Any], budget: int, used: int, model: Any) -> Any:
        """Call the function; ``used`` are the tokens that the messages take."""
        arguments, extra = self._arguments(messages, budget, used, model)
        return self._function(*arguments, **extra)

    def check_call(self) -> None:
        """Raise ``TypeError`` if the function cannot take the arguments that it would get."""
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):
            return  # some functions written in C have no signature
        arguments, extra = self._arguments([], 0, 0, None)
        signature.bind(*arguments, **extra)

    @property
    def module_coroutine(self) -> Callable[..., Any] | None:
        """The function, if it is async and a global of its module; else ``None``."""
        function = self._function
        if not inspect.isfunction(function) or not inspect.iscoroutinefunction(function):
            return None
        return None if "<locals>" in function.__qualname__ else function

    @property
    def handed_in(self) -> frozenset[str]:
        """The parameters that the plugin passes, and the command line need not give."""
        arguments, _ = self._arguments([], 0, 0, None)
        places = positional(self._function)[: len(arguments)]
        return frozenset({"budget", "model", *(parameter.name for parameter in places)})

    @property
    def remedy(self) -> str:
        """How to write a function that can be called, for messages to the user."""
        if self._shape.name != CHAT:
            return "a parameter without a default is given as :key=value"
        return (
            "write it as def f(messages, budget), give other parameters without a default as "
            ":key=value, and say messages=langchain or messages=pydantic-ai for message objects"
        )

    @property
    def call_form(self) -> str:
        """How the function is called, for messages to the user."""
        arguments, extra = self._arguments([], 0, 0, None)
        names = ["messages", "budget"] if len(arguments) > 1 else ["messages"]
        if self._by_name and "budget" not in self._parameters and self._shape.name == CHAT:
            names.append("budget=…")
        if self._shape.name != CHAT:
            names = ["ctx", "messages"] if len(arguments) > 1 else ["messages"]
        shown = [f"{key}=…" for key in extra if key in self._parameters]
        return f"f({', '.join([*names, *shown])})"

    def _arguments(
        self, messages: list[Any], budget: int, used: int, model: Any
    ) -> tuple[list[Any], dict[str, Any]]:
        extra = dict(self._parameters)
        if self.takes_model:
            extra.setdefault("model", model)
        if self._shape.name == CHAT:
            if not self._by_name:
                return [messages, budget], extra
            extra.setdefault("budget", budget)
            return [messages], extra
        if _takes(self._function, "budget"):
            extra.setdefault("budget", budget)
        elif _takes(self._function, "max_tokens", required=True):
            extra.setdefault("max_tokens", budget)
        if self._shape.name == "pydantic-ai" and takes_run_context(self._function):
            return [run_context(used, budget), messages], extra
        return [messages], extra

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Call the function with fresh objects and check what it returns.

        If the model cannot answer, the compaction fails; that is not a fault of the function.
        """
        before = load(state["messages"])
        known = self._shape.read(self._shape.given(before))
        used = context.tokens.messages(before)
        given = self._shape.given(before)
        try:
            returned = self.call_with(given, context.budget, used, context.model)
            if inspect.isawaitable(returned):
                returned = await returned
        except ModelError as error:
            return unchanged(state, str(error))
        cycle = int(state.get("cycle", 0)) + 1
        after = self._messages(returned, before, known, cycle)
        if after == before:
            return unchanged(state)
        new = [message.id for message in after if message.origin == "synthetic"]
        spans = spans_between(before, after, new[0] if new else None)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    def _messages(
        self, returned: Any, before: Sequence[Message], given: Sequence[ChatMessage], cycle: int
    ) -> tuple[Message, ...]:
        """Recognise kept messages (equal to one given, in order) and name the new ones.

        Another result of a call whose result was given is that message, masked.
        """
        result: list[Message] = []
        position = 0
        for index, item in enumerate(self._read(returned, before)):
            match = next((i for i in range(position, len(given)) if given[i] == item), None)
            if match is not None:
                result.append(before[match])
                position = match + 1
                continue
            try:
                id = f"{self.name.rpartition(':')[2]}-{cycle}-{index}"
                plain = {k: v for k, v in item.items() if k != "id"} if _mapping(item) else item
                made = message_from_chat(plain, id, f"message {index}", "synthetic")
            except MessageShapeError as error:
                raise CompactorError(f"{self.name} returned a wrong message: {error}") from None
            masked = next((i for i in range(position, len(given)) if _masks(made, before[i])), None)
            if masked is not None:
                made = replace(made, id=before[masked].id, origin=before[masked].origin)
                position = masked + 1
            result.append(made)
        return tuple(result)

    def _read(self, returned: Any, before: Sequence[Message]) -> list[Any]:
        """The returned messages as chat dictionaries; the list may be under ``messages``."""
        what = {CHAT: "chat messages"}.get(self._shape.name, f"{self._shape.name} messages")
        if returned is None:
            raise CompactorError(
                f"{self.name} returned None; expected the list of {what} to go on with"
            )
        if self._shape.name != CHAT:
            if _mapping(returned):
                returned = returned.get("messages", returned)
            else:
                returned = getattr(returned, "messages", returned)
        if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Sequence):
            raise CompactorError(
                f"{self.name} returned {type(returned).__name__}; expected a list of {what}"
            )
        if not returned and before:
            raise CompactorError(f"{self.name} returned no messages at all")
        try:
            return self._shape.read(returned)
        except MessageShapeError as error:
            raise CompactorError(f"{self.name} returned a wrong message: {error}") from None


def called(target: Any) -> Any:
    """The callable of an object: the object itself, its ``invoke``, or the function it holds.

    ``invoke`` is LangChain's way, ``processor`` that of pydantic-ai's capability.
    """
    for name in ("invoke", "processor"):
        if not callable(target) and callable(getattr(target, name, None)):
            return getattr(target, name)
    return target


def _masks(made: Message, given: Message) -> bool:
    """Whether a message holds other results of the calls whose results the given one holds."""
    ids = [result.call_id for result in made.results]
    return bool(ids) and ids == [result.call_id for result in given.results]


def _mapping(item: Any) -> bool:
    return isinstance(item, Mapping)


def _takes(function: Callable[..., Any], name: str, required: bool = False) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    if name not in parameters:
        return False
    return not required or parameters[name].default is inspect.Parameter.empty
