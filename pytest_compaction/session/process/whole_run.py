"""Which runs have a process of their own, and what pytest says there of its way."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import pytest

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec
from pytest_compaction.session.process.child import End, Progress, can_run_in_child, run_in_child
from pytest_compaction.session.process.exit_guard import ExitGuard
from pytest_compaction.text.words import printable

if TYPE_CHECKING:
    from types import FrameType

_MAINS: Final = ("console_main", "_console_main")
"""The functions of pytest that are its command."""
_HOOKS: Final = ("pytest_compaction_compactors", "pytest_compaction_models")
_ITEM: Final = 200
"""Characters of an item in a sentence."""


def in_child(config: pytest.Config, named: Sequence[str]) -> Callable[[int], object] | None:
    """Go on in a child process if the run takes in code that may end its process.

    ``named`` are the strategies of the command line or of the ini file. Returns what the child is
    to be told at the end, the exit code of pytest. ``None`` if there is no child: the code is that
    of this package, threads run already, the system cannot, or pytest was not started as a command
    (the caller of ``pytest.main`` wants the results in its own process).
    """
    if not (can_run_in_child() and _is_command() and _runs_code_of_others(config, named)):
        return None
    progress = run_in_child(explained)
    config.pluginmanager.register(ProgressHooks(progress), "compaction-progress")
    return progress.end


def guarded(config: pytest.Config, named: Sequence[str]) -> Callable[[int], object] | None:
    """Stand before the functions that end a process, where :func:`in_child` made no child.

    Returns what is to be told the exit code of pytest. ``None`` if the code is that of this
    package, and on workers of pytest-xdist: their controller sees how they end.
    """
    if hasattr(config, "workerinput") or not _runs_code_of_others(config, named):
        return None
    guard = ExitGuard(explained)
    if not _is_command():
        config.add_cleanup(guard.lift)
    config.pluginmanager.register(ProgressHooks(guard), "compaction-progress")
    return guard.end


def explained(end: End) -> str:
    """What is printed when the process ended before pytest did."""
    if end.code < 0:
        how = f"was ended by {signal.Signals(-end.code).name}"
    else:
        how = f"ended with exit code {end.code}"
    where = f"while {printable(end.item, _ITEM)} ran" if end.item else "before the first item ran"
    return (
        f"compaction: the process of this run {how} {where}, and pytest did not come to its end, "
        "so the run counts as failed. Code that the run takes in (a strategy, a model, a "
        "conftest.py) ended the process, as os._exit, exec, a crash or a plugin's time limit do; "
        "a strategy must return or raise. With -n 2 (pytest-xdist) the other items still run."
    )


class ProgressHooks:
    """Says which item runs, and that the run was interrupted."""

    def __init__(self, progress: Progress | ExitGuard) -> None:
        self._progress = progress

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which item runs."""
        self._progress.begin(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Say that the run was interrupted."""
        self._progress.interrupt()


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
