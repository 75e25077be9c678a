"""Scheduling under pytest-xdist: items that share work stay on one worker.

Imported only when xdist is installed. ``--dist=loadgroup`` is no alternative: it rewrites
item ids, which pytest 9 does not allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from pytest_compaction.rule_processes.pool import processors
from pytest_compaction.session.case_queue import CaseQueue, Unit
from pytest_compaction.session.items.collection import cases_of, groups_of
from pytest_compaction.session.named_files import to_workers
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.shared.files import SharedFiles

Deal = Callable[[str, Sequence[str]], object]
"""Takes the name of a worker and the node ids that are sent to it."""


class CaseScheduling(LoadScopeScheduling):
    """Hands out the items of a group together, and other tests one by one.

    A worker is given the next group when it has fewer than ``depth`` groups to finish, or
    fewer items than xdist needs to know which one comes next. ``deal`` is told of each. At most
    ``at_work`` workers are given any, where all items are in groups. ``cases`` maps groups to the
    cases that they are about; a worker stays at its case.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Any,
        groups: Mapping[str, str],
        depth: int = 1,
        deal: Deal | None = None,
        at_work: int | None = None,
        cases: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(config, log)
        self._cases = cases or {}
        self._at_work = at_work
        self._groups = groups
        self._depth = depth
        self._deal = deal
        self._nodeids: list[str] = []
        self._queue = CaseQueue()
        self._pending: dict[Any, dict[int, Unit]] = {}
        """The items of each worker that are not done, each with what is left of its unit."""
        self._units: dict[Any, int] = {}
        self._dead: set[Any] = set()
        """Workers that take nothing more, though nobody has told of their death yet."""

    @property
    def tests_finished(self) -> bool:
        """Whether no worker needs to be told anything more than to end."""
        return (
            self.collection_is_completed
            and not self._queue
            and all(len(pending) < 2 for pending in self._pending.values())
        )

    @property
    def has_pending(self) -> bool:
        """Whether any item is not done."""
        return bool(self._queue) or any(self._pending.values())

    def add_node(self, node: Any) -> None:
        """Take a worker in."""
        super().add_node(node)
        self._pending[node] = {}
        self._units[node] = 0

    def remove_node(self, node: Any) -> str | None:
        """Hand on the items of a dead worker, except the one that killed it: it would do so again.

        Returns that item; ``None`` when the worker had nothing left to do. Raises ``KeyError`` for
        one that died before it was taken in.
        """
        self.assigned_work.pop(node)
        self._dead.discard(node)
        del self._units[node]
        pending = self._pending.pop(node)
        if not pending:
            return None
        killer = next(iter(pending))
        pending.pop(killer).items.remove(killer)
        units = {id(unit): unit for unit in pending.values()}
        for unit in reversed(units.values()):
            self._queue.put_back(unit)
        for other in self.nodes:
            self._reschedule(other)
        return self._nodeids[killer]

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Note that an item is done, and give the worker more."""
        unit = self._pending[node].pop(item_index)
        unit.items.remove(item_index)
        self._units[node] -= not unit.items
        self._reschedule(node)
        if not self._queue and self._at_work is not None:
            for other in self.nodes:
                self._reschedule(other)

    def schedule(self) -> None:
        """Begin to hand out items, or hand them to a worker that came later."""
        if not self._nodeids:
            if not self._check_nodes_have_same_collection():
                self.log("**Different tests collected, aborting run**")
                return
            self._nodeids = list(next(iter(self.registered_collections.values())))
            self.collection = self._nodeids
            self._wait_in_queue()
            self._deal_round()
        for node in self.nodes:
            self._reschedule(node)

    def _wait_in_queue(self) -> None:
        """Let all items wait; a group without a case is by itself, as other tests are."""
        units: dict[str, Unit] = {}
        for number, nodeid in enumerate(self._nodeids):
            group = group_of(nodeid, self._groups)
            if group is None:
                self._at_work = None
            name = group or nodeid
            unit = units.setdefault(name, Unit(self._cases.get(name, name), []))
            unit.items.append(number)
        for unit in units.values():
            self._queue.add(unit)

    def _deal_round(self) -> None:
        """Give a group to each worker in turn, so that the first cases are begun side by side."""
        for _ in range(self._depth):
            for node in self._chosen:
                if self._queue:
                    self._send(node)

    @property
    def _chosen(self) -> Sequence[Any]:
        """The workers that are given items; the next one takes the place of one that died.

        One that has not collected yet, as the replacement of a dead one, waits until it has.
        """
        ready = [node for node in self.registered_collections if self._takes_more(node)]
        return ready[: self._at_work]

    def _takes_more(self, node: Any) -> bool:
        alive = node in self.assigned_work and node not in self._dead
        return alive and not node.shutting_down

    def _reschedule(self, node: Any) -> None:
        """Give a worker more if it needs more; let it end if there is nothing left."""
        while self._queue and node in self._chosen and self._needs_more(node):
            self._send(node)
        if not self._queue and node in self.registered_collections and self._takes_more(node):
            node.shutdown()

    def _needs_more(self, node: Any) -> bool:
        return len(self._pending[node]) <= 2 or self._units[node] < self._depth

    def _send(self, node: Any) -> None:
        others = (pending for other, pending in self._pending.items() if other is not node)
        unit = self._queue.take({unit.case for pending in others for unit in pending.values()})
        if self._deal is not None:
            # Before the worker has the items: it looks here when it begins the first of them.
            self._deal(node.gateway.id, [self._nodeids[number] for number in unit.items])
        try:
            node.send_runtest_some(list(unit.items))
        except OSError:  # it died, and its items are handed on when xdist tells so
            self._queue.put_back(unit)
            self._dead.add(node)
            return
        self._pending[node].update(dict.fromkeys(unit.items, unit))
        self._units[node] += 1


def group_of(nodeid: str, groups: Mapping[str, str]) -> str | None:
    """The group of an item by the parameters in its id; ``None`` for a test of another kind.

    ``groups`` maps parameter ids to groups. A test with further parameters has
    them joined by ``-`` before or after ours.
    """
    parameters = nodeid.partition("[")[2].removesuffix("]")
    if parameters in groups:
        return groups[parameters]
    parts = parameters.split("-")
    for length in range(len(parts), 0, -1):
        for start in range(len(parts) - length + 1):
            found = groups.get("-".join(parts[start : start + length]))
            if found is not None:
                return found
    return None


class Scheduling:
    """Keeps items of one group on one worker; registered only with xdist.

    ``groups`` maps parameter ids to groups, and ``cases`` groups to cases.
    """

    depth = 1
    deal: Deal | None = None
    at_work: int | None = None

    def __init__(self, groups: Mapping[str, str], cases: Mapping[str, str] | None = None) -> None:
        self._groups = groups
        self._cases_of_groups = cases

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Replace the default scheduler; a mode chosen by the user is respected."""
        if config.getvalue("dist") != "load":
            return None
        return CaseScheduling(
            config,
            log,
            self._groups,
            self.depth,
            self.deal,
            self.at_work,
            self._cases_of_groups,
        )


