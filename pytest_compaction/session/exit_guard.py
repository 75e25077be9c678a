"""Keeps code that a run takes in from ending its process, and from spoiling it for pytest."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

from pytest_compaction.compactors import Registry, UnknownCompactorError, parse_spec
from pytest_compaction.text import printable

_LIMITS: Any = None
with contextlib.suppress(ImportError):
    import resource

    _LIMITS = resource

if TYPE_CHECKING:
    from types import FrameType

_MAINS: Final = ("console_main", "_console_main")
"""The functions of pytest that are its command."""
_HOOKS: Final = ("pytest_compaction_compactors", "pytest_compaction_models")
_SPARE: Final = 16
"""Files that are held open until a strategy has taken all others."""


class SpoiltProcessError(RuntimeError):
    """A strategy would change what the whole process needs; the text names the call."""


class ExitGuard:
    """Stands before functions that end the process or spoil it, until :meth:`lift`.

    Those that end it print a sentence and end it with a code that is not 0, unless pytest came to
    its end before; all others of :mod:`os` call one of them. In threads, where strategies run, a
    lower recursion limit, fewer open files, and the end of a file of the run raise
    :class:`SpoiltProcessError`. Forked processes may do all that.
    """

    def __init__(self, spoils_only: bool) -> None:
        self._process = os.getpid()
        self._item = ""
        self._code: int | None = None
        self._patches = pytest.MonkeyPatch()
        self._exit_before = os._exit
        self._stderr: int | None = None
        try:
            open_now = [int(path.name) for path in Path("/dev/fd").iterdir()]
        except OSError:  # as on Windows
            open_now = [0, 1, 2]
        self._open = {fd: identity for fd in open_now if (identity := _identity(fd))}
        self._spare = [os.open(os.devnull, os.O_RDONLY) for _ in range(_SPARE)]
        if not spoils_only:
            with contextlib.suppress(OSError):  # pytest redirects the other one while an item runs
                self._stderr = os.dup(2)
            self._patches.setattr(os, "_exit", self._exit)
            for name in ("execv", "execve"):
                self._patches.setattr(os, name, partial(self._exec, getattr(os, name)))
        depth = sys.getrecursionlimit()
        self._refuse(sys, "setrecursionlimit", lambda limit: limit < depth)
        self._refuse(os, "close", self._is_of_run)
        self._refuse(os, "closerange", lambda low, high: low < high)
        if _LIMITS is not None:
            files, most = _LIMITS.RLIMIT_NOFILE, _LIMITS.getrlimit(_LIMITS.RLIMIT_NOFILE)[0]
            self._refuse(
                _LIMITS, "setrlimit", lambda kind, limits: kind == files and 0 <= limits[0] < most
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._item = nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self) -> None:
        """Give up the spare files if fewer than a few others can be opened.

        One is not enough: what is reported opens files while it holds others.
        """
        opened = []
        try:
            for _ in self._spare:
                opened.append(os.open(os.devnull, os.O_RDONLY))  # noqa: PERF401 (each counts at once)
        except OSError:
            opened += self._spare
            self._spare = []
        for descriptor in opened:
            os.close(descriptor)

    def end(self, code: int) -> None:
        """Note that pytest came to its end, with this exit code."""
        self._code = code

    def refuse(self, error: SystemExit) -> None:
        """Give an exit before the end of pytest a code that is not 0."""
        if self._code is None:
            self._say(error.code if isinstance(error.code, int) else int(bool(error.code)))
            error.code = error.code or 1

    def lift(self) -> None:
        self._patches.undo()
        for descriptor in (*self._spare, *(() if self._stderr is None else (self._stderr,))):
            os.close(descriptor)
        self._spare, self._stderr = [], None

    @property
    def _is_here(self) -> bool:
        return os.getpid() == self._process

    def _exit(self, status: int) -> NoReturn:
        if self._is_here and self._code is None:
            self._say(status)
            status = status or 1
        self._exit_before(status or (self._code or 0 if self._is_here else 0))
        raise AssertionError

    def _exec(self, before: Callable[..., Any], *arguments: Any) -> Any:
        """End the process where another program would take its place and its exit code."""
        if self._is_here:
            self._exit(self._code or 0)
        return before(*arguments)

    def _say(self, status: int) -> None:
        where = (
            f"while {printable(self._item, 200)} ran" if self._item else "before the first item ran"
        )
        text = (
            f"\ncompaction: the process of this run ended with exit code {status} {where}, and "
            "pytest did not come to its end, so the run counts as failed. Code that the run takes "
            "in (a strategy, a model, a conftest.py) ended the process, as os._exit, exec, a crash "
            "or a plugin's time limit do; a strategy must return or raise. With -n 2 "
            "(pytest-xdist) the other items still run.\n"
        )
        if self._stderr is not None:
            with contextlib.suppress(OSError):
                os.write(self._stderr, text.encode("utf-8", "replace"))

    def _refuse(self, module: ModuleType, name: str, spoils: Callable[..., bool]) -> None:
        """Raise an error for calls of a thread that ``spoils`` says are not to be made."""
        before = getattr(module, name)

        def call(*arguments: Any) -> Any:
            in_thread = threading.current_thread() is not threading.main_thread()
            # The garbage collector calls finalizers, which close files, in whatever thread it runs.
            caller = sys._getframe(1).f_globals.get("__name__")
            is_finalizer = caller == "multiprocessing.util"
            if in_thread and self._is_here and not is_finalizer and spoils(*arguments):
                given = ", ".join(map(str, arguments))
                raise SpoiltProcessError(
                    f"{module.__name__}.{name}({given}) would spoil the process for all other "
                    "items and for pytest itself; leave its limits and its files as they are, or "
                    "do that in a process of the strategy's own"
                )
            return before(*arguments)

        self._patches.setattr(module, name, call)

    def _is_of_run(self, descriptor: int) -> bool:
        """Whether a file was open before any strategy was imported, and still is.

        Pytest puts files of its own in the place of the first three.
        """
        found = self._open.get(descriptor)
        return found is not None and (descriptor < 3 or found == _identity(descriptor))


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def guarded(config: pytest.Config, named: Sequence[str], early: bool) -> ExitGuard | None:
    """Guard the process, if the run takes in code that may end or spoil it.

    ``named`` are the strategies of the command line or of the ini file; ``early`` is before any
    conftest. ``None`` if the code is that of this package. Workers of pytest-xdist may end: their
    controller sees how they do.
    """
    is_command = _is_command()
    if early and not is_command:  # a worker, or a program that calls pytest.main
        return None
    if not _runs_code_of_others(config, named):
        return None
    guard = ExitGuard(spoils_only=hasattr(config, "workerinput"))
    if not is_command:
        config.add_cleanup(guard.lift)
    config.pluginmanager.register(guard, "compaction-progress")
    return guard


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
    if any(getattr(config.hook, name).get_hookimpls() for name in _HOOKS):
        return True
    registry = Registry()
    try:
        return not all(registry.is_shipped(parse_spec(text)) for text in named)
    except UnknownCompactorError:
        return False  # the run ends with an error before it takes in anything
