"""A benchmark whose cases run elsewhere: what it refuses, and its hooks in pytest."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_compaction.run import ExecutorError, opener_for
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import OptionError


def check_executor(session: BenchmarkSession, added_models: Iterable[str]) -> None:
    settings = session.settings
    opener_for(settings.executor)
    where = f"--compaction-executor={settings.executor}"
    if session.has_dialogues:
        raise OptionError(
            f"{where} runs cases, and dialogues are named; replay those in a run without it"
        )
    for name in sorted(set(added_models).intersection(settings.models)):
        raise OptionError(
            f"{where}: the model {name!r} is added by a plugin or conftest.py, so it exists in "
            "this process alone; take a model at an endpoint, or leave the executor out"
        )
    parts = (part for spec in session.specs for part in spec.parts or (spec,))
    for part in parts:
        if part.target in session.registry.added:
            raise OptionError(
                f"{where}: the strategy {part.target!r} is added by a plugin or conftest.py, so "
                "it exists in this process alone; name it as module:function"
            )


class RemoteRun:
    def __init__(self, session: BenchmarkSession) -> None:
        self._session = session

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Connect now, so that a run without workers ends before anything is measured."""
        if session.config.getoption("collectonly") or self._session.elsewhere is None:
            return
        try:
            self._session.elsewhere.tasks.connect()
        except ExecutorError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Take in what tasks under way pay for before the bill is made."""
        if self._session.elsewhere is not None:
            self._session.work_loop.wait(self._session.elsewhere.drain())
            self._session.elsewhere.tasks.close()

    def pytest_report_header(self) -> str:
        if self._session.elsewhere is None:
            return "compaction: replies come from the store alone, so cases run in this process"
        where = self._session.settings.executor
        return f"compaction: cases run at {where}, without workers of pytest-xdist"
