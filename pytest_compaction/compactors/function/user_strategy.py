"""Strategies that a user names: a function, an object or class with ``compact``, an object of a
framework (see :mod:`.frameworks`), or a function without parameters that makes one of these."""

from __future__ import annotations

import copy
import inspect
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.compactors.function.compactor import (
    INSIDE,
    OUTSIDE,
    FunctionCompactor,
    called,
)
from pytest_compaction.compactors.function.frameworks import (
    node_call,
    object_call,
    store_kind,
    takes_state,
)
from pytest_compaction.compactors.function.shapes import SHAPES
from pytest_compaction.compactors.function.signatures import (
    MESSAGES,
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

SESSION_ID: Final = "session_id"
"""Arguments with which the classes of the Agents SDK are made."""
SYSTEM: Final = "system"
"""The parameter that says where the system prompt is; it is the user's where it says else."""
_WAY_ON: Final = (
    ". A function around it works: def compact(messages, budget), which calls it and returns the "
    "messages to go on with"
)
METHODS: Final = ("start", "observe", "due", "compact", "render")


def strategy_of(spec: Spec, target: Any) -> Compactor[State]:
    """A fresh strategy of what the user names, with its parameters.

    Raises :class:`UnknownCompactorError` with a sentence that says what was understood.
    """
    if isinstance(target, MethodOf):
        names = [name for name, _ in spec.parameters]
        first = [name for name in names if takes(target.owner, name)]
        made = instance_of(spec.only(first), target.owner)
        return _function(spec.only({*names} - {*first}), getattr(made, target.name))
    factory = _makes_one(target)
    if factory:
        target = instance_of(spec.only(()), target)
    if inspect.isclass(target):
        return _of_class(spec, target)
    store = "" if factory or _is_protocol(target) else store_kind(target)
    if store:
        try:
            target = copy.deepcopy(target)
        except Exception:  # an object may raise anything when it is copied
            raise UnknownCompactorError(
                f"{spec.target!r} is one {store} for all cases, which would mix their "
                "messages; name its class, or a function without parameters that makes one:\n"
                f"    def make_{store}():\n"
                f"        return {type(target).__name__}(...)  # as {spec.target} is made"
            ) from None
    return _of_object(spec, target)


def _of_class(spec: Spec, target: Any) -> Compactor[State]:
    """A strategy of a class; its instance takes the parameters that its method does not."""
    session = store_kind(target)
    if not (_has_simple_compact(target) or session or _is_called(target)):
        return _of_object(spec.only(()), instance_of(spec, target), spec.target)
    names = [name for name, _ in spec.parameters]
    first = spec.only([name for name in names if takes(target, name)])
    rest = spec.only([name for name in names if not takes(target, name)])
    if session:
        if SESSION_ID not in names and takes(target, SESSION_ID):
            first = replace(first, parameters=((SESSION_ID, "case"), *first.parameters))
    else:
        method = target.compact if _has_simple_compact(target) else target.__call__
        own = (name for name, _ in rest.parameters if name not in _ours(rest))
        nobodys = [name for name in own if not takes(method, name)]
        if nobodys:
            refuse(spec, no_such_parameter(nobodys, target))
    return _of_object(rest, instance_of(first, target))


def _of_object(spec: Spec, made: Any, class_name: str = "") -> Compactor[State]:
    """A strategy of an object: itself, its ``compact``, its session, or a call of it."""
    if _is_protocol(made) and hasattr(made, "name") and hasattr(made, "traits"):
        if spec.parameters:
            names = ", ".join(name for name, _ in spec.parameters)
            refuse(spec, f"it takes no parameters: {names}")
        strategy: Compactor[State] = made
        return strategy
    ours = _ours(spec)
    own = {name: value for name, value in spec.parameters if name not in ours}
    try:
        call = object_call(made, spec.target, own)
    except ValueError as error:
        raise UnknownCompactorError(str(error)) from None
    if call is not None:
        return _function(spec.only(ours), call)
    if _has_simple_compact(made):
        return _function(spec, made.compact, inspect.getdoc(made))
    if class_name and not callable(called(made)):
        missing = [name for name in METHODS if not callable(getattr(made, name, None))]
        missing += [name for name in ("name", "traits") if not hasattr(made, name)]
        raise UnknownCompactorError(
            f"{class_name!r} is not a compactor: it has no {', '.join(missing)}; a class with a "
            f"method compact(messages, budget) is enough{_WAY_ON}"
        )
    return _function(spec, made)


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


def _function(spec: Spec, target: Any, description: str | None = None) -> Compactor[State]:
    ours = _ours(spec)
    own = {key: value for key, value in spec.parameters if key not in ours}
    if takes_state(target):
        target, own = node_call(target, own), {}
    function: Any = called(target)
    if not callable(function):
        raise UnknownCompactorError(
            f"{spec.target!r} is {type(target).__name__}; expected a function over messages "
            f"and a budget, or a compactor class{_WAY_ON}"
        )
    try:
        typed = as_annotated(own, dict(spec.written), function)
        shape, system = ours.get(MESSAGES), ours.get(SYSTEM)
        made = FunctionCompactor(spec.target, target, typed, shape, system)
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
            f"{_WAY_ON}"
        )
    return made


def _ours(spec: Spec) -> dict[str, Any]:
    """The parameters that are for the plugin: the shape, and the place of the system prompt."""
    return {
        name: value
        for name, value in spec.parameters
        if name == MESSAGES or (name == SYSTEM and value in {INSIDE, OUTSIDE})
    }
