"""What a user brings as a strategy: a function, an object or class with ``compact``, a session,
or a function without parameters that makes one of these."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.compactors.function.compactor import FunctionCompactor, called
from pytest_compaction.compactors.function.message_shapes.shapes import SHAPES
from pytest_compaction.compactors.function.sessions import SESSION_ID, SessionCall, is_session
from pytest_compaction.compactors.function.signatures import (
    as_annotated,
    no_number,
    no_such_parameter,
    signature_of,
)
from pytest_compaction.compactors.own_code import MethodOf, raised
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.text import printable

METHODS: Final = ("start", "observe", "due", "compact", "render")
_SHAPE: Final = "messages"
"""The parameter that names the shape of messages; it is not the user's."""
_ONE_FOR_ALL: Final = (
    "is one session for all cases, which would mix their items; name its class, or a function "
    "without parameters that makes one"
)


@dataclass(frozen=True, slots=True)
class Given:
    """The parameters of a specification: their values, and as they were typed."""

    values: Mapping[str, Any]
    written: Mapping[str, str]

    @classmethod
    def of(cls, spec: Spec) -> Given:
        """All parameters of a specification."""
        return cls(dict(spec.parameters), dict(spec.written))

    def divided(self, target: Callable[..., Any]) -> tuple[Given, Given]:
        """Those that a class takes when an instance is made, and the rest."""
        own = {name for name in self.values if name != _SHAPE or _takes(target, name)}
        taken = {name for name in own if _takes(target, name)}
        first = {name: value for name, value in self.values.items() if name in taken}
        rest = {name: value for name, value in self.values.items() if name not in taken}
        return Given(first, self.written), Given(rest, self.written)


def strategy_of(spec: Spec, target: Any) -> Compactor[State]:
    """A fresh strategy of what was brought, with its parameters.

    Raises :class:`UnknownCompactorError` with a sentence that says what was understood.
    """
    given = Given.of(spec)
    if isinstance(target, MethodOf):
        first, rest = given.divided(target.owner)
        return _function(spec, getattr(_made(spec, target.owner, first), target.name), rest)
    if inspect.isclass(target):
        return _of_class(spec, target, given)
    if _makes_one(target):
        made = _made(spec, target, Given({}, {}))
        if inspect.isclass(made):
            return _of_class(spec, made, given)
        return _of_object(spec, made, given)
    if is_session(target) and not _is_protocol(target):
        raise UnknownCompactorError(f"{spec.target!r} {_ONE_FOR_ALL}")
    return _of_object(spec, target, given)


def _of_class(spec: Spec, target: Any, given: Given) -> Compactor[State]:
    """A strategy of a class; its instance takes the parameters that its method does not."""
    if not (_has_simple_compact(target) or is_session(target) or _is_called(target)):
        return _of_object(spec, _made(spec, target, given), Given({}, {}), spec.target)
    first, rest = given.divided(target)
    if is_session(target) and SESSION_ID not in first.values and _takes(target, SESSION_ID):
        first = Given({SESSION_ID: "case", **first.values}, first.written)
    if not is_session(target):
        method = target.compact if _has_simple_compact(target) else target.__call__
        nobodys = [name for name in rest.values if name != _SHAPE and not _takes(method, name)]
        if nobodys:
            _refuse(spec, no_such_parameter(nobodys, target))
    return _of_object(spec, _made(spec, target, first), rest)


def _of_object(spec: Spec, made: Any, given: Given, class_name: str = "") -> Compactor[State]:
    """A strategy of an object: itself, its ``compact``, its session, or a call of it."""
    if _is_protocol(made) and hasattr(made, "name") and hasattr(made, "traits"):
        if given.values:
            _refuse(spec, f"it takes no parameters: {', '.join(given.values)}")
        strategy: Compactor[State] = made
        return strategy
    if is_session(made):
        own = {name: value for name, value in given.values.items() if name != _SHAPE}
        shape = {name: value for name, value in given.values.items() if name == _SHAPE}
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


def _takes(target: Any, name: str) -> bool:
    signature = signature_of(target)
    if signature is None:
        return False
    parameters = signature.parameters.values()
    return name in signature.parameters or any(p.kind is p.VAR_KEYWORD for p in parameters)


def _made(spec: Spec, target: Any, given: Given) -> Any:
    try:
        wrong = no_such_parameter(given.values, target)
        if not wrong:
            values = as_annotated(given.values, given.written, target)
            made = target(**values)
            wrong = no_number(values, target)
            if not wrong:
                return made
    except ValueError as error:
        wrong = printable(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, and what skips a test
        wrong = raised(error)
    ours = getattr(target, "__module__", "").partition(".")[0] == __name__.partition(".")[0]
    untaken = [
        f"{spec.target}:{name}" for name in given.values if ours and not _takes(target, name)
    ]
    return _refuse(spec, wrong, tuple(untaken))


def _refuse(spec: Spec, wrong: str, untaken: tuple[str, ...] = ()) -> Any:
    what = "does not take these parameters" if spec.parameters else "cannot be made"
    raise UnknownCompactorError(f"the compactor {spec.text!r} {what}: {wrong}", untaken)


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
    own = {key: value for key, value in given.values.items() if key != _SHAPE}
    try:
        typed = as_annotated(own, given.written, function)
        made = FunctionCompactor(spec.target, target, typed, given.values.get(_SHAPE))
    except ValueError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r}: {printable(str(error))}"
        ) from None
    if description:
        made.description = description.splitlines()[0]
    wrong = no_such_parameter(own, function, made.handed_in) or no_number(typed, function)
    try:
        made.check_call()
    except TypeError as error:
        shapes = f"messages={'|'.join(SHAPES[1:])} names other message objects"
        wrong = wrong or f"{printable(str(error))}; {shapes}"
    if wrong:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be called as {made.call_form}: {wrong}"
        )
    return made
