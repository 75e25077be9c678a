"""Finding and making the strategy that a specification names (see :mod:`.specs`).

Every module in ``strategies`` and ``products`` is a strategy: the file name is its name,
and ``STRATEGY`` its class. A strategy of several files is a folder of that name with a
module ``strategy``. To add a strategy, add its file or folder; nothing is registered.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import inspect
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from pytest_compaction.compactors.function.compactor import FunctionCompactor, called
from pytest_compaction.compactors.function.signatures import as_annotated, no_such_parameter
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError, parse_spec
from pytest_compaction.text.words import printable

ENTRY_POINTS: Final = "pytest_compaction.compactors"
_FOLDERS: Final = ("strategies", "products")
"""The subpackages with the shipped strategies."""
_METHODS: Final = ("start", "observe", "due", "compact", "render")


@dataclass
class Registry:
    """The strategies that can be named: shipped, from entry points, and added by hooks."""

    added: dict[str, Any] = field(default_factory=dict)
    _traits: dict[str, Any] = field(default_factory=dict)

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
                lines.append((name, f"cannot be loaded: {_raised(error.__cause__ or error)}"))
        return lines

    def create(self, spec: Spec) -> Compactor[State]:
        """A fresh instance of the strategy, with its parameters.

        Raises :class:`UnknownCompactorError` with what exists and the nearest name.
        """
        if spec.parts:
            return self._composed(spec)
        target = self._resolve(spec.target)
        if inspect.isclass(target) or getattr(target, "makes_compactor", False):
            made = _made(spec, target)
            missing = [name for name in _METHODS if not callable(getattr(made, name, None))]
            missing += [name for name in ("name", "traits") if not hasattr(made, name)]
            if missing and callable(made):
                return _function(spec, made, {}, {})
            if missing:
                raise UnknownCompactorError(
                    f"{spec.target!r} is not a compactor: it has no {', '.join(missing)}"
                )
            result: Compactor[State] = made
            return result
        if all(callable(getattr(target, name, None)) for name in _METHODS):
            instance: Compactor[State] = target
            return instance
        return _function(spec, target, dict(spec.parameters), dict(spec.written))

    def traits(self, spec: Spec) -> Any:
        """The traits of a strategy, of which one instance is made once; ``None`` without any.

        Raises :class:`UnknownCompactorError` as :meth:`create` does.
        """
        if spec.text not in self._traits:
            self._traits[spec.text] = getattr(self.create(spec), "traits", None)
        return self._traits[spec.text]

    def is_shipped(self, spec: Spec) -> bool:
        """Whether the code of a strategy is that of this package, which waits for nothing."""
        targets = {part.target for part in spec.parts or (spec,)}
        return targets <= set(_shipped()) and not targets & set(self.added)

    def prompt_only(self, specs: Iterable[Spec]) -> list[tuple[str, str]]:
        """The parameters given that only change what a model is told, each with its strategy."""
        found: dict[tuple[str, str], None] = {}
        for spec in specs:
            for part in spec.parts or (spec,):
                names = getattr(self.traits(part), "prompt_only", ())
                found.update(
                    ((part.target, key), None) for key, _ in part.parameters if key in names
                )
        return list(found)

    def _composed(self, spec: Spec) -> Compactor[State]:
        from pytest_compaction.compactors.composition.composition import (
            Composition,
            CompositionError,
        )

        try:
            return Composition(spec.text, [self.create(part) for part in spec.parts])
        except CompositionError as error:
            raise UnknownCompactorError(
                f"the parts cannot be composed: {printable(str(error))}"
            ) from None

    def _resolve(self, target: str) -> Any:
        if target in self.added:
            return self.added[target]
        shipped = _shipped()
        if target in shipped:
            return _imported(f"{shipped[target]}:STRATEGY", target)
        points = self._entry_points()
        if target in points:
            return _loaded(points[target])
        if ":" in target:
            return _imported(target, target)
        near = difflib.get_close_matches(target, self.names(), n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownCompactorError(
            f"unknown compactor {target!r}; {hint}the compactors are {', '.join(self.names())}; "
            "name your own as module:function"
        )

    def _entry_points(self) -> Mapping[str, importlib.metadata.EntryPoint]:
        found = importlib.metadata.entry_points(group=ENTRY_POINTS)
        return {point.name: point for point in found}


@cache
def _shipped() -> Mapping[str, str]:
    """Modules of the shipped strategies by name: ``openai_compact.py`` is ``openai-compact``."""
    found: dict[str, str] = {}
    for folder in _FOLDERS:
        package = importlib.import_module(f"{__package__}.{folder}")
        for module in pkgutil.iter_modules(package.__path__):
            place = f"{package.__name__}.{module.name}"
            name = module.name.strip("_").replace("_", "-")
            found[name] = f"{place}.strategy" if module.ispkg else place
    return found


def named_strategies(
    texts: Iterable[str], added: Mapping[str, Any]
) -> tuple[Registry, tuple[Spec, ...]]:
    """The strategies that a session names, and their registry; each is made once as a test.

    Raises :class:`UnknownCompactorError`.
    """
    registry = Registry(dict(added))
    specs = tuple(parse_spec(text) for text in texts)
    for spec in specs:
        registry.traits(spec)
    return registry, specs


def describe(target: Any) -> str:
    """One line about a strategy: its ``description``, or the first line of its docstring.

    That of a null says so.
    """
    text = getattr(target, "description", None) or (inspect.getdoc(target) or "").strip()
    line = printable(str(text).splitlines()[0]) if text else "(no description)"
    null = getattr(getattr(target, "traits", None), "null", False)
    return f"null: {line}" if null else line


def _loaded(point: importlib.metadata.EntryPoint) -> Any:
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, and what skips a test
        raise UnknownCompactorError(
            f"cannot load the compactor {point.name!r} from its entry point: {_raised(error)}"
        ) from error


def _imported(path: str, asked: str) -> Any:
    module_name, _, attribute = path.partition(":")
    try:
        value: Any = importlib.import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, and what skips a test
        raise UnknownCompactorError(
            f"cannot import the module of the compactor {asked!r}: {_raised(error)} "
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


def _made(spec: Spec, target: Any) -> Any:
    try:
        wrong = no_such_parameter(dict(spec.parameters), target)
        if not wrong:
            return target(**as_annotated(dict(spec.parameters), dict(spec.written), target))
    except ValueError as error:
        wrong = printable(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, and what skips a test
        wrong = _raised(error)
    raise UnknownCompactorError(
        f"the compactor {spec.text!r} does not take these parameters: {wrong}"
    )


def _raised(error: BaseException) -> str:
    return printable(f"{type(error).__name__}: {error}")


def _function(
    spec: Spec, target: Any, parameters: Mapping[str, Any], written: Mapping[str, str]
) -> Compactor[State]:
    """A strategy from a function or callable object over messages."""
    function: Any = called(target)
    if not callable(function):
        raise UnknownCompactorError(
            f"{spec.target!r} is {type(target).__name__}; expected a function over messages "
            "and a budget, or a compactor class"
        )
    own = {key: value for key, value in parameters.items() if key != "messages"}
    try:
        typed = as_annotated(own, written, function)
        made = FunctionCompactor(spec.target, target, typed, parameters.get("messages"))
    except ValueError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r}: {printable(str(error))}"
        ) from None
    wrong = no_such_parameter(own, function, made.handed_in)
    try:
        made.check_call()
    except TypeError as error:
        wrong = wrong or f"{printable(str(error))}; {made.remedy}"
    if wrong:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be called as {made.call_form}: {wrong}"
        )
    return made
