"""Shows how many model calls are done while a run lasts, in the controlling process alone."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import pytest

from pytest_compaction.case import CHOICE_KIND
from pytest_compaction.compactors import asks_model
from pytest_compaction.models import ChatModel, call_counts
from pytest_compaction.reports import cells, progress_text
from pytest_compaction.session.items.collection import Selection, selected, selected_ids
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import CONTROL

clock = time.monotonic
"""Seconds, for the pace of the calls; no figure of it leaves the terminal."""
LOOK_S = 0.5
REWRITTEN_S = 1.0
WRITTEN_S = 30.0


class CallsLine:
    """One line that rewrites itself on a ``terminal``, or a line each half minute to ``write``.

    ``accounts`` is the file with the calls, ``known`` about how many there will be; ``guessed``
    says that this is an estimate. ``column`` is that in which others write, one line above.
    """

    def __init__(
        self,
        title: str,
        accounts: Path,
        known: int,
        guessed: bool,
        write: Callable[[str], object],
        terminal: TextIO | None,
        column: Callable[[], int] = lambda: 0,
    ) -> None:
        self._title = title
        self._accounts = accounts
        self._known = known, guessed
        self._write = write
        self._terminal = terminal
        self._column = column
        self._text = ""
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._interval = WRITTEN_S if terminal is None else REWRITTEN_S
        self._began = clock()
        self._due = self._began + self._interval
        self._thread = threading.Thread(target=self._watch, name="compaction-calls", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self.look()

    def look(self) -> None:
        with self._lock:
            now = clock()
            if now < self._due or self._ended.is_set():
                return
            self._due = now + self._interval
            try:
                found = call_counts(self._accounts)
            except sqlite3.Error:
                return  # the next look may find it, and the calls themselves say what is wrong
            text = f"{self._title}: {progress_text(found, *self._known, now - self._began)}"
            if self._terminal is None:
                self._write(text)
            else:
                while text and cells(text) >= shutil.get_terminal_size().columns:
                    text = text[:-1]
                self._text = text
                self._show(text)

    @contextmanager
    def others_write(self) -> Iterator[None]:
        """Keep the line out of the way of what others write."""
        with self._lock:
            self._show("")
            try:
                yield
            finally:
                if not self._ended.is_set():
                    self._show(self._text)

    def end(self) -> None:
        self._ended.set()
        with self._lock:
            self._show("")
        self._thread.join()

    def _show(self, text: str) -> None:
        if self._terminal is None or not self._text:
            return
        # A line feed makes room at the end of the screen; how far it scrolls is not known, so
        # the way back is one line up and not to a place that was remembered.
        column = self._column()
        back = f"\x1b[{column}C" if column else ""
        self._terminal.write(f"\n\r{text}\x1b[K\x1b[A\r{back}")
        self._terminal.flush()


_READINGS: Final = 1 / 3
"""Requests of a model that reads views, for each probe: its facts, ten a request, are not known."""


def planned_calls(session: BenchmarkSession, chosen: Iterable[Selection]) -> tuple[int, bool]:
    """About how many calls the items take, and whether that is an estimate."""
    roles, settings = session.roles, session.settings
    answers = isinstance(roles.responder, ChatModel)
    judges = sum(isinstance(judge, ChatModel) for judge in roles.judges)
    asking = {
        spec.text
        for spec in session.specs
        if isinstance(roles.compaction, ChatModel) and asks_model(session.registry.example(spec))
    }
    guessed = settings.calls.proxy and bool(session.asking_outside)
    shared: dict[str, int] = {}
    own = 0.0
    for one in chosen:
        item = one.item
        asks = item.arm is not None and item.arm.compactor in asking
        if not isinstance(item, ProbeItem):
            guessed = True
            turns = settings.trials * len(getattr(item.dialogue, "turns", ()))
            own += turns * (answers + judges) + (turns / 2 if asks else 0)
            shared[item.group] = turns * answers
            continue
        guessed |= asks or roles.reader is not None
        own += _READINGS if isinstance(roles.reader, ChatModel) else 0
        shared[item.group] = len(getattr(item.case, "points", ())) if asks else 0
        if item.probe is not None and item.probe.kind == CHOICE_KIND:  # rules read the letter
            reminds = CONTROL in settings.arms and item.arm and item.arm.compactor != CONTROL
            own += answers * (2 if reminds else 1)
        else:
            own += answers + (settings.judgements * judges if one.judged else 0)
    return round(own) + sum(shared.values()), guessed


Wrapper = Generator[None, Any, Any]


class CallProgress:
    """Shows the line while the items of a run are at work."""

    def __init__(self, session: BenchmarkSession, accounts: Path, config: pytest.Config) -> None:
        self._session = session
        self._accounts = accounts
        self._config = config
        self._line: CallsLine | None = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Wrapper:
        if session.items:
            self._begin(selected(session.items))
        try:
            return (yield)
        finally:
            self.pytest_enter_pdb()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if self._line is None:
            self._begin(selected_ids(self._session, ids))

    def _begin(self, chosen: Iterable[Selection]) -> None:
        """Show the line, unless it is to be silent.

        That is with ``-q``, in a debugger, and where another plugin writes the report in its own
        way. With ``-s`` and live logs others move the cursor, so that no line can be rewritten.
        """
        config = self._config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        silent = any(config.getoption(name, False) for name in ("collectonly", "usepdb", "trace"))
        if silent or type(reporter) is not pytest.TerminalReporter or config.get_verbosity() < 0:
            return
        known, guessed = planned_calls(self._session, chosen)
        writer: Any = config.get_terminal_writer()
        logs = config.pluginmanager.hasplugin("logging-plugin") and (
            config.getoption("log_cli_level", None) or config.getini("log_cli")
        )
        # What the writer writes counts as part of pytest's line, and this is none.
        file: Any = getattr(writer, "_file", None)
        moved = config.getoption("capture", "fd") == "no" or logs
        rewrites = file is not None and file.isatty() and writer.hasmarkup and not moved

        def write(text: str) -> None:
            if writer.width_of_current_line:
                writer.line()
            writer.line(text)
            writer.flush()

        self._line = CallsLine(
            "compaction",
            self._accounts,
            known,
            guessed,
            write,
            file if rewrites else None,
            lambda: writer.width_of_current_line % max(writer.fullwidth, 1),
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_runtest_logreport(self) -> Wrapper:
        if self._line is None:
            return (yield)
        with self._line.others_write():
            result = yield
        self._line.look()
        return result

    pytest_runtest_logstart = pytest_runtest_logreport
    pytest_runtest_logfinish = pytest_runtest_logreport
    pytest_testnodedown = pytest_runtest_logreport

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger for the rest of the run."""
        if self._line is not None:
            self._line.end()
