"""Which runs are guarded against code that ends their process, and what is said then."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from types import FrameType


@dataclass(frozen=True, slots=True)
class End:
    """An end with an exit code while ``item`` ran, which is empty before the first one."""

    code: int
    item: str


class ExitGuard:
    """Stands before the functions that end a process at once, until :meth:`lift`.

    All others of :mod:`os` that do so, such as ``execlp``, call one of these three.
    In the process that made it they print ``explain`` and end the process with a code that is not
    0, unless pytest came to its end with 0 before. Processes that it forks are free to end.
    """

    def __init__(self, explain: Callable[[End], str]) -> None:
        self._explain = explain
        self._process = os.getpid()
        self._item = ""
        self._code: int | None = None
        self._before: dict[str, Callable[..., Any]] = {}
        self._stderr: int | None = None
        with contextlib.suppress(OSError):  # pytest redirects the other one while an item runs
            self._stderr = os.dup(2)
        guarded = {"_exit": self._exit, "execv": self._execv, "execve": self._execve}
        for name, function in guarded.items():
            self._before[name] = getattr(os, name)
            setattr(os, name, function)

    def begin(self, item: str) -> None:
        """Note which item runs."""
        self._item = item

    def end(self, code: int) -> None:
        """Note that pytest came to its end, with this exit code."""
        self._code = code

    def refuse(self, error: SystemExit) -> None:
        """Give an exit before the end of pytest a code that is not 0."""
        if self._code is None:
            self._say(error.code if isinstance(error.code, int) else int(bool(error.code)))
            error.code = error.code or 1

    def lift(self) -> None:
        """Put the functions back that were there before."""
        for name, function in self._before.items():
            setattr(os, name, function)
        if self._stderr is not None:
            os.close(self._stderr)
            self._stderr = None

    def _exit(self, status: int) -> NoReturn:
        if self._is_here and self._code is None:
            self._say(status)
            status = status or 1
        self._before["_exit"](status or (self._code or 0 if self._is_here else 0))
        raise AssertionError

    def _execv(self, path: Any, arguments: Any) -> NoReturn:
        self._refuse_exec()
        self._before["execv"](path, arguments)
        raise AssertionError

    def _execve(self, path: Any, arguments: Any, env: Mapping[Any, Any]) -> NoReturn:
        self._refuse_exec()
        self._before["execve"](path, arguments, env)
        raise AssertionError

    def _refuse_exec(self) -> None:
        """End the process where another program would take its place and its exit code."""
        if self._is_here:
            self._exit(self._code or 0)

    @property
    def _is_here(self) -> bool:
        return os.getpid() == self._process

    def _say(self, status: int) -> None:
        if self._stderr is not None:
            text = f"\n{self._explain(End(status, self._item))}\n"
            with contextlib.suppress(OSError):
                os.write(self._stderr, text.encode("utf-8", "replace"))


_MAINS: Final = ("console_main", "_console_main")
"""The functions of pytest that are its command."""
_HOOKS: Final = ("pytest_compaction_compactors", "pytest_compaction_models")
_ITEM: Final = 200
"""Characters of an item in a sentence."""


def guarded(config: pytest.Config, named: Sequence[str], early: bool) -> ExitGuard | None:
    """Stand before the functions that end a process, if the run takes in code that may call them.

    ``named`` are the strategies of the command line or of the ini file; ``early`` is before any
    conftest. ``None`` if the code is that of this package, and on workers of pytest-xdist: their
    controller sees how they end.
    """
    is_command = _is_command()
    if early and not is_command:  # a worker, or a program that calls pytest.main
        return None
    if hasattr(config, "workerinput") or not _runs_code_of_others(config, named):
        return None
    guard = ExitGuard(explained)
    if not is_command:
        config.add_cleanup(guard.lift)
    config.pluginmanager.register(ProgressHooks(guard), "compaction-progress")
    return guard


def explained(end: End) -> str:
    """What is printed when the process ended before pytest did."""
    where = f"while {printable(end.item, _ITEM)} ran" if end.item else "before the first item ran"
    return (
        f"compaction: the process of this run ended with exit code {end.code} {where}, and pytest "
        "did not come to its end, "
        "so the run counts as failed. Code that the run takes in (a strategy, a model, a "
        "conftest.py) ended the process, as os._exit, exec, a crash or a plugin's time limit do; "
        "a strategy must return or raise. With -n 2 (pytest-xdist) the other items still run."
    )


class ProgressHooks:
    """Notes which item runs."""

    def __init__(self, guard: ExitGuard) -> None:
        self._guard = guard

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which item runs."""
        self._guard.begin(nodeid)


def _is_command() -> bool:
    """Whether pytest is all that this process was started for.

    A run that a test of another run starts with ``pytest.main`` is not.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__")
        if (name, module) == ("wrap_session", "_pytest.main"):
            return False  # the session of the test that started this run
        if name in _MAINS and module == "_pytest.config":
            return True
        frame = frame.f_back
    return False


def _runs_code_of_others(config: pytest.Config, named: Sequence[str]) -> bool:
    """Whether strategies or models take part that are not of this package."""
    if any(getattr(config.hook, name).get_hookimpls() for name in _HOOKS):
        return True
    registry = Registry()
    try:
        return not all(registry.is_shipped(parse_spec(text)) for text in named)
    except UnknownCompactorError:
        return False  # the run ends with an error before it takes in anything
