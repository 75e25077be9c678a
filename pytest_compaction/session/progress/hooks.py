"""Says while a run asks models how far it is. Runs only in the controlling process."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.models.calls.so_far import so_far
from pytest_compaction.records.record import Record
from pytest_compaction.reports.call_progress import progress_text
from pytest_compaction.session.items.collection import item_of, items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.items.protocol import BenchmarkItem
from pytest_compaction.session.items.report import record_of
from pytest_compaction.session.progress.call_ledger import CallLedger, with_shared
from pytest_compaction.session.progress.outlets import Outlet, outlet_for
from pytest_compaction.session.progress.plans import CallPlans
from pytest_compaction.session.session import BenchmarkSession

clock = time.monotonic
"""Seconds, for the pace of the calls; no figure of it leaves the terminal."""
_LOOK_S: Final = 0.5
_END_S: Final = 5.0

Chosen = Iterable[tuple[str, BenchmarkItem, bool]]
"""Node id and item of what will run, and whether its answer is judged."""
Wrapper = Generator[None, Any, Any]


class CallProgress:
    """Shows the calls done of the calls known, from the first item to the last."""

    def __init__(self, session: BenchmarkSession, accounts: Path, config: pytest.Config) -> None:
        self._session = session
        self._accounts = accounts
        self._config = config
        self._lock = threading.RLock()
        """Held by whoever writes to the terminal."""
        self._outlet: Outlet | None = None
        self._plans: CallPlans | None = None
        self._ledger: CallLedger | None = None
        self._records: dict[str, Record] = {}
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._began = self._due = 0.0

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Wrapper:
        """Know the items if this process runs them; in the end leave nothing on the terminal."""
        if not session.config.getoption("collectonly"):
            self._outlet = outlet_for(session.config)
        if session.items and self._outlet is not None:
            self._expect(_of_nodes(session.items))
        try:
            return (yield)
        finally:
            self._stop()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Under pytest-xdist: the first worker tells what it collected."""
        if self._ledger is None and self._outlet is not None:
            self._expect(_of_ids(self._session, ids))

    def _expect(self, chosen: Chosen) -> None:
        self._plans = CallPlans(self._session)
        plans, dialogues = {}, False
        for nodeid, item, judged in chosen:
            plan = self._plans.of(item, judged)
            if plan is not None:
                plans[nodeid] = plan
                dialogues = dialogues or item.type == "dialogue"
        dry_run = self._config.pluginmanager.get_plugin("compaction-estimate")
        planned = getattr(getattr(dry_run, "found", None), "planned", None)
        if planned is not None and not dialogues:
            compactions = [part for part in planned if part.role == "compaction"]
            total = sum(part.usage.calls + part.stored for part in compactions)
            plans = with_shared(plans, total)
        self._ledger = CallLedger(plans)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Wrapper:
        """Begin with the first item."""
        if self._thread is None and self._ledger is not None and self._outlet is not None:
            self._began = clock()
            self._due = self._began + self._outlet.interval
            self._thread = threading.Thread(
                target=self._watch, name="compaction-call-progress", daemon=True
            )
            self._thread.start()
        with self._pytest_writes():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Wrapper:
        """Take what an item has used from its record, once it is done."""
        self._take(report)
        if report.passed and report.when != "call":
            result = yield  # of which pytest writes nothing
        else:
            with self._pytest_writes():
                result = yield
        self._look()
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self) -> Wrapper:
        """Let pytest write."""
        with self._pytest_writes():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> Wrapper:
        """Let pytest-xdist say that a worker died."""
        with self._pytest_writes():
            return (yield)

    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to the debugger for the rest of the run."""
        self._stop()

    def _take(self, report: pytest.TestReport) -> None:
        if self._ledger is None or self._plans is None:
            return
        record = record_of(report)
        if record is not None:
            self._records[report.nodeid] = record
        if report.when == "teardown":
            last = self._records.pop(report.nodeid, None)
            own, shared = self._plans.taken(last) if last is not None else (0, 0)
            self._ledger.finish(report.nodeid, own, shared)

    @contextmanager
    def _pytest_writes(self) -> Iterator[None]:
        """Keep the line out of the way of what pytest writes."""
        if self._thread is None or self._outlet is None:
            yield
            return
        with self._lock:
            self._outlet.erase()
            try:
                yield
            finally:
                if not self._end.is_set():
                    self._outlet.restore()

    def _watch(self) -> None:
        while not self._end.wait(_LOOK_S):
            self._look()

    def _look(self) -> None:
        """Show how far the run is, if it is time."""
        with self._lock:
            if self._thread is None or self._end.is_set():
                return
            now = clock()
            if now < self._due or self._outlet is None or self._ledger is None:
                return
            self._due = now + self._outlet.interval
            try:
                found = so_far(self._accounts)
            except sqlite3.Error:
                return  # the next look may find it, and the run itself says what is wrong
            known, guessed = self._ledger.total, self._ledger.guessed
            text = progress_text(found, known, guessed, now - self._began)
            self._outlet.show(f"compaction: {text}")

    def _stop(self) -> None:
        self._end.set()
        with self._lock:
            if self._outlet is not None:
                self._outlet.erase()
        if self._thread is not None:
            self._thread.join(_END_S)


def _of_nodes(nodes: Iterable[pytest.Item]) -> Iterator[tuple[str, BenchmarkItem, bool]]:
    for node in nodes:
        item = item_of(node)
        if item is not None:
            yield node.nodeid, item, "judge" in getattr(node, "fixturenames", ())


def _of_ids(
    session: BenchmarkSession, ids: Iterable[str]
) -> Iterator[tuple[str, BenchmarkItem, bool]]:
    """The same from node ids, which are all that the controller of workers knows of the items."""
    from pytest_compaction.session.worker_share import group_of

    known = {id: item for kind in KINDS.values() for id, item in items_of(kind, session).items()}
    names = {name: name for name in known}
    for nodeid in ids:
        item = known.get(group_of(nodeid, names) or "")
        if item is not None:
            yield nodeid, item, True
