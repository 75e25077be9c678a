"""What a worker of pytest-xdist does with what it was told: its items, and its end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Sequence
from typing import Final

import pytest

from pytest_compaction.run import RunStoppedError
from pytest_compaction.session.items.collection import groups_and_cases
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.worker_share import WorkerShare, dealt, units_of

_LOOK_S: Final = 0.1


def own_items(session: BenchmarkSession, items: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    """The items that this worker will do, in their order; its requests are bounded accordingly."""
    share = session.worker_share
    if share is None or share.place is None:
        return items
    nodeids = [item.nodeid for item in items]
    units = units_of(nodeids, *groups_and_cases(session), share.workers)
    shares = dealt(units, share.workers)
    if share.place >= len(shares):
        return ()
    session.work_loop.limit.most = share.requests(len(shares))
    if share.left is not None:
        place = {nodeid: number for number, nodeid in enumerate(nodeids)}
        return [items[place[nodeid]] for nodeid in share.left if nodeid in place]
    return [items[number] for number in shares[share.place]]


class WorkerStop:
    """Ends a worker whose run was stopped: it cancels what it asks, and runs no more items."""

    def __init__(self, session: BenchmarkSession, share: WorkerShare) -> None:
        self._session = session
        self._share = share

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Begin to look; the death of the controller is a stop too."""
        controller = os.getppid()

        def look() -> None:
            while not self._share.is_stopped and os.getppid() == controller:
                time.sleep(_LOOK_S)
            session.shouldstop = session.shouldstop or "the run was stopped"
            self._session.stop()

        threading.Thread(target=look, name="compaction-stop", daemon=True).start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Skip the item that was waiting: it has no result, and nothing is wrong with it."""
        try:
            yield
        except RunStoppedError as error:
            pytest.skip(str(error))
