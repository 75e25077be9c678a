"""The code that a task runs: whether another process has the same as the one that sends it.

A worker may have been started before a change, or have other versions of the packages on
which scores depend. It would measure something else without a word.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from pytest_compaction.compactors.own_code import module_named
from pytest_compaction.compactors.registry import ENTRY_POINTS
from pytest_compaction.compactors.specs import Spec

_PACKAGES: Final = ("pytest-compaction", "snowballstemmer", "tiktoken")
_SUFFIXES: Final = frozenset({".py", ".json", ".txt", ".md"})
_ROOT: Final = Path(__file__).parents[2]
"""The folder of this package, which is named after it."""
_LEFT_OUT: Final = frozenset({"benchmark", "__pycache__"})
"""Cases and test modules are the sender's; nobody else's are read."""
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
SOURCES: Final = "the source files of pytest-compaction"


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """What must agree, as it was when this process first asked."""
    found = {name: importlib.metadata.version(name) for name in _PACKAGES}
    return found | {SOURCES: _digest_of_sources()}


def disagreement(sent: Mapping[str, str]) -> str | None:
    """The sentence on the first thing in which this process differs from the sender."""
    for name, theirs in sent.items():
        ours = versions().get(name, "none")
        if ours != theirs:
            return (
                f"the worker has other code than the run: {name} {ours} there, {theirs} here; "
                "install the same versions on both and restart the workers"
            )
    return None


def modules_of(specs: Iterable[Spec]) -> dict[str, str]:
    """The modules of strategies that do not come with the package, each with its digest."""
    points = {
        point.name: point.module for point in importlib.metadata.entry_points(group=ENTRY_POINTS)
    }
    found: dict[str, str] = {}
    for spec in specs:
        for part in spec.parts or (spec,):
            module = points.get(part.target, "") or module_named(part.target)
            if module and not module.startswith(f"{_ROOT.name}."):
                found[module] = digest_of_module(module)
    return found


def folders_of(modules: Iterable[str]) -> tuple[str, ...]:
    """The folders that modules are imported from; those of installed packages are left out."""
    found: dict[str, None] = {}
    for name in modules:
        module = importlib.import_module(name)
        file = getattr(module, "__file__", None)
        if file:
            depth = name.count(".") + hasattr(module, "__path__")
            folder = Path(file).resolve().parents[depth]
            if folder.name not in _INSTALLED:
                found[str(folder)] = None
    return tuple(found)


@lru_cache(maxsize=256)
def digest_of_module(name: str) -> str:
    """The digest of a module's file when this process first asked; empty without a file.

    Raises what importing the module raises.
    """
    file = getattr(importlib.import_module(name), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*")):
        inner = path.relative_to(_ROOT)
        if path.suffix in _SUFFIXES and not _LEFT_OUT.intersection(inner.parts):
            digest.update(f"{inner.as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
