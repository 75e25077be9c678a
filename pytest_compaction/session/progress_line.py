"""Says while a run asks models how far it is. Runs only in the controlling process."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

import pytest

from pytest_compaction.case import CHOICE_KIND
from pytest_compaction.compactors import asks_model
from pytest_compaction.models import ChatModel, call_counts
from pytest_compaction.records import Record
from pytest_compaction.reports import cells, progress_text
from pytest_compaction.session.items.collection import item_of, items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.items.protocol import BenchmarkItem
from pytest_compaction.session.items.report import record_of
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import CONTROL

if TYPE_CHECKING:
    from pytest_compaction.session.items.dialogue import DialogueItem


@dataclass(frozen=True, slots=True)
class ItemCalls:
    """The calls of one item: its ``own``, and those that it shares with all items of a ``key``.

    ``shared`` is a mean where only a sum is known. ``guessed`` tells that the number of calls
    is not known before they are made.
    """

    own: float
    key: Hashable
    shared: float = 0.0
    guessed: bool = False


class CallLedger:
    """What is planned for the items that remain, and what the others took."""

    def __init__(self, planned: Mapping[str, ItemCalls]) -> None:
        self._left = dict(planned)
        self._shared = {plan.key: plan.shared for plan in planned.values()}
        self._settled: set[Hashable] = set()
        self._taken = 0.0

    def finish(self, item: str, own: int = 0, shared: int = 0) -> None:
        """Put what an item took in place of what was planned for it; an unknown one says nothing.

        What the items of a key share counts once, as the first of them that is done has it.
        """
        plan = self._left.pop(item, None)
        if plan is None:
            return
        self._taken += own
        if plan.key not in self._settled:
            self._settled.add(plan.key)
            self._shared[plan.key] = shared

    @property
    def total(self) -> int:
        """The calls of the whole run, as far as they are known."""
        own = math.fsum(plan.own for plan in self._left.values())
        return round(self._taken + own + math.fsum(self._shared.values()))

    @property
    def guessed(self) -> bool:
        """Whether what remains is an estimate."""
        return any(plan.guessed for plan in self._left.values())


def with_shared(planned: Mapping[str, ItemCalls], total: int) -> dict[str, ItemCalls]:
    """The same plans where all shared calls together are ``total``, as a dry run has found."""
    keys = {plan.key for plan in planned.values() if plan.shared}
    return {
        item: replace(plan, shared=total / len(keys)) if plan.shared else plan
        for item, plan in planned.items()
    }


def calls_in(usage: Mapping[str, Mapping[str, int]], roles: Iterable[str]) -> int:
    """The calls of some roles in the usage of a record."""
    return sum(usage[role].get("calls", 0) for role in roles if role in usage)


_SHARED: Final[Mapping[str, str]] = {"probe": "compaction", "dialogue": "baseline"}
"""The role whose calls the items of a group share, by the type of an item."""


class CallPlans:
    """Plans the calls of items, and reads from their records what became of the plan."""

    def __init__(self, session: BenchmarkSession) -> None:
        roles, settings = session.roles, session.settings
        self._answers = int(_at_endpoint(roles.responder))
        self._judgements = settings.judgements * sum(map(_at_endpoint, roles.judges))
        self._judges = sum(map(_at_endpoint, roles.judges))
        self._trials = settings.trials
        self._reminds = CONTROL in settings.arms
        summarises = _at_endpoint(roles.compaction)
        self._asks = {
            spec.text: summarises and asks_model(session.registry.example(spec))
            for spec in session.specs
        }
        self._own_clients = settings.calls.proxy and bool(session.asking_outside)
        self._roles = {
            role
            for role, asked in (
                ("compaction", summarises or self._own_clients),
                ("view", summarises or self._own_clients),
                ("baseline", self._answers),
                ("responder", self._answers),
                ("judge", self._judges),
            )
            if asked
        }

    def of(self, item: BenchmarkItem, judged: bool = True) -> ItemCalls | None:
        """The plan of an item; ``None`` for one that measures nothing."""
        if isinstance(item, ProbeItem):
            return self._of_probe(item, judged)
        return self._of_dialogue(cast("DialogueItem", item))

    def _of_probe(self, item: ProbeItem, judged: bool) -> ItemCalls | None:
        if item.probe is None or item.arm is None or item.error is not None:
            return None
        if item.probe.kind == CHOICE_KIND:  # rules read the letter
            own = self._answers * (2 if self._reminds and item.arm.compactor != CONTROL else 1)
        else:
            own = self._answers + (self._judgements if judged else 0)
        asks = self._asks.get(item.arm.compactor, False)
        points = len(getattr(item.case, "points", ()))
        return ItemCalls(own, item.group, points if asks else 0, asks or self._own_clients)

    def _of_dialogue(self, item: DialogueItem) -> ItemCalls | None:
        if item.arm is None or item.error is not None:
            return None
        turns = self._trials * len(getattr(item.dialogue, "turns", ()))
        asks = self._asks.get(item.arm.compactor, False)
        own = turns * (self._answers + self._judges) + (turns / 2 if asks else 0)
        return ItemCalls(own, item.group, turns * self._answers, guessed=True)

    def taken(self, record: Record) -> tuple[int, int]:
        """The calls that an item made itself, and those of its group."""
        usage: Mapping[str, Any] = record.get("usage") or {}
        shared = _SHARED.get(record.get("type", "probe"), "compaction")
        own = calls_in(usage, self._roles - {shared})
        return own, calls_in(usage, self._roles & {shared})


def _at_endpoint(model: object) -> bool:
    return isinstance(model, ChatModel)


_SECOND: Final = 1.0
_MINUTE: Final = 60.0
_CLEAR: Final = "\x1b[K"
_UP: Final = "\x1b[A"


class RewrittenLine:
    """One line of a terminal, below the one in which pytest writes, where the cursor returns to."""

    interval = _SECOND

    def __init__(self, writer: Any, file: TextIO) -> None:
        self._writer = writer
        self._file = file
        self._text = ""
        self._shown = False

    def show(self, text: str) -> None:
        """Write the line anew, cut to the width of the terminal."""
        self._text = text
        while text and cells(text) >= self._writer.fullwidth:
            text = text[:-1]
        self._below(text)
        self._shown = True

    def erase(self) -> None:
        """Empty the line, into which pytest's next line would be written."""
        if self._shown:
            self._below("")
            self._shown = False

    def restore(self) -> None:
        """Write it again below what pytest has written."""
        if self._text:
            self.show(self._text)

    def _below(self, text: str) -> None:
        # A line feed makes room at the end of the screen; how far it scrolls is not known, so
        # the way back is one line up and not to a place that was remembered.
        column = self._writer.width_of_current_line % max(self._writer.fullwidth, 1)
        back = f"\x1b[{column}C" if column else ""
        self._file.write(f"\n\r{text}{_CLEAR}{_UP}\r{back}")
        self._file.flush()


