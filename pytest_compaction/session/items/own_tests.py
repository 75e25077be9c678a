"""The project's own tests over cases and dialogues, which run beside the packaged module."""

from __future__ import annotations

import ast
import os
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.case import shorten
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.items.packaged import PACKAGE
from pytest_compaction.text import printable

_MEASURED: Final = tuple(frozenset(kind.fixtures) for kind in KINDS.values())
_WORDS: Final = frozenset().union(*_MEASURED)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Fixtures = Mapping[str, frozenset[str]]
"""What each fixture asks for, by its name."""


def measures(text: str, above: Fixtures, test_names: Sequence[str]) -> bool:
    """Whether a test of this file would be an item of a benchmark, by the arguments that it has.

    ``above`` are the fixtures of the ``conftest.py`` files that the file sees, ``test_names`` the
    beginnings or patterns of the names of test functions. A file that is no Python is taken for
    one if it has the words, so that its error is seen.
    """
    may_ask = _reached(frozenset(re.findall(r"\w+", text)) & (above.keys() | _WORDS), above)
    if not any(kind <= may_ask for kind in _MEASURED):
        return False
    try:
        functions = _functions(text)
    except (SyntaxError, ValueError, RecursionError):
        return True
    fixtures = {**above, **_fixtures(functions)}
    for function in functions:
        if any(function.name.startswith(n) or fnmatch(function.name, n) for n in test_names):
            reached = _reached(_arguments(function), fixtures)
            provided = _parametrized(function) | fixtures.keys()
            if any(kind <= reached and not kind & provided for kind in _MEASURED):
                return True
    return False


def _functions(text: str) -> list[Function]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, Function)]


def _fixtures(functions: Iterable[Function]) -> Fixtures:
    return {
        function.name: _arguments(function) - {function.name}
        for function in functions
        if any(_last_name(mark) == "fixture" for mark in function.decorator_list)
    }


def _reached(names: frozenset[str], fixtures: Fixtures) -> frozenset[str]:
    """The names and all that they ask for, through any number of fixtures."""
    found: frozenset[str] = frozenset()
    while names - found:
        found |= names
        names = frozenset().union(*(fixtures.get(name, ()) for name in found))
    return found


def _arguments(function: Function) -> frozenset[str]:
    """The names of the arguments without a default, as pytest takes them for fixtures."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    positional = positional[: len(positional) - len(given.defaults)]
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return frozenset(one.arg for one in (*positional, *(a for a, value in named if value is None)))


def _parametrized(function: Function) -> frozenset[str]:
    """The arguments that marks of a function give their values, among other words of these."""
    marks = (mark for mark in function.decorator_list if _last_name(mark) == "parametrize")
    return frozenset(re.findall(r"\w+", " ".join(map(ast.unparse, marks))))


def _last_name(node: ast.AST) -> str:
    """The last part of a dotted name, or of that of a call."""
    if isinstance(node, ast.Call):
        node = node.func
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))


_KEY: Final = "compaction_own_tests"
_SHOWN: Final = 3
"""The most files that the header names."""


class OwnTests:
    """Leaves out what else is in the files of such tests, and says so in the header."""

    def __init__(self, files: Sequence[Path], root: Path) -> None:
        self._files = frozenset(files)
        self._names = [
            str(file.relative_to(root) if file.is_relative_to(root) else file) for file in files
        ]
        self._shown = [printable(shorten(file, root), 60) for file in files]

    def pytest_report_header(self) -> str | list[str]:
        """The files, and what becomes of their other tests; nothing if there are none."""
        if not self._shown:
            return []
        names = ", ".join(self._shown[:_SHOWN])
        more = f" and {len(self._shown) - _SHOWN} more" if len(self._shown) > _SHOWN else ""
        return (
            f"compaction: also runs the tests over cases and dialogues in {names}{more}, and no "
            "others of these files; name a file to run all of it and nothing else"
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the tests that measure nothing."""
        others = [
            item
            for item in items
            if item.path in self._files and not item.get_closest_marker("compaction")
        ]
        if others:
            config.hook.pytest_deselected(items=others)
            left_out = set(others)
            items[:] = [item for item in items if item not in left_out]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell the workers of pytest-xdist, whose root may be elsewhere, on another machine."""
        node.workerinput[_KEY] = self._names


def take_in_own_tests(config: pytest.Config, without: Iterable[Path]) -> list[str]:
    """The files with such tests among what pytest would collect, as arguments.

    ``without`` are the folders of cases, which are collected as they are. Workers of pytest-xdist
    are told the files by their controller, which alone looks for them.
    """
    named = getattr(config, "workerinput", {}).get(_KEY)
    if named is not None:
        files = [config.rootpath / name for name in named]
    else:
        files = sorted(_found(config, [folder.resolve() for folder in (*without, PACKAGE)]))
    config.pluginmanager.register(OwnTests(files, config.rootpath), "compaction-own-tests")
    return [str(file) for file in files]


def _found(config: pytest.Config, without: Sequence[Path]) -> Iterator[Path]:
    names = config.getini("python_functions")
    seen: dict[Path, Fixtures] = {}
    for file in dict.fromkeys(_test_files(config, without)):
        text = _text(file)
        if text and measures(text, _fixtures_for(file.parent, config.rootpath, seen), names):
            yield file


def _test_files(config: pytest.Config, without: Sequence[Path]) -> Iterator[Path]:
    """The files that pytest would collect, without folders that it does not enter."""
    patterns = config.getini("python_files")
    places = (config.invocation_params.dir / text for text in reversed(config.args))
    left = [Path(os.path.abspath(place)) for place in places]  # noqa: PTH100 - keeps links
    entered: set[Path] = set()
    while left:
        path = left.pop()
        ignored = config.hook.pytest_ignore_collect(collection_path=path, config=config)
        if path.resolve() in without or ignored:
            continue
        if path.is_dir():
            if path.resolve() in entered:  # a link to a folder above it has no end
                continue
            entered.add(path.resolve())
            left += sorted(_entries(path), reverse=True)
        elif path.suffix == ".py" and any(_fits(path, pattern) for pattern in patterns):
            yield path


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()]
    except OSError:  # pytest says it, if the folder is named
        return []


def _fits(path: Path, pattern: str) -> bool:
    """Whether a file has a name of test files; a pattern with a slash is for the whole path."""
    return fnmatch(path.name, pattern) or ("/" in pattern and fnmatch(str(path), f"*/{pattern}"))


def _fixtures_for(folder: Path, root: Path, seen: dict[Path, Fixtures]) -> Fixtures:
    """The fixtures of the ``conftest.py`` files of a folder and of those around it."""
    if folder not in seen:
        inside = folder != root and folder.is_relative_to(root)
        above = _fixtures_for(folder.parent, root, seen) if inside else {}
        seen[folder] = above
        with suppress(SyntaxError, ValueError, RecursionError):
            seen[folder] = {**above, **_fixtures(_functions(_text(folder / "conftest.py")))}
    return seen[folder]


def _text(file: Path) -> str:
    """The text of a file; empty if it has none that can be read."""
    try:
        with tokenize.open(file) as opened:  # in the encoding that the file itself names
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
