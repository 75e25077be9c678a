"""Sessions that compact what they hold, such as those of OpenAI's Agents SDK, as functions.

Told by their methods: ``add_items``, ``get_items``, and ``run_compaction`` or ``compact``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.compactors.function.arguments import arguments_for

_COMPACTIONS: Final = ("run_compaction", "compact")
SESSION_ID: Final = "session_id"
"""What the classes of the SDK want to be made with."""


def is_session(thing: Any) -> bool:
    """Whether an object or a class has the methods of a session that compacts."""
    has = [callable(getattr(thing, name, None)) for name in ("add_items", "get_items")]
    return all(has) and any(callable(getattr(thing, name, None)) for name in _COMPACTIONS)


class SessionCall:
    """A session as a function over its items: they are added, compacted, and taken out.

    A session holds nothing from one call to the next.
    """

    messages_shape = "responses"

    def __init__(self, session: Any, parameters: Mapping[str, Any]) -> None:
        self.__doc__ = inspect.getdoc(session) or "a session"
        self._session = session
        self._parameters = dict(parameters)

    @property
    def understood(self) -> str:
        """How it is used, as a part of a sentence."""
        name = next(n for n in _COMPACTIONS if callable(getattr(self._session, n, None)))
        return f"is a session: items are added, {name} is called, and the items left are the view"

    async def __call__(self, items: list[Any], budget: int) -> Any:
        """The items with which the session goes on."""
        clear = getattr(self._session, "clear_session", None)
        if callable(clear):
            await _awaited(clear())
        await _awaited(self._session.add_items(items))
        returned = await _awaited(self._compaction(budget))
        if isinstance(returned, list):
            return returned
        return list(await _awaited(self._session.get_items()))

    def _compaction(self, budget: int) -> Any:
        name = next(n for n in _COMPACTIONS if callable(getattr(self._session, n, None)))
        method = getattr(self._session, name)
        if name == _COMPACTIONS[0] and _places(method):
            # A session may wait for more turns, and the case says that it is time now.
            return method({"force": True}, **self._parameters)
        wanted = arguments_for(method, self._parameters, "responses")
        given = (*wanted.placed, *wanted.named)
        named = {name: budget for name, role in given if role == "budget"}
        return method(**named, **self._parameters)


def _places(method: Any) -> int:
    """How many arguments a method takes by position."""
    parameters = inspect.signature(method).parameters.values()
    placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in placed for parameter in parameters)


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
