"""Wraps a plain function over messages as a compactor.

The function gets OpenAI chat dictionaries and the number of tokens that the view may take, and
returns the messages to go on with. It may be async. The names of its parameters tell what it
wants (see :mod:`.arguments`): the model of the run (:class:`FunctionModel`), what
it returned the last time, a state of its own; further keyword parameters come from the command
line.

A function over other message objects (see :mod:`.shapes`) is recognised by the
annotation of its parameter or named by ``messages=langchain``. An object with ``invoke`` is
called through that.
"""

from __future__ import annotations

import copy
import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.summaries import sections_of, write_summary
from pytest_compaction.compactors.function.arguments import (
    Role,
    arguments_for,
    messages_parameter,
)
from pytest_compaction.compactors.function.shapes import (
    CHAT,
    Shape,
    added,
    hint_on,
    removes,
    run_context,
    shape_named,
    shape_of,
)
from pytest_compaction.compactors.protocol import CompactorError, Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, ToolResult, leading_system, text_message
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.models import ModelError, SummaryReply, SummaryRequest

_NOTES: Final = sections_of("notes")
INSIDE: Final = "inside"
OUTSIDE: Final = "outside"
"""Where the system prompt is: among the messages of a function, or kept before its view."""
_CALL: Final = "model.summarize(messages, instructions=..., max_tokens=...)"


