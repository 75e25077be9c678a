"""Wraps a plain function over chat messages as a compactor.

The function is called as ``f(messages, budget)`` with OpenAI chat dictionaries
and the number of tokens that the view may take, and returns the messages to go
on with. It may be async; a parameter ``model`` receives the model of the run, and
further keyword parameters come from the command line.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_compaction.chat_format import (
    ChatMessage,
    MessageShapeError,
    message_from_chat,
    message_to_chat,
)
from pytest_compaction.compactors.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message


class CompactorError(Exception):
    """A compactor broke its contract; the text says how, in one sentence or a few lines."""


class FunctionCompactor(HistoryCompactor):
    """A function ``compact(messages, budget) -> messages`` as a strategy."""

    traits = Traits()

    def __init__(
        self, name: str, function: Callable[..., Any], parameters: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.description = (inspect.getdoc(function) or "a function").splitlines()[0]
        self._function = function
        self._parameters = dict(parameters)
        self._takes_model = _takes(function, "model")

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Call the function with fresh dictionaries and check what it returns."""
        before = load(state["messages"])
        given = [message_to_chat(message) for message in before]
        extra = dict(self._parameters)
        if self._takes_model:
            extra["model"] = context.model
        returned = self._function(copy.deepcopy(given), context.budget, **extra)
        if inspect.isawaitable(returned):
            returned = await returned
        cycle = int(state.get("cycle", 0)) + 1
        after = self._messages(returned, before, given, cycle)
        if after == before:
            return unchanged(state)
        new = [message.id for message in after if message.origin == "synthetic"]
        spans = spans_between(before, after, new[0] if new else None)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    def _messages(
        self, returned: Any, before: Sequence[Message], given: Sequence[ChatMessage], cycle: int
    ) -> tuple[Message, ...]:
        """Recognise kept messages (equal to one given, in order) and name the new ones."""
        if returned is None:
            raise CompactorError(
                f"{self.name} returned None; expected the list of chat messages to go on with"
            )
        if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Sequence):
            raise CompactorError(
                f"{self.name} returned {type(returned).__name__}; expected a list of chat messages"
            )
        if not returned and before:
            raise CompactorError(f"{self.name} returned no messages at all")
        result: list[Message] = []
        position = 0
        for index, item in enumerate(returned):
            match = next((i for i in range(position, len(given)) if given[i] == item), None)
            if match is not None:
                result.append(before[match])
                position = match + 1
                continue
            try:
                id = f"{self.name.rpartition(':')[2]}-{cycle}-{index}"
                plain = {k: v for k, v in item.items() if k != "id"} if _mapping(item) else item
                result.append(message_from_chat(plain, id, f"message {index}", "synthetic"))
            except MessageShapeError as error:
                raise CompactorError(f"{self.name} returned a wrong message: {error}") from None
        return tuple(result)


def _mapping(item: Any) -> bool:
    return isinstance(item, Mapping)


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in parameters