class LineAMinute:
    """A line of its own for each text, where nothing can be rewritten."""

    interval = _MINUTE

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def show(self, text: str) -> None:
        """Write the line; pytest goes on in the next one."""
        if self._writer.width_of_current_line:
            self._writer.line()
        self._writer.line(text)
        self._writer.flush()

    def erase(self) -> None:
        """Leave what was written."""

    def restore(self) -> None:
        """Write nothing again."""


Outlet = RewrittenLine | LineAMinute
"""Shows the newest text; ``interval`` is the seconds from one text to the next."""


def outlet_for(config: pytest.Config) -> Outlet | None:
    """Where the line of a run goes; ``None`` if it is to be silent.

    It is silent with ``-q``, in a debugger, and where another plugin writes the report in its own
    way. With ``-s`` and live logs others move the cursor, so that no line can be rewritten.
    """
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if type(reporter) is not pytest.TerminalReporter or config.get_verbosity() < 0:
        return None
    if config.getoption("usepdb", False) or config.getoption("trace", False):
        return None
    writer = config.get_terminal_writer()
    # What the writer writes counts as part of pytest's line, and this is none.
    file: TextIO | None = getattr(writer, "_file", None)
    shared = config.getoption("capture", "fd") == "no" or _logs_live(config)
    if file is None or shared or not (file.isatty() and writer.hasmarkup):
        return LineAMinute(writer)
    return RewrittenLine(writer, file)


def _logs_live(config: pytest.Config) -> bool:
    if not config.pluginmanager.hasplugin("logging-plugin"):
        return False
    return bool(config.getoption("log_cli_level", None) or config.getini("log_cli"))


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
                found = call_counts(self._accounts)
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
