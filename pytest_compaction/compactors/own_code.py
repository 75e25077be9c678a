"""Finding what a user names as a strategy: an object of a module, by its name or by its file.

``pkg.mod:thing``, ``pkg.mod.thing`` and ``path/file.py:thing`` name the same object. A thing in
a class, such as ``pkg.mod:Summary.compact``, is found as a :class:`MethodOf` that class.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pytest_compaction.compactors.specs import UnknownCompactorError
from pytest_compaction.text import printable

_SOURCE: Final = ".py"
_SHOWN: Final = 8
"""The most names of a module that a message lists."""


@dataclass(frozen=True, slots=True)
class MethodOf:
    """A method that needs an instance of its class, which is still to be made."""

    owner: type
    name: str


def own_object(target: str) -> Any:
    """The object that ``module:name`` or ``file.py:name`` names.

    Raises :class:`UnknownCompactorError`: there is no such module or name, or the module raises.
    """
    module, _, names = target.rpartition(":")  # the path of a file may have one after its drive
    return attribute_of(_imported(module, target), names, module)


def dotted_object(target: str) -> Any:
    """The object that ``pkg.mod.name`` names; ``None`` if no part of it is a module.

    Raises :class:`UnknownCompactorError` if there is a module and it has no such name, or raises.
    """
    if not is_dotted(target):
        return None
    parts = target.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:count])
        if _is_there(module):
            names = ".".join(parts[count:])
            return attribute_of(_imported(module, target), names, module)
    return None


def is_dotted(target: str) -> bool:
    """Whether a text is names joined by points, the last of which may be in a module."""
    parts = target.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def module_named(target: str) -> str:
    """The module in which a target is, by the name that it was imported under; empty if none."""
    module, colon, _ = target.rpartition(":")
    if colon:
        return str(_imported(module, target).__name__)
    parts = target.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next(filter(_is_there, names), "") if is_dotted(target) else ""


def names_of(target: str) -> str:
    """How the strategies in a module or file are named, if ``target`` is one; else empty."""
    named = target.isidentifier() or is_dotted(target)
    if not (target.endswith(_SOURCE) or (named and _is_there(target))):
        return ""
    names = _public(_imported(target, target))
    listed = ", ".join(f"{target}:{name}" for name in names[:_SHOWN])
    return listed or f"{target}:function"


def attribute_of(module: Any, names: str, shown: str) -> Any:
    """The object of a module; raises :class:`UnknownCompactorError` with the nearest name."""
    value = module
    for name in names.split("."):
        owner = value
        if not hasattr(owner, name):
            near = difflib.get_close_matches(name, _public(owner), n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            what = "class" if inspect.isclass(owner) else "module"
            raise UnknownCompactorError(f"the {what} {shown!r} has no {name!r}{hint}")
        value = getattr(owner, name)
        shown = f"{shown}.{name}"
        if inspect.isclass(owner):
            held = inspect.getattr_static(owner, name)
            is_bound = callable(held) and hasattr(type(held), "__get__")
            if is_bound and not isinstance(held, staticmethod | classmethod):
                return MethodOf(owner, name)
    return value


def raised(error: BaseException) -> str:
    """Describe an error within a sentence."""
    return printable(f"{type(error).__name__}: {error}")


def _imported(module: str, asked: str) -> ModuleType:
    try:
        if module.endswith(_SOURCE):
            return _from_file(module)
        return importlib.import_module(module)
    except (UnknownCompactorError, KeyboardInterrupt):
        raise
    except BaseException as error:  # also SystemExit, and what skips a test
        missing = isinstance(error, ModuleNotFoundError)
        hint = " (is its folder on sys.path? the folder where pytest runs is)" if missing else ""
        raise UnknownCompactorError(
            f"cannot import the module of the compactor {asked!r}: {raised(error)}{hint}"
        ) from error


def _from_file(text: str) -> ModuleType:
    """The module of a file, under the name by which others import it, if there is one.

    Its folder is the last place that modules are looked for, so that it finds its neighbours
    and hides nothing.
    """
    file = _found(text)
    folder, names = file.parent, [file.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    if names[-1] == "__init__":
        names.pop()
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    name = ".".join(names)
    if all(part.isidentifier() for part in names) and _file_of(name) == file:
        return importlib.import_module(name)
    return _loaded(file)


def _loaded(file: Path) -> ModuleType:
    """A file as a module of its own, made once: its name is taken by another one."""
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:8]
    name = f"_{''.join(ch if ch.isalnum() else '_' for ch in file.stem)}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _found(text: str) -> Path:
    """The file, looked for where pytest runs and then where modules are looked for."""
    for folder in (Path.cwd(), *(Path(entry) for entry in sys.path if entry)):
        file = folder / Path(text).expanduser()
        if file.is_file():
            return file.resolve()
    raise UnknownCompactorError(
        f"there is no file {text!r}; its path counts from the folder where pytest runs"
    )


def _file_of(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a package above it may raise anything, SystemExit too
        return None
    return (
        Path(spec.origin).resolve()
        if spec is not None and spec.has_location and spec.origin
        else None
    )


def _is_there(name: str) -> bool:
    """Whether there is a module of that name; importing what is above it may raise."""
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
    except KeyboardInterrupt:
        raise
    except BaseException:  # also SystemExit, and what skips a test: importing it again says so
        return True


def _public(value: Any) -> list[str]:
    """Names of the callables that a module defines; for another object, of all callables."""
    names = [n for n in dir(value) if not n.startswith("_") and callable(getattr(value, n, None))]
    if not inspect.ismodule(value):
        return names
    own = [n for n in names if getattr(getattr(value, n), "__module__", None) == value.__name__]
    return own or names
