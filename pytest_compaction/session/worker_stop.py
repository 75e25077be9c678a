"""The end of a worker when its run was stopped: it cancels what it asks, and runs no more items."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_compaction.run.loops.work_loop import RunStoppedError
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.shared.files import WorkerShare
from pytest_compaction.session.shared.stop_signal import on_stop


class WorkerStop:
    """Watches for the signal of the controller; registered only on workers of pytest-xdist."""

    def __init__(self, session: BenchmarkSession, share: WorkerShare) -> None:
        self._session = session
        self._share = share

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Begin to watch."""

        def stop() -> None:
            session.shouldstop = session.shouldstop or "the run was stopped"
            self._session.stop()

        on_stop(self._share.folder, stop)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Skip the item that was waiting: it has no result, and nothing is wrong with it."""
        try:
            yield
        except RunStoppedError as error:
            pytest.skip(str(error))
