"""Says while models are asked how many calls are done. Runs only in the controlling process."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.models import call_counts
from pytest_compaction.reports import progress_text

clock = time.monotonic
"""Seconds; no figure of it leaves the terminal."""
EACH_S: Final = 30.0
_LOOK_S: Final = 0.5


class CallsLine:
    """Writes how many calls are in the file ``accounts``, each half minute, until :meth:`end`."""

    def __init__(self, title: str, accounts: Path, write: Callable[[str], object]) -> None:
        self._title = title
        self._accounts = accounts
        self._write = write
        self._ended = threading.Event()
        self._due = clock() + EACH_S
        self._thread = threading.Thread(target=self._watch, name="compaction-calls", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        """Write the line if it is time for one."""
        now = clock()
        if now < self._due:
            return
        self._due = now + EACH_S
        try:
            found = call_counts(self._accounts)
        except sqlite3.Error:
            return  # the next look may find it, and the calls themselves say what is wrong
        self._write(f"{self._title}: {progress_text(found)}")

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


class CallProgress:
    """Shows the line while the items of a run are at work."""

    def __init__(self, accounts: Path, config: pytest.Config) -> None:
        self._accounts = accounts
        self._config = config
        self._line: CallsLine | None = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        self._begin()
        try:
            return (yield)
        finally:
            self.pytest_enter_pdb()

    def _begin(self) -> None:
        """Begin, unless it is to be silent: with ``-q``, in a debugger, for another reporter."""
        config = self._config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        silent = any(config.getoption(name, False) for name in ("collectonly", "usepdb", "trace"))
        if silent or type(reporter) is not pytest.TerminalReporter or config.get_verbosity() < 0:
            return
        writer = config.get_terminal_writer()

        def write(text: str) -> None:
            if writer.width_of_current_line:
                writer.line()
            writer.line(text)
            writer.flush()

        self._line = CallsLine("compaction", self._accounts, write)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        if self._line is not None:
            self._line.look()

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger for the rest of the run."""
        if self._line is not None:
            self._line.end()
