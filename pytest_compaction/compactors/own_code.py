"""Finding what a user names as a strategy: an object of a module, by its name or by its file.

``pkg.mod:thing`` and ``path/file.py:thing`` name the same object.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pytest_compaction.compactors.specs import UnknownCompactorError
from pytest_compaction.text import printable

_SOURCE: Final = ".py"
_SHOWN: Final = 8
"""The most names of a module that a message lists."""


def own_object(target: str) -> Any:
    """The object that ``module:name`` or ``file.py:name`` names.

    Raises :class:`UnknownCompactorError`: there is no such module or name, or the module raises.
    """
    module, _, names = target.rpartition(":")  # the path of a file may have one after its drive
    return attribute_of(_imported(module, target), names, module)


def module_named(target: str) -> str:
    """The module in which a target is, by the name that it was imported under; empty if none."""
    module, colon, _ = target.rpartition(":")
    return str(_imported(module, target).__name__) if colon else ""


def names_of(target: str) -> str:
    """How the strategies in a module or file are named, if ``target`` is one; else empty."""
    named = all(part.isidentifier() for part in target.split("."))
    if not (target.endswith(_SOURCE) or (named and _is_there(target))):
        return ""
    names = _public(_imported(target, target))
    listed = ", ".join(f"{target}:{name}" for name in names[:_SHOWN])
    return listed or f"{target}:function"


def attribute_of(module: Any, names: str, shown: str) -> Any:
    """The object of a module; raises :class:`UnknownCompactorError` with the nearest name."""
    value = module
    for name in names.split("."):
        if not hasattr(value, name):
            near = difflib.get_close_matches(name, _public(value), n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            what = "class" if inspect.isclass(value) else "module"
            raise UnknownCompactorError(f"the {what} {shown!r} has no {name!r}{hint}")
        value = getattr(value, name)
        shown = f"{shown}.{name}"
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
