"""Which failures are printed whole: those of the lowest items, so that a run stays readable."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Final

import pytest

from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports import LOWEST, Line, counted, item_lines, width_of, write_lines
from pytest_compaction.session.items.report import fit_failure, is_below, record_of

BELOW: Final = "b"
_LIST: Final = f"-r{BELOW} has a line for each"


class ShownFailures:
    """Has the failures of the ``most`` lowest items printed (``None``: of all items)."""

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
        if self._most is None:
            return items
        return min(self._most, LOWEST) if verbose else 0

    def write(self, terminal: pytest.TerminalReporter, pass_score: float) -> None:
        """Write with ``-rb`` a line for each item below the pass score that was not printed."""
        if terminal.hasopt(BELOW):
            for records, title in ((self._left_out, "more below"), (_below(terminal), "below")):
                if records:
                    terminal.section(f"{len(records)} {title} {pass_score:g}")
                    write_lines(terminal, item_lines(records, width_of(terminal)))

    def lines(self, terminal: pytest.TerminalReporter, pass_score: float) -> Iterator[Line]:
        """How many items below the pass score were not shown, and how to see them."""
        if terminal.hasopt(BELOW):
            return
        if self._left_out:
            text = f"{len(self._left_out)} more below {pass_score:g}: {_LIST}, -v prints each"
            yield Line(text, "dim")
        if below := _below(terminal):
            yield Line(f"{counted(len(below), 'item')} below {pass_score:g}: {_LIST}", "dim")


def _below(terminal: pytest.TerminalReporter) -> list[Record]:
    reports = [report for found in terminal.stats.values() for report in found]
    below = [each for each in reports if isinstance(each, pytest.TestReport) and is_below(each)]
    return [record for report in below if (record := record_of(report))]


def _score(report: Any) -> float | None:
    record = record_of(report) if isinstance(report, pytest.TestReport) else None
    if record is None or record["status"] != "failed" or went_wrong_later(record):
        return None
    score: float | None = record.get("overall")
    return score
