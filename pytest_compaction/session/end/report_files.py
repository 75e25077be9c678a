"""The files that a run writes at its end beside its records: reports, and those of a CI service."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.reports import (
    ACTIONS,
    SUMMARY,
    FinishedRun,
    Line,
    check_place,
    file_line,
    marked_failure,
    suite_properties,
    write_files,
    write_summary,
    write_unwrapped,
)
from pytest_compaction.session.end.finish import RunRecorder
from pytest_compaction.session.end.run_gate import error_reports, send
from pytest_compaction.settings import Settings


class ReportFiles:
    """Writes them once the gate has decided."""

    def __init__(self, settings: Settings, root: Path, recorder: RunRecorder) -> None:
        self._paths = {name: root / name for name in settings.reports}
        self._recorder = recorder
        self._session: pytest.Session | None = None
        self._done = False
        self._written: dict[str, str | None] = {}
        self._line: str | None = None
        """What the gate said in them."""

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Refuse a path that cannot be written now, before any item runs."""
        self._session = session
        if session.config.getoption("collectonly"):
            return
        for name, path in self._paths.items():
            try:
                check_place(path)
            except OSError as error:
                raise pytest.UsageError(
                    f"--compaction-report={name}: cannot write this file: "
                    f"{error.strerror or error}; name another place"
                ) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Write all files once the gate has decided; one that cannot be written is an error."""
        result = yield
        if self._paths and self._ran(session):
            self._write(session)
            failed = {name: why for name, why in self._written.items() if why is not None}
            for name, why in failed.items():
                send(session, error_reports([f"report={name}"], f"was not written: {why}"))
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._session is not None:
            write_unwrapped(terminalreporter, self._end(self._session))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Give JUnit the figures of the whole run; mark a failed gate for GitHub Actions."""
        plugins = session.config.pluginmanager
        files = [each for each in plugins.get_plugins() if hasattr(each, "add_global_property")]
        if files and self._ran(session):
            for name, value in suite_properties(self._recorder.finished(session)):
                for file in files:
                    file.add_global_property(name, value)
        result = yield
        lost = self._end(session)  # nothing is left to do if there was a summary
        reporter = plugins.get_plugin("terminalreporter")
        if reporter is not None:
            write_unwrapped(reporter, lost)
            if ACTIONS in os.environ and self._ran(session):
                command = marked_failure(self._recorder.finished(session), os.environ)
                if command is not None:
                    reporter.ensure_newline()
                    reporter.write_line(command)
        return result

    def _write(self, session: pytest.Session) -> FinishedRun:
        run = self._recorder.finished(session)
        if self._line != run.line:
            self._written, self._line = write_files(run, self._paths), run.line
        return run

    def _end(self, session: pytest.Session) -> list[Line]:
        """Write once what is not yet written; the lines say where files lie, or why they do not."""
        if self._done or not self._ran(session):
            return []
        self._done = True
        if not self._paths and SUMMARY not in os.environ:
            return []
        run = self._write(session)
        lines = [file_line(name, why) for name, why in self._written.items()]
        return [*lines, *write_summary(run, os.environ)]

    def _ran(self, session: pytest.Session) -> bool:
        if session.config.getoption("collectonly"):
            return False
        return session.exitstatus != pytest.ExitCode.USAGE_ERROR