class FunctionModel:
    """The ``model`` that a function over messages gets.

    Whatever else the model of the run offers is there under its own name.
    """

    def __init__(self, context: Context, shape: Shape) -> None:
        self._context = context
        self._shape = shape

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._context.model, name)

    async def summarize(
        self, messages: Any, *, instructions: str = "", max_tokens: int | None = None
    ) -> str | SummaryReply:
        """A summary of ``messages`` as text: a list of notes, one a line.

        ``messages`` is a text, or messages as the function was given them; chat dictionaries are
        always taken. ``instructions`` say what matters most. The summary has at most
        ``max_tokens`` tokens, by default half of the budget of the view. A request of the
        package (:class:`SummaryRequest`) goes to the model as it is and gives its reply.

        Raises :class:`ModelError` if the model gives no summary, and ``TypeError`` or
        ``ValueError`` with a sentence for arguments that it cannot take.
        """
        if isinstance(messages, SummaryRequest):
            return await self._context.model.summarize(messages)
        if not isinstance(instructions, str):
            raise TypeError(
                f"instructions is {type(instructions).__name__}; expected text, as in {_CALL}"
            )
        if max_tokens is None:
            max_tokens = max(1, self._context.budget // 2)
        elif isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
            raise ValueError(
                f"max_tokens is {max_tokens!r}; expected a whole number of tokens from 1 on"
            )
        read = self._read(messages)
        written = await write_summary(self._context, read, _NOTES, max_tokens, None, instructions)
        if written.error is not None:
            raise ModelError(written.error)
        if written.summary.as_written:
            return written.text
        return "\n".join(f"- {note}" for note in written.summary.of(_NOTES[0].id))

    def _read(self, given: Any) -> tuple[Message, ...]:
        """A text as what a user said, or messages of whichever shape."""
        if isinstance(given, str) and given.strip():
            return (text_message("m0", "user", given),)
        if isinstance(given, bytes | dict) or not isinstance(given, Sequence):
            raise TypeError(
                f"model.summarize got {type(given).__name__}; expected a text or a list of "
                f"messages, as in {_CALL}"
            )
        if not given or isinstance(given, str):
            raise ValueError("model.summarize got nothing to summarise")
        if all(isinstance(item, Message) for item in given):
            return tuple(given)
        try:
            read = self._shape.read(given)
        except MessageShapeError as error:
            raise ValueError(f"model.summarize got a wrong message: {error}") from None
        return tuple(replace(message, id=f"m{n}") for n, message in enumerate(read))


_PREVIOUS: Final = "previous"
_OWN: Final = "own"
"""Where the state keeps what the function returned, and its own state."""


class FunctionCompactor(HistoryCompactor):
    """A function over messages as a strategy.

    ``messages`` names the shape of the objects that it takes; without it the
    annotation of its parameter decides, and chat dictionaries are the default. ``system`` says
    whether the system prompt stands ``inside`` or ``outside`` these messages; without it, where
    the product has it. Raises ``ValueError`` for an unknown shape or place.
    """

    traits = Traits()

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        parameters: Mapping[str, Any],
        messages: str | None = None,
        system: str | None = None,
    ) -> None:
        self.name = name
        whole = function
        while isinstance(whole, functools.partial):  # which has no docstring of its own
            whole = whole.func
        self.description = (inspect.getdoc(whole) or "a function").splitlines()[0]
        self._function = called(function)
        self._parameters = dict(parameters)
        invoked = hasattr(function, "invoke") and self._function is not function
        told = getattr(function, "messages_shape", None)
        default = told or ("langchain" if invoked else "")
        parameter = messages_parameter(self._function)
        self._shape = shape_named(messages or default or shape_of(parameter))
        outside = getattr(function, "system_outside", self._shape.keeps_system)
        self._outside = outside if system is None else system == OUTSIDE
        if self._shape.name == "anthropic" and not self._outside:
            raise ValueError("system=inside has no place among Anthropic's messages; leave it out")
        self.arguments = arguments_for(
            self._function, self._parameters, self._shape.name, self._outside
        )
        self.takes_model = "model" in self.arguments.roles
        self.takes_budget = getattr(function, "takes_budget", "budget" in self.arguments.roles)

    def check_call(self) -> None:
        """Raise ``TypeError`` if the function cannot take the arguments that it would get."""
        if self.arguments.missing:
            raise TypeError(self.arguments.missing)
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):
            return  # some functions written in C have no signature
        nothing: dict[Role, None] = dict.fromkeys(self.arguments.roles)
        self.arguments.call(signature.bind, nothing, self._parameters)

    @property
    def module_coroutine(self) -> Callable[..., Any] | None:
        """The function, if it is async and a global of its module; else ``None``."""
        function = self._function
        if not inspect.isfunction(function) or not inspect.iscoroutinefunction(function):
            return None
        return None if "<locals>" in function.__qualname__ else function

    @property
    def understood(self) -> str:
        """How the function is called, and with what, as a part of a sentence."""
        told = getattr(self._function, "understood", "") or f"is called as {self.arguments.form}"
        place = OUTSIDE if self._outside else INSIDE
        return f"{told} with {self._shape.title}; the system prompt is {place} (system={place})"

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Call the function with fresh objects and check what it returns.

        If the model cannot answer, the compaction fails; that is not a fault of the function.
        """
        before = load(state["messages"])
        start = leading_system(before) if self._outside else 0
        if self._shape.name != "anthropic":  # a summary may be a system message, and is no prompt
            start = next((n for n in range(start) if before[n].origin != "log"), start)
        kept, given = before[:start], before[start:]
        own = copy.deepcopy(state.get(_OWN, {}))
        try:
            returned = self._called(state, own, before, start, context)
            if inspect.isawaitable(returned):
                returned = await returned
        except ModelError as error:
            return unchanged(state, str(error))
        if "state" in self.arguments.roles and isinstance(returned, tuple) and len(returned) == 2:
            returned, own = returned
        cycle = int(state.get("cycle", 0)) + 1
        known = self._shape.read(self._shape.given(given))
        after = (*kept, *self._messages(returned, given, known, cycle))
        kept_on: State = {}  # for the next call of the function
        if "previous" in self.arguments.roles:
            kept_on[_PREVIOUS] = dump(after)
        if "state" in self.arguments.roles:
            try:
                kept_on[_OWN] = json.loads(json.dumps(own))
            except (TypeError, ValueError) as error:
                raise CompactorError(
                    f"{self.name}: its state cannot be kept, because it is not JSON: {error}"
                ) from None
        if after == before and all(state.get(key) == kept_on[key] for key in kept_on):
            return unchanged(state)
        new = [message.id for message in after if message.origin == "synthetic"]
        spans = spans_between(before, after, new[0] if new else None)
        left = {"messages": dump(after), "cycle": cycle, **kept_on}
        return Outcome(left, "noop" if after == before else "compacted", spans)

    def _called(
        self, state: State, own: Any, before: Sequence[Message], start: int, context: Context
    ) -> Any:
        previous = state.get(_PREVIOUS)
        used = context.tokens.messages(before)
        values: dict[Role, Any] = {
            "messages": self._shape.given(before[start:]),
            "budget": context.budget,
            "model": FunctionModel(context, self._shape),
            "previous": None if previous is None else self._shape.given(load(previous)[start:]),
            "state": own,
            "system": "\n".join(message.text for message in before[:start]),
            "context": run_context(used, context.budget),
        }
        return self.arguments.call(self._function, values, self._parameters)

    def _messages(
        self, returned: Any, before: Sequence[Message], given: Sequence[Message], cycle: int
    ) -> tuple[Message, ...]:
        """Recognise kept messages (equal to one given, in order) and name the new ones.

        Another result of a call whose result was given is that message, masked.
        """
        result: list[Message] = []
        position = 0
        items = self._listed(returned, before)
        for index, made in enumerate(self._read(items)):
            after = range(position, len(given))
            same = (i for i in after if given[i].role == made.role and given[i].parts == made.parts)
            match = next(same, None)
            if match is not None:
                result.append(before[match])
                position = match + 1
                continue
            hint = hint_on(items[index]) if self._shape.name == CHAT else ""
            if hint:
                raise self._wrong(f"message {index} {hint}")
            id = f"{self.name.rpartition(':')[2]}-{cycle}-{index}"
            made = replace(made, id=id, origin="synthetic")
            ids = [each.call_id for each in made.results]
            results = ((i, [each.call_id for each in before[i].results]) for i in after)
            masked = next((i for i, given_ids in results if ids and ids == given_ids), None)
            if masked is not None:
                old = before[masked]
                made = replace(made, id=old.id, origin=old.origin)
                if self._shape.lacks_errors:  # those fail that failed
                    failed = {each.call_id for each in old.results if each.is_error}
                    parts = (
                        replace(p, is_error=p.call_id in failed) if isinstance(p, ToolResult) else p
                        for p in made.parts
                    )
                    made = replace(made, parts=tuple(parts))
                position = masked + 1
            result.append(made)
        return tuple(result)

    def _listed(self, returned: Any, before: Sequence[Message]) -> Sequence[Any]:
        """The returned objects; the list may be under ``messages``."""
        what = "chat messages" if self._shape.name == CHAT else f"{self._shape.name} messages"
        if returned is None:
            raise CompactorError(
                f"{self.name} returned None; expected the list of {what} to go on with"
            )
        if self._shape.name != CHAT:
            if isinstance(returned, Mapping):
                returned = returned.get("messages", returned)
            else:
                returned = getattr(returned, "messages", returned)
            if isinstance(returned, Sequence) and any(map(removes, returned)):
                returned = added(self._shape.given(before), returned)
        if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Sequence):
            raise CompactorError(
                f"{self.name} returned {type(returned).__name__}; expected a list of {what}"
            )
        if not returned and before:
            raise CompactorError(f"{self.name} returned no messages at all")
        return returned

    def _read(self, items: Sequence[Any]) -> list[Message]:
        try:
            return self._shape.read(items)
        except MessageShapeError as error:
            hints = (hint_on(item) for item in items if self._shape.name == CHAT)
            hint = next(filter(None, hints), "")
            raise self._wrong(f"{error}; it {hint}" if hint else str(error)) from None

    def _wrong(self, fault: str) -> CompactorError:
        """The error for a returned message; foreign ones come with the parameter that helps."""
        said = f"{self.name} returned a wrong message: {fault}"
        return CompactorError(said.replace("NAME", self.name))


def called(target: Any) -> Any:
    """The callable of an object: the object itself, its ``invoke``, or the function it holds.

    ``invoke`` is LangChain's way, ``processor`` that of pydantic-ai's capability.
    """
    for name in ("invoke", "processor"):
        if not callable(target) and callable(getattr(target, name, None)):
            return getattr(target, name)
    return target
