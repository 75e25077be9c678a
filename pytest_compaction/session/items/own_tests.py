"""The project's own tests over cases and dialogues, which run beside the packaged module."""

from __future__ import annotations

import os
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.case.files import shorten
from pytest_compaction.session.items.asked_fixtures import Fixtures, measures, parsed
from pytest_compaction.session.items.packaged import PACKAGE
from pytest_compaction.text.words import printable

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
    files = _told(config)
    if files is None:
        files = sorted(_found(config, [folder.resolve() for folder in (*without, PACKAGE)]))
    config.pluginmanager.register(OwnTests(files, config.rootpath), "compaction-own-tests")
    return [str(file) for file in files]


def _told(config: pytest.Config) -> list[Path] | None:
    """The files that the controller named; ``None`` in a process that has none."""
    named = getattr(config, "workerinput", {}).get(_KEY)
    return None if named is None else [config.rootpath / name for name in named]


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
        if path.resolve() in without or _is_ignored(config, path):
            continue
        if path.is_dir():
            if path.resolve() in entered:  # a link to a folder above it has no end
                continue
            entered.add(path.resolve())
            left += sorted(_entries(path), reverse=True)
        elif path.suffix == ".py" and any(_fits(path, pattern) for pattern in patterns):
            yield path


def _is_ignored(config: pytest.Config, path: Path) -> bool:
    return bool(config.hook.pytest_ignore_collect(collection_path=path, config=config))


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
        above = _fixtures_for(folder.parent, root, seen) if inside else Fixtures()
        text = _text(folder / "conftest.py")
        seen[folder] = above.with_those_of(parsed(text)) if text else above
    return seen[folder]


def _text(file: Path) -> str:
    """The text of a file; empty if it has none that can be read."""
    try:
        with tokenize.open(file) as opened:  # in the encoding that the file itself names
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
