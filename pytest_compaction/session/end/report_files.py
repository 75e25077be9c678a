"""What a run writes when it has ended, beside its records: reports, and what a CI service reads.

Runs only in the controlling process.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.reports.lines import Line, write_lines
from pytest_compaction.reports.outlets.report_file import check_place
from pytest_compaction.reports.outlets.suite_properties import suite_properties
from pytest_compaction.reports.outlets.written_files import (
    ACTIONS,
    SUMMARY,
    marked_failure,
    write_files,
    write_summary,
)
from pytest_compaction.session.end.finish import RunRecorder
from pytest_compaction.settings import Settings


class ReportFiles:
    """Writes the files of ``--compaction-report``, and what GitHub Actions and JUnit show."""

    def __init__(
        self,
        settings: Settings,
        root: Path,
        recorder: RunRecorder,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._paths = {name: root / name for name in settings.reports}
        self._recorder = recorder
        self._environment = environment
        self._session: pytest.Session | None = None
        self._done = False

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

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write all files and say which, below the summary of the run."""
        if self._session is not None:
            write_lines(terminalreporter, self._written(self._session))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Give JUnit the figures of the whole run; mark a failed gate for GitHub Actions."""
        self._tell_junit(session)
        result = yield
        lost = self._written(session)  # nothing is left to do if there was a summary
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            write_lines(reporter, lost)
            self._mark_failure(session, reporter)
        return result

    def _written(self, session: pytest.Session) -> list[Line]:
        """Write all files once; the lines say where they lie, or why they were not written."""
        if self._done or not self._ran(session):
            return []
        self._done = True
        if not self._paths and SUMMARY not in self._environment:
            return []
        run = self._recorder.finished(session)
        lines = list(write_files(run, self._paths))
        if any(line.style == "bad" for line in lines) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return [*lines, *write_summary(run, self._environment)]

    def _mark_failure(self, session: pytest.Session, reporter: pytest.TerminalReporter) -> None:
        """One workflow command for GitHub Actions if the gate fails the run."""
        if ACTIONS not in self._environment or not self._ran(session):
            return
        command = marked_failure(self._recorder.finished(session), self._environment)
        if command is not None:
            reporter.ensure_newline()
            reporter.write_line(command)

    def _tell_junit(self, session: pytest.Session) -> None:
        """Properties of the whole test suite, as ``record_testsuite_property`` adds them."""
        plugins = session.config.pluginmanager.get_plugins()
        found = [plugin for plugin in plugins if hasattr(plugin, "add_global_property")]
        if not found or not self._ran(session):
            return
        for name, value in suite_properties(self._recorder.finished(session)):
            for plugin in found:
                plugin.add_global_property(name, value)

    def _ran(self, session: pytest.Session) -> bool:
        """Whether there was a run to report."""
        if session.config.getoption("collectonly"):
            return False
        return session.exitstatus != pytest.ExitCode.USAGE_ERROR
