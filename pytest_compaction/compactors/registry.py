"""Finding a strategy by what the command line says: a name, a ``module:function``, parameters.

Every module of this folder that is not part of the room itself is a strategy: its
file name is its name, and its ``STRATEGY`` the class. Adding one is adding a file.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.compactors.function import FunctionCompactor
from pytest_compaction.compactors.protocol import Compactor, State

ENTRY_POINTS: Final = "pytest_compaction.compactors"
_ROOM: Final = frozenset(
    {
        "composition",
        "cuts",
        "function",
        "history",
        "masking",
        "profiles",
        "protocol",
        "registry",
        "summaries",
    }
)
"""Modules beside the strategies that are none themselves."""
_METHODS: Final = ("start", "observe", "due", "compact", "render")


class UnknownCompactorError(LookupError):
    """There is no such strategy, or it cannot be loaded; the text says what there is."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A strategy as the command line names it: ``name:key=value``, ``module:object:key=value``."""

    text: str
    target: str
    parameters: tuple[tuple[str, Any], ...] = ()

    @property
    def slug(self) -> str:
        """The form used in item ids."""
        return re.sub(r"[^A-Za-z0-9_.:+=]", "_", self.text)


def parse_spec(text: str) -> Spec:
    """Split a specification; a segment with ``=`` is a parameter: a Python literal or text."""
    segments = [segment.strip() for segment in text.strip().split(":")]
    names = [segment for segment in segments if "=" not in segment]
    parameters = [segment.partition("=") for segment in segments if "=" in segment]
    if not names or not all(names) or len(names) > 2:
        raise UnknownCompactorError(
            f"cannot read the compactor {text!r}; write a name, module:function, and :key=value"
        )
    return Spec(
        text.strip(),
        ":".join(names),
        tuple((key.replace("-", "_"), _literal(value)) for key, _, value in parameters),
    )


def _literal(value: str) -> Any:
    lowered = value.strip().casefold()
    if lowered in {"true", "yes", "on"}:
        return True
    if lowered in {"false", "no", "off"}:
        return False
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


@dataclass
class Registry:
    """The strategies that can be named: shipped, from entry points, and added by hooks."""

    added: dict[str, Any] = field(default_factory=dict)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*_shipped(), *self._entry_points(), *self.added})

    def descriptions(self) -> list[tuple[str, str]]:
        """Each name with its one line."""
        lines: list[tuple[str, str]] = []
        for name in self.names():
            try:
                lines.append((name, describe(self._resolve(name))))
            except Exception as error:
                lines.append((name, f"cannot be loaded: {type(error).__name__}: {error}"))
        return lines

    def create(self, spec: Spec) -> Compactor[State]:
        """A fresh instance of the strategy, with its parameters.

        Raises :class:`UnknownCompactorError` with what exists and the nearest name.
        """
        target = self._resolve(spec.target)
        parameters = dict(spec.parameters)
        if inspect.isclass(target) or getattr(target, "makes_compactor", False):
            try:
                made = target(**parameters)
            except Exception as error:
                raise UnknownCompactorError(
                    f"the compactor {spec.text!r} does not take these parameters: {error}"
                ) from None
            missing = [name for name in _METHODS if not callable(getattr(made, name, None))]
            missing += [name for name in ("name", "traits") if not hasattr(made, name)]
            if missing:
                raise UnknownCompactorError(
                    f"{spec.target!r} is no compactor: it has no {', '.join(missing)}"
                )
            result: Compactor[State] = made
            return result
        if all(callable(getattr(target, name, None)) for name in _METHODS):
            instance: Compactor[State] = target
            return instance
        if not callable(target):
            raise UnknownCompactorError(
                f"{spec.target!r} is {type(target).__name__}; expected a function over messages "
                "and a budget, or a compactor class"
            )
        _check_parameters(spec, target, parameters)
        return FunctionCompactor(spec.target, target, parameters)

    def _resolve(self, target: str) -> Any:
        if target in self.added:
            return self.added[target]
        shipped = _shipped()
        if target in shipped:
            return _imported(f"{shipped[target]}:STRATEGY", target)
        points = self._entry_points()
        if target in points:
            return points[target].load()
        if ":" in target:
            return _imported(target, target)
        near = difflib.get_close_matches(target, self.names(), n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownCompactorError(
            f"unknown compactor {target!r}; {hint}there are {', '.join(self.names())}; "
            "your own is named module:function"
        )

    def _entry_points(self) -> Mapping[str, importlib.metadata.EntryPoint]:
        found = importlib.metadata.entry_points(group=ENTRY_POINTS)
        return {point.name: point for point in found}


def _shipped() -> dict[str, str]:
    """Modules of the shipped strategies by name: one a file, ``openai_compact.py`` and the like."""
    package = importlib.import_module(__package__)
    return {
        module.name.strip("_").replace("_", "-"): f"{__package__}.{module.name}"
        for module in pkgutil.iter_modules(package.__path__)
        if module.name not in _ROOM
    }


def describe(target: Any) -> str:
    """One line about a strategy: its ``description``, or the first line of its docstring."""
    text = getattr(target, "description", None) or (inspect.getdoc(target) or "").strip()
    return str(text).splitlines()[0] if text else "(no description)"


def _imported(path: str, asked: str) -> Any:
    module_name, _, attribute = path.partition(":")
    try:
        value: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise UnknownCompactorError(
            f"cannot import the module of the compactor {asked!r}: {type(error).__name__}: {error} "
            "(is its folder on sys.path? the folder where pytest runs is)"
        ) from error
    for name in attribute.split("."):
        if not hasattr(value, name):
            public = [
                n for n in dir(value) if not n.startswith("_") and callable(getattr(value, n))
            ]
            near = difflib.get_close_matches(name, public, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UnknownCompactorError(f"the module {module_name!r} has no {name!r}{hint}")
        value = getattr(value, name)
    return value


def _check_parameters(spec: Spec, function: Callable[..., Any], parameters: dict[str, Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    extra = {**parameters, **({"model": None} if "model" in signature.parameters else {})}
    try:
        signature.bind([], 0, **extra)
    except TypeError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be called as f(messages, budget"
            f"{''.join(f', {key}=…' for key in parameters)}): {error}"
        ) from None
