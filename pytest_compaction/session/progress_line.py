"""Says while models are asked how many calls are done. Runs only in the controlling process."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.case import CHOICE_KIND
from pytest_compaction.compactors import asks_model
from pytest_compaction.models import ChatModel, call_counts
from pytest_compaction.reports import progress_text
from pytest_compaction.session.items.collection import Selection, selected, selected_ids
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import CONTROL

clock = time.monotonic
"""Seconds, for the pace of the calls; no figure of it leaves the terminal."""
EACH_S: Final = 30.0
_LOOK_S: Final = 0.5


class CallsLine:
    """Writes a line each half minute, until :meth:`end`.

    ``accounts`` is the file with the calls, ``known`` about how many there will be; ``guessed``
    says that this is an estimate.
    """

    def __init__(
        self, title: str, accounts: Path, known: int, guessed: bool, write: Callable[[str], object]
    ) -> None:
        self._title = title
        self._accounts = accounts
        self._known = known, guessed
        self._write = write
        self._ended = threading.Event()
        self._began = clock()
        self._due = self._began + EACH_S
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
        text = progress_text(found, *self._known, now - self._began)
        self._write(f"{self._title}: {text}")

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


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


class CallProgress:
    """Shows the line while the items of a run are at work."""

    def __init__(self, session: BenchmarkSession, accounts: Path, config: pytest.Config) -> None:
        self._session = session
        self._accounts = accounts
        self._config = config
        self._line: CallsLine | None = None

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
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

        known, guessed = planned_calls(self._session, chosen)
        self._line = CallsLine("compaction", self._accounts, known, guessed, write)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        if self._line is not None:
            self._line.look()

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger for the rest of the run."""
        if self._line is not None:
            self._line.end()
