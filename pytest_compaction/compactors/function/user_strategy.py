"""Strategies that a user names: a function, an object or class with ``compact``, a session,
or a function without parameters that makes one of these.

A session compacts what it holds, such as those of OpenAI's Agents SDK; it is told by its methods:
``add_items``, ``get_items``, and ``run_compaction`` or ``compact``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.compactors.function.arguments import arguments_for
from pytest_compaction.compactors.function.compactor import FunctionCompactor, called
from pytest_compaction.compactors.function.shapes import SHAPES
from pytest_compaction.compactors.function.signatures import (
    MESSAGES,
    Given,
    as_annotated,
    instance_of,
    no_number,
    no_such_parameter,
    refuse,
    signature_of,
    takes,
)
from pytest_compaction.compactors.own_code import MethodOf
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.text import printable

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
        name = next(n for n in _COMPACTIONS if callable(getattr(session, n, None)))
        self._compaction = getattr(session, name)
        self._forced = name == _COMPACTIONS[0]
        self.understood = (
            f"is a session: items are added, {name} is called, and the items left are the view"
        )

    async def __call__(self, items: list[Any], budget: int) -> Any:
        """The items with which the session goes on."""
        clear = getattr(self._session, "clear_session", None)
        if callable(clear):
            await _awaited(clear())
        await _awaited(self._session.add_items(items))
        returned = await _awaited(self._compacted(budget))
        if isinstance(returned, list):
            return returned
        return list(await _awaited(self._session.get_items()))

    def _compacted(self, budget: int) -> Any:
        placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(self._compaction).parameters.values()
        if self._forced and any(parameter.kind in placed for parameter in parameters):
            # A session may wait for more turns, and the case says that it is time now.
            return self._compaction({"force": True}, **self._parameters)
        wanted = arguments_for(self._compaction, self._parameters, "responses")
        given = (*wanted.placed, *wanted.named)
        named = {name: budget for name, role in given if role == "budget"}
        return self._compaction(**named, **self._parameters)


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


METHODS: Final = ("start", "observe", "due", "compact", "render")


def strategy_of(spec: Spec, target: Any) -> Compactor[State]:
    """A fresh strategy of what the user names, with its parameters.

    Raises :class:`UnknownCompactorError` with a sentence that says what was understood.
    """
    given = Given.of(spec)
    if isinstance(target, MethodOf):
        first, rest = given.divided(target.owner)
        made = instance_of(spec, target.owner, first)
        return _function(spec, getattr(made, target.name), rest)
    factory = _makes_one(target)
    if factory:
        target = instance_of(spec, target, Given({}, {}))
    if inspect.isclass(target):
        return _of_class(spec, target, given)
    if is_session(target) and not factory and not _is_protocol(target):
        raise UnknownCompactorError(
            f"{spec.target!r} is one session for all cases, which would mix their items; name its "
            "class, or a function without parameters that makes one"
        )
    return _of_object(spec, target, given)


def _of_class(spec: Spec, target: Any, given: Given) -> Compactor[State]:
    """A strategy of a class; its instance takes the parameters that its method does not."""
    if not (_has_simple_compact(target) or is_session(target) or _is_called(target)):
        return _of_object(spec, instance_of(spec, target, given), Given({}, {}), spec.target)
    first, rest = given.divided(target)
    if is_session(target) and SESSION_ID not in first.values and takes(target, SESSION_ID):
        first = Given({SESSION_ID: "case", **first.values}, first.written)
    if not is_session(target):
        method = target.compact if _has_simple_compact(target) else target.__call__
        nobodys = [name for name in rest.values if name != MESSAGES and not takes(method, name)]
        if nobodys:
            refuse(spec, no_such_parameter(nobodys, target))
    return _of_object(spec, instance_of(spec, target, first), rest)


def _of_object(spec: Spec, made: Any, given: Given, class_name: str = "") -> Compactor[State]:
    """A strategy of an object: itself, its ``compact``, its session, or a call of it."""
    if _is_protocol(made) and hasattr(made, "name") and hasattr(made, "traits"):
        if given.values:
            refuse(spec, f"it takes no parameters: {', '.join(given.values)}")
        strategy: Compactor[State] = made
        return strategy
    if is_session(made):
        own = {name: value for name, value in given.values.items() if name != MESSAGES}
        shape = {name: value for name, value in given.values.items() if name == MESSAGES}
        return _function(spec, SessionCall(made, own), Given(shape, {}))
    if _has_simple_compact(made):
        return _function(spec, made.compact, given, inspect.getdoc(made))
    if class_name and not callable(called(made)):
        missing = [name for name in METHODS if not callable(getattr(made, name, None))]
        missing += [name for name in ("name", "traits") if not hasattr(made, name)]
        raise UnknownCompactorError(
            f"{class_name!r} is not a compactor: it has no {', '.join(missing)}; a class with a "
            "method compact(messages, budget) is enough"
        )
    return _function(spec, made, given)


def _is_protocol(thing: Any) -> bool:
    return all(callable(getattr(thing, name, None)) for name in METHODS)


def _has_simple_compact(thing: Any) -> bool:
    """Whether ``compact`` takes messages: not that of the protocol, which takes a state."""
    method = getattr(thing, "compact", None)
    if not callable(method) or _is_protocol(thing):
        return False
    signature = signature_of(method)
    names = [] if signature is None else [name for name in signature.parameters if name != "self"]
    return bool(names) and names[:2] != ["state", "context"]


def _is_called(target: type) -> bool:
    """Whether the instances of a class are functions over messages: they have ``__call__``."""
    return not _is_protocol(target) and inspect.isfunction(
        inspect.getattr_static(target, "__call__", None)
    )


def _makes_one(target: Any) -> bool:
    """Whether a function cannot take messages, and so must be meant to make what can."""
    if not inspect.isfunction(target) or inspect.iscoroutinefunction(target):
        return False
    signature = signature_of(target)
    return signature is not None and not signature.parameters


def _function(
    spec: Spec, target: Any, given: Given, description: str | None = None
) -> Compactor[State]:
    """A strategy from a function or callable object over messages."""
    function: Any = called(target)
    if not callable(function):
        raise UnknownCompactorError(
            f"{spec.target!r} is {type(target).__name__}; expected a function over messages "
            "and a budget, or a compactor class"
        )
    own = {key: value for key, value in given.values.items() if key != MESSAGES}
    try:
        typed = as_annotated(own, given.written, function)
        made = FunctionCompactor(spec.target, target, typed, given.values.get(MESSAGES))
    except ValueError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r}: {printable(str(error))}"
        ) from None
    if description:
        made.description = description.splitlines()[0]
    wrong = no_such_parameter(own, function, made.arguments.names) or no_number(typed, function)
    try:
        made.check_call()
    except TypeError as error:
        shapes = f"messages={'|'.join(SHAPES[1:])} names other message objects"
        wrong = wrong or f"{printable(str(error))}; {shapes}"
    if wrong:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be called as {made.arguments.form}: {wrong}"
        )
    return made
