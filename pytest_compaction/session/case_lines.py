"""Progress of a run of cases: a line for each case once it is done, in place of a letter an item.

With ``-v``, for dialogues and for very many cases pytest's own progress stays, and so does that of
all other tests of the session. Runs only in the controlling process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

import pytest

from pytest_compaction.records import Record, type_of
from pytest_compaction.reports import case_line
from pytest_compaction.session.end.run_gate import RULES, is_rule
from pytest_compaction.session.items.collection import groups_and_cases, item_of
from pytest_compaction.session.items.report import record_of
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.worker_share import group_of

MOST_LINES: Final = 100
Status = tuple[str, str, str | tuple[str, dict[str, bool]]]
_PERCENT: Final = len(" [100%]") + 1
"""Columns that pytest's own progress takes at the end of a line."""
_OURS: Final = -2
"""Marker for pytest that the current line belongs to no path, so that a new one begins."""


class CaseLines:
    """Collects the records of each case and writes its line with the last of them."""

    def __init__(self, session: BenchmarkSession, config: pytest.Config) -> None:
        self._session = session
        self._config = config
        self._case_of: dict[str, str] = {}
        self._left: Counter[str] = Counter()
        self._records: dict[str, list[Record]] = {}
        self._width = 0
        self._written = 0
        self._end = 0
        """The column in which the line of a case ended, if pytest has written nothing since."""

    @property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.get_plugin("terminalreporter")

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if session.items:
            cases = {n.nodeid: item.mark["case"] for n in session.items if (item := item_of(n))}
            self._expect(cases)
        try:
            return (yield)
        finally:
            for case in list(self._records):
                self._write(case)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if not self._case_of:
            groups, cases = groups_and_cases(self._session)
            found = {nodeid: group_of(nodeid, groups) for nodeid in ids}
            self._expect({id: cases[group] for id, group in found.items() if group in cases})

    def _expect(self, case_of: Mapping[str, str]) -> None:
        names = dict.fromkeys(case_of.values())
        self._width = max(map(len, names), default=0)
        plain = type(self._reporter) is pytest.TerminalReporter
        if plain and self._config.get_verbosity() <= 0 and len(names) <= MOST_LINES:
            self._case_of = dict(case_of)
            self._left = Counter(case_of.values())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Keep pytest from naming the file of an item of a case, as it does without workers."""
        ours = nodeid in self._case_of or (self._left and nodeid.startswith(RULES))
        if ours and hasattr(self._reporter, "currentfspath"):
            self._reporter.currentfspath = self._config.rootpath / nodeid.partition("::")[0]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(
        self, report: pytest.TestReport
    ) -> Generator[None, object, object]:
        """Take in the record of an item; a letter of any other test begins a line of its own."""
        case = self._case_of.get(report.nodeid)
        record = record_of(report)
        quiet = report.passed and (report.when != "call" or is_rule(report))
        ours = case is not None and record is not None and type_of(record) == "probe"
        writer = self._config.get_terminal_writer()
        if self._end and writer.width_of_current_line == self._end and not ours and not quiet:
            writer.line()
        result = yield
        if case is not None and (report.when == "call" or report.failed):
            del self._case_of[report.nodeid]
            self._left[case] -= 1
            if ours and record is not None:
                self._records.setdefault(case, []).append(record)
            if not self._left[case]:
                self._write(case)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Leave no unfinished line to what is written at the end."""
        if self._left and hasattr(self._reporter, "currentfspath"):
            self._reporter.currentfspath = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_teststatus(self, report: object) -> Generator[None, Status, Status]:
        """Have pytest count an item of a case, and a rule that holds, without a letter."""
        category, letter, word = yield
        if self._left and letter and isinstance(report, pytest.TestReport):
            record = record_of(report)
            of_case = (
                record is not None and type_of(record) == "probe" and report.when != "teardown"
            )
            if of_case or (is_rule(report) and report.passed):
                letter = ""
        return category, letter, word

    def _write(self, case: str) -> None:
        records = self._records.pop(case, [])
        if not records:
            return
        self._written += 1
        room = self._config.get_terminal_writer().fullwidth - _PERCENT
        place = f"[{self._written:>{len(str(len(self._left)))}}/{len(self._left)}]"
        least = self._session.settings.pass_score
        text = case_line(case, records, least, place, self._width, room)
        writer = self._config.get_terminal_writer()
        if writer.width_of_current_line:
            writer.line()
        writer.write(text.rstrip(), flush=True)
        self._end = writer.width_of_current_line
        if hasattr(self._reporter, "currentfspath"):
            self._reporter.currentfspath = _OURS
