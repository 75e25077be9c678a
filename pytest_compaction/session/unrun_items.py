"""Items that were selected and nobody ran: each is an error."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Final

import pytest

_LISTING: Final = ("collectonly", "showfixtures", "show_fixtures_per_test", "cacheshow")
_ENDS: Final = ("teardown", "???")
"""Phases after which no more is reported of an item; the second is that of one that crashed."""


def lists_only(config: pytest.Config) -> bool:
    return any(config.getoption(name, default=None) for name in _LISTING)


class UnrunItems:
    """Compares what was collected with what was reported; registered in the controlling process.

    pytest-xdist itself leaves out in silence what a dead worker had before it, if no other one may
    be started (``--max-worker-restart``).
    """

    def __init__(self) -> None:
        self._left: dict[str, None] = {}
        self._reported: set[str] = set()
        self._has_workers = True
        self._dead: Any = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if not lists_only(session.config):
            self._left.update((item.nodeid, None) for item in session.items)
            self._has_workers = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Take in the items of a worker; all workers have the same."""
        self._left.update((id, None) for id in ids if id not in self._reported)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self._dead = node if error else self._dead

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        """Head the report of the item that a worker died of with its name, as any other."""
        report.location = _location(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an item that came to its end; without workers, one of which anything is known."""
        if report.when in _ENDS or not self._has_workers:
            self._reported.add(report.nodeid)
            self._left.pop(report.nodeid, None)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Report what is left when all workers have ended, unless the run was to stop."""
        result = yield
        if not (session.shouldfail or session.shouldstop):
            for nodeid in list(self._left):
                session.config.hook.pytest_runtest_logreport(report=self._unrun(nodeid))
        return result

    def _unrun(self, nodeid: str) -> pytest.TestReport:
        worker = self._dead.gateway.id if self._dead is not None else "a worker"
        why = (
            f"not run: {worker} died before, and no other worker was started for it; "
            "--max-worker-restart=N allows more"
            if self._has_workers
            else "not run, or its report was withheld: a plugin or a conftest.py took it over, as "
            "in pytest_runtest_protocol or pytest_runtestloop"
        )
        report = pytest.TestReport(nodeid, _location(nodeid), {}, "failed", why, "setup")
        if self._dead is not None:
            report.node = self._dead  # type: ignore[attr-defined]  # as xdist does
        return report


def _location(nodeid: str) -> tuple[str, None, str]:
    path, _, name = nodeid.partition("::")
    return path, None, name