class BenchmarkScheduling(Scheduling):
    """The same for a benchmark, whose workers also share one account of what was spent.

    Where models at an endpoint are asked they share the requests in flight too, and each is
    dealt enough cases for its share of them. Where only code of this package runs, one loop of a
    worker waits for all its requests. More workers than processors would only keep each other from
    working, and so get nothing to do.
    """

    def __init__(self, session: BenchmarkSession) -> None:
        super().__init__(groups_of(session), cases_of(session))
        self._accounts = session.endpoints.accounts if session.endpoints else None
        self._cases = to_workers(session)
        self._session = session
        self._shared: SharedFiles | None = None
        self._running: pytest.Session | None = None

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
        if self._shared is not None:
            self._shared.stop()

    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Make the files that the workers share."""
        if self._session.blocks_nowhere:
            self.at_work = processors()
        count = self._session.settings.concurrency
        self._shared = SharedFiles.make(count, len(specs), self.at_work)
        self.deal = self._shared.deal
        if self._session.asks_models:
            self.depth = self._shared.share + 2

    def pytest_configure_node(self, node: Any) -> None:
        """Tell workers which cases there are, and whether they may work ahead: a case is whole."""
        node.workerinput["compaction_case_is_whole"] = node.config.getvalue("dist") == "load"
        node.workerinput["compaction_cases"] = self._cases
        if self._accounts is not None:
            node.workerinput["compaction_accounts"] = str(self._accounts.path)
        if self._shared is not None:
            node.workerinput["compaction_shared"] = self._shared.as_input()

    def pytest_testnodedown(self, node: Any) -> None:
        """Count the calls that a dead worker had in flight as charged: they may have been."""
        if self._accounts is not None:
            self._accounts.write_off(node.gateway.id)
        if self._shared is not None:
            self._shared.restore(node.gateway.id)

    def pytest_unconfigure(self) -> None:
        """Remove the files that the workers shared."""
        if self._shared is not None:
            self._shared.close()
