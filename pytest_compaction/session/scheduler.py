"""Scheduling under pytest-xdist: items that share work stay on one worker.

Imported only when xdist is installed. ``--dist=loadgroup`` is no alternative: it rewrites
item ids, which pytest 9 does not allow.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

from pytest_compaction.folders import TemporaryFolder
from pytest_compaction.session.items.collection import groups_and_cases
from pytest_compaction.session.named_files import to_workers
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.worker_share import WorkerShare, dealt, units_of

_FEW: Final = 2
"""Items of a worker up to which it is given more."""


class CaseScheduling(LoadScopeScheduling):
    """Hands out the items of a unit together, and other tests one by one.

    With ``at_once`` a worker with a place (``compaction_place`` of its input) is sent its share at
    once, in the order of :func:`~pytest_compaction.session.worker_share.dealt`. The others get a
    unit when they have nearly done the last one; at most ``at_work`` workers are. A worker that
    takes the place of a dead one is sent what that one left, without the item that it died of.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Any,
        groups: Mapping[str, str],
        cases: Mapping[str, str],
        at_work: int | None = None,
        at_once: bool = False,
    ) -> None:
        super().__init__(config, log)
        self.collection: list[str] | None = None
        self.workqueue: OrderedDict[Any, dict[str, bool]] = OrderedDict()
        """Items that wait, by unit; a share has the number of its place for a unit."""
        self._groups = groups
        self._cases = cases
        self._at_work = min(at_work or self.numnodes, self.numnodes)
        self._at_once = at_once
        self._unit_of: dict[str, str | int] = {}
        self._number_of: dict[str, int] = {}

    def left_at(self, place: int) -> list[str] | None:
        """The items that a dead worker left at its place; ``None`` if nobody was there yet."""
        return list(self.workqueue.get(place, ())) if self._number_of else None

    def schedule(self) -> None:
        """Begin to hand out items, or hand them to a worker that came later."""
        if self.collection is None:
            if not self._check_nodes_have_same_collection():
                self.log("**Different tests collected, aborting run**")
                return
            self._divide(list(next(iter(self.registered_collections.values()))))
        for node in self.nodes:
            self._reschedule(node)
            self._reschedule(node)  # it needs two items to begin with the first

    def _divide(self, nodeids: list[str]) -> None:
        self.collection = nodeids
        self._number_of = {nodeid: number for number, nodeid in enumerate(nodeids)}
        units = units_of(nodeids, self._groups, self._cases, self._at_work)
        if not self._at_once and None in units:
            self._at_work = self.numnodes
        for nodeid, unit in zip(nodeids, units, strict=True):
            self._unit_of[nodeid] = unit or nodeid
        for place, share in enumerate(dealt(units, self._at_work) if self._at_once else ()):
            self._unit_of.update((nodeids[number], place) for number in share)
        for nodeid in nodeids:
            self._wait(nodeid)

    def _wait(self, nodeid: str) -> None:
        self.workqueue.setdefault(self._unit_of[nodeid], {})[nodeid] = False

    def remove_node(self, node: Any) -> str | None:
        """Keep the items of a dead worker for others, except the one that killed it.

        Returns that item; ``None`` when the worker had nothing left to do. Raises ``KeyError`` for
        one that died before it was taken in.
        """
        pending: list[str] = list(self.assigned_work.pop(node))
        if not pending:
            return None
        killer, *left = pending
        waiting, self.workqueue = self.workqueue, OrderedDict()
        for nodeid in left:
            self._wait(nodeid)
        self.workqueue.update(waiting)
        for other in self.nodes:
            self._reschedule(other)
        return killer

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Note that an item is done, and give the worker more; the last item ends all workers."""
        nodeids = self.registered_collections[node]
        del self.assigned_work[node][nodeids[item_index]]
        self._reschedule(node)
        for other in self.nodes:
            self._reschedule(other)

    def _reschedule(self, node: Any) -> None:
        """Give a worker more if it needs more; let it end if there is nothing left for it."""
        if node not in self.registered_collections or node.shutting_down:
            return
        place = _place_of(node)
        unit = next((unit for unit in self.workqueue if isinstance(unit, str)), None)
        if place in self.workqueue:
            self._give(node, place)
        elif unit is None:
            node.shutdown()
        elif len(self.assigned_work[node]) <= _FEW:
            ready = [each for each in self.nodes if each in self.registered_collections]
            if self._at_once or node in ready[: self._at_work]:
                self._give(node, unit)

    def _give(self, node: Any, unit: str | int) -> None:
        """Send a worker a unit, unless it died, which xdist has not told yet."""
        items = self.workqueue[unit]
        try:
            node.send_runtest_some([self._number_of[nodeid] for nodeid in items])
        except OSError:
            return
        self.assigned_work[node].update(self.workqueue.pop(unit))

    def _pending_of(self, workload: Mapping[str, bool]) -> int:
        return len(workload)


def _place_of(node: Any) -> Any:
    return node.workerinput.get("compaction_place")


class Scheduling:
    """Keeps items of one group on one worker; registered only with xdist."""

    at_work: int | None = None
    at_once = False

    def __init__(self, groups: Mapping[str, str], cases: Mapping[str, str] | None = None) -> None:
        self._groups = groups
        self._cases_of_groups = cases or {}
        self.scheduler: CaseScheduling | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Replace the default scheduler; a mode chosen by the user is respected."""
        if config.getvalue("dist") == "load":
            self.scheduler = CaseScheduling(
                config, log, self._groups, self._cases_of_groups, self.at_work, self.at_once
            )
        return self.scheduler


def processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class BenchmarkScheduling(Scheduling):
    """The same for a benchmark, whose workers also share one account of what was spent.

    Where models at an endpoint are asked, each worker is dealt its cases at the beginning, so that
    it can ask for many at once. Where only code of this package runs, more workers than processors
    would only keep each other from working, and get nothing to do.
    """

    def __init__(self, session: BenchmarkSession) -> None:
        super().__init__(*groups_and_cases(session))
        self._accounts = session.endpoints.accounts if session.endpoints else None
        self._cases = to_workers(session)
        self._session = session
        self._folder: TemporaryFolder | None = None
        self._stopped: Path | None = None
        """The file that tells the workers to stop, in that folder."""
        self._running: pytest.Session | None = None
        self._vacant: list[int] = []
        """Places of workers that were not started yet, or died."""

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Take the session, which knows whether it is to stop."""
        self._running = session

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        """Stop the workers as soon as there were too many failures (``-x``, ``--maxfail``)."""
        if self._running and (self._running.shouldfail or self._running.shouldstop):
            self._stop_workers()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Stop workers that still work, as after Ctrl-C."""
        self._stop_workers()

    def _stop_workers(self) -> None:
        if self._stopped is not None:
            with suppress(FileNotFoundError):  # the folder is gone at the end of the run
                self._stopped.touch()

    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: Sequence[Any]) -> None:
        """Decide how many workers are given items, and make the folder of the sign to stop."""
        self._folder = TemporaryFolder()
        self._stopped = self._folder.path / "stopped"
        self.at_work = len(specs)
        if self._session.blocks_nowhere:
            self.at_work = min(self.at_work, processors())
        if self._session.asks_models:
            self.at_work = min(self.at_work, self._session.settings.concurrency)
            if config.getvalue("dist") == "load":
                self.at_once, self._vacant = True, list(range(len(specs)))

    def pytest_configure_node(self, node: Any) -> None:
        """Tell workers which cases there are, and whether they may work ahead: a case is whole."""
        node.workerinput["compaction_case_is_whole"] = node.config.getvalue("dist") == "load"
        node.workerinput["compaction_cases"] = self._cases
        if self._accounts is not None:
            node.workerinput["compaction_accounts"] = str(self._accounts.path)
        if self._stopped is not None and self.at_work is not None:
            place = self._vacant.pop(0) if self._vacant else None
            left = None
            if self.scheduler is not None and place is not None:
                left = self.scheduler.left_at(place)
            node.workerinput["compaction_place"] = place
            concurrency, stopped = self._session.settings.concurrency, str(self._stopped)
            share = WorkerShare(self.at_work, concurrency, place, left, stopped)
            node.workerinput["compaction_shared"] = asdict(share)

    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Count the calls that a dead worker had in flight as charged: they may have been."""
        if self._accounts is not None:
            self._accounts.write_off(node.gateway.id)
        if error and _place_of(node) is not None:
            self._vacant.append(_place_of(node))

    def pytest_unconfigure(self) -> None:
        self._stop_workers()
        if self._folder is not None:
            self._folder.close()
