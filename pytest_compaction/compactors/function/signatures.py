"""Parameters from the command line, held against the signature that is to take them, and given."""

from __future__ import annotations

import difflib
import inspect
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin

from pytest_compaction.compactors.own_code import raised
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.text import printable

MESSAGES: Final = "messages"
"""The parameter that names the shape of messages; it is not the user's."""
_BY_NAME: Final = frozenset(
    {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
)


def instance_of(spec: Spec, target: Any) -> Any:
    """Make a strategy by a class or function, with the parameters of the specification.

    Raises :class:`UnknownCompactorError` with a sentence if they do not fit.
    """
    given = dict(spec.parameters)
    try:
        wrong = no_such_parameter(given, target)
        if not wrong:
            values = as_annotated(given, dict(spec.written), target)
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
    untaken = [f"{spec.target}:{name}" for name in given if ours and not takes(target, name)]
    return refuse(spec, wrong, tuple(untaken))


def refuse(spec: Spec, wrong: str, untaken: tuple[str, ...] = ()) -> Any:
    """Raise :class:`UnknownCompactorError` for parameters that do not fit."""
    what = "does not take these parameters" if spec.parameters else "cannot be made"
    raise UnknownCompactorError(f"the compactor {spec.text!r} {what}: {wrong}", untaken)


def takes(target: Any, name: str) -> bool:
    """Whether a function or class has a parameter of that name."""
    signature = signature_of(target)
    if signature is None:
        return False
    parameters = signature.parameters.values()
    return name in signature.parameters or any(p.kind is p.VAR_KEYWORD for p in parameters)


def no_such_parameter(
    given: Collection[str], target: Callable[..., Any], handed_in: Collection[str] = ()
) -> str:
    """A sentence on the first name that the target does not take, and on those it takes.

    Empty if it takes all of them, or if its signature is unknown. ``handed_in`` are
    parameters that the plugin passes, so that the sentence leaves them out.
    """
    signature = signature_of(target)
    if signature is None:
        return ""
    parameters = signature.parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return ""
    named = [parameter.name for parameter in parameters if parameter.kind in _BY_NAME]
    unknown = next((name for name in given if name not in named), None)
    if unknown is None:
        return ""
    there = sorted(set(named) - set(handed_in))
    near = difflib.get_close_matches(unknown, there, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"there is no {unknown!r}; {hint}it takes {', '.join(there) or 'no parameters'}"


def as_annotated(
    given: Mapping[str, Any], written: Mapping[str, str], target: Callable[..., Any]
) -> dict[str, Any]:
    """The given values; a parameter that is annotated as text gets the text as typed.

    ``written`` holds the values before they were read as Python: for a ``str`` parameter,
    ``yes`` is not a truth value and ``5`` is not a number.
    """
    signature = signature_of(target)
    typed = dict(given)
    if signature is None:
        return typed
    for name, value in given.items():
        parameter = signature.parameters.get(name)
        if parameter is None or isinstance(value, str) or name not in written:
            continue
        none = value is None and types.NoneType in get_args(parameter.annotation)
        if is_text(parameter.annotation) and not none:
            typed[name] = written[name]
    return typed


def no_number(values: Mapping[str, Any], target: Callable[..., Any]) -> str:
    """A sentence on the first value that is no number where one is expected; empty if all fit.

    A number is expected where the annotation is ``int`` or ``float``, with ``None`` or without,
    or where there is no annotation and the default is a number.
    """
    signature = signature_of(target)
    for name, value in values.items():
        parameter = signature.parameters.get(name) if signature is not None else None
        kinds = _numbers(parameter) if parameter is not None else []
        if not kinds or (value is None and types.NoneType in kinds):
            continue
        if not isinstance(value, int | float):
            return f"{name}={value} is not a number"
        if isinstance(value, float) and float not in kinds:
            return f"{name}={value} is not a whole number"
    return ""


def _numbers(parameter: inspect.Parameter) -> list[Any]:
    """The kinds of numbers that a parameter takes, and ``None``; empty if it takes others too."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return [int, float] if type(parameter.default) in {int, float} else []
    union = get_origin(annotation) in {Union, types.UnionType}
    kinds = list(get_args(annotation)) if union else [annotation]
    fit = all(kind in (int, float, types.NoneType) for kind in kinds)
    return kinds if fit and kinds != [types.NoneType] else []


def signature_of(target: Callable[..., Any]) -> inspect.Signature | None:
    """The signature, its annotations evaluated if they can be; ``None`` if it has none."""
    try:
        return inspect.signature(target, eval_str=True)
    except Exception:  # an annotation may be anything, and need not exist
        try:
            return inspect.signature(target)
        except (TypeError, ValueError):
            return None


def is_text(annotation: Any) -> bool:
    """Whether an annotation allows only text, or text and ``None``."""
    if get_origin(annotation) is Literal:
        return all(isinstance(choice, str) for choice in get_args(annotation))
    if get_origin(annotation) in {Union, types.UnionType}:
        rest = [part for part in get_args(annotation) if part is not types.NoneType]
        return all(map(is_text, rest))
    return annotation is str or annotation == "str"
