"""Which failures are printed whole: those of the lowest items, so that a run stays readable."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pytest

from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports import LOWEST, Line, item_lines, width_of, write_lines
from pytest_compaction.session.items.report import fit_failure, is_below, record_of

BELOW = "b"
"""The letter after ``-r`` for items below the pass score that do not fail for it."""


class ShownFailures:
    """Has the failures of the ``most`` lowest items printed (``None``: of all items).

    Each of the others has a line in a table, and none in pytest's short summary. Only items
    that failed for their score are left out: whatever else failed is printed.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._left_out: list[Record] = []
        self.any_shown = False
        """Whether the failure of an item below the pass score is printed, or its line."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Have pytest print the lowest ones, within the width of the terminal."""
        stats = terminalreporter.stats
        for report in (*stats.get("failed", []), *stats.get("error", [])):
            fit_failure(report, width_of(terminalreporter))
        failed = stats.get("failed", [])
        scored = [report for report in failed if _score(report) is not None]
        self.any_shown = bool(scored)
        if self._most is None or terminalreporter.verbosity >= 1 or len(scored) <= self._most:
            return (yield)
        # The lowest first; those of one score by their ids, in whatever order they came.
        ranked = sorted(scored, key=lambda report: (_score(report) or 0.0, report.nodeid))
        hidden = {id(report) for report in ranked[self._most :]}
        self._left_out = [
            r for report in failed if id(report) in hidden and (r := record_of(report))
        ]
        stats["failed"] = [report for report in failed if id(report) not in hidden]
        try:
            return (yield)
        finally:
            stats["failed"] = failed

    def lowest(self, items: int, verbose: bool) -> int:
        """How many of the lowest of some items are named where nothing failed."""
        if self._most is None:
            return items
        return min(self._most, LOWEST) if verbose else 0

    def write(self, terminal: pytest.TerminalReporter, pass_score: float) -> None:
        """Write the table of those left out and, with ``-rb``, that of the measured ones."""
        if self._left_out:
            self._table(
                terminal, self._left_out, f"{len(self._left_out)} more below {pass_score:g}"
            )
            text = "the failure of each: --compaction-show=all or -v"
            write_lines(terminal, [Line(text, "dim")])
        if terminal.hasopt(BELOW):
            below = _below(terminal)
            if below:
                self._table(terminal, below, f"{len(below)} below {pass_score:g}")

    @staticmethod
    def hint(terminal: pytest.TerminalReporter, pass_score: float) -> Iterator[Line]:
        """How to see the items that were measured below the pass score, if they were not shown."""
        count = 0 if terminal.hasopt(BELOW) else len(_below(terminal))
        if count:
            what = "item" if count == 1 else "items"
            yield Line(f"{count} {what} below {pass_score:g}, a line each: -r{BELOW}", "dim")

    @staticmethod
    def _table(terminal: pytest.TerminalReporter, records: Sequence[Record], title: str) -> None:
        terminal.section(title)
        write_lines(terminal, item_lines(records, width_of(terminal)))


def _below(terminal: pytest.TerminalReporter) -> list[Record]:
    """The records of items that are below the pass score without failing for it."""
    reports = [report for found in terminal.stats.values() for report in found]
    return [
        record
        for report in reports
        if isinstance(report, pytest.TestReport)
        and is_below(report)
        and (record := record_of(report)) is not None
    ]


def _score(report: Any) -> float | None:
    """The score of an item that failed for it alone."""
    record = record_of(report) if isinstance(report, pytest.TestReport) else None
    if record is None or record["status"] != "failed" or went_wrong_later(record):
        return None
    score: float | None = record.get("overall")
    return score
