"""Which failures are printed whole: those of the lowest items, so that a run stays readable."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from pytest_compaction.records.record import went_wrong_later
from pytest_compaction.reports.lines import Line
from pytest_compaction.session.items.report import record_of


class ShownFailures:
    """Leaves out the failure sections of all but the ``most`` lowest items (``None``: of none).

    Each of them has its line in pytest's short summary. Only items below the pass score are left
    out: whatever else failed is printed.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._failed: list[Any] | None = None
        self._stats: dict[str, list[Any]] = {}
        self._left_out = 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Have pytest print the others."""
        failed = terminalreporter.stats.get("failed", [])
        if self._most is not None and terminalreporter.verbosity < 1:
            shown = self._shown(failed, self._most)
            self._failed, self._stats = failed, terminalreporter.stats
            self._left_out = len(failed) - len(shown)
            terminalreporter.stats["failed"] = shown
        try:
            return (yield)
        finally:
            self.restore()

    def restore(self) -> None:
        """Make pytest's list of failures whole again, for its short summary."""
        if self._failed is not None:
            self._stats["failed"] = self._failed
            self._failed = None

    def lines(self) -> list[Line]:
        """How many were left out; empty if none was."""
        if not self._left_out:
            return []
        what = "failure is" if self._left_out == 1 else "failures are"
        text = (
            f"{self._left_out} further {what} not printed; --compaction-show=all or -v prints all"
        )
        return [Line(text, "dim")]

    def _shown(self, failed: Sequence[Any], most: int) -> list[Any]:
        scores = {id(report): score for report in failed if (score := _score(report)) is not None}
        lowest = sorted(scores.items(), key=lambda pair: pair[1])
        hidden = {name for name, _ in lowest[most:]}
        return [report for report in failed if id(report) not in hidden]


def _score(report: Any) -> float | None:
    """The score of an item that failed for it alone."""
    record = record_of(report)
    if record is None or record["status"] != "failed" or went_wrong_later(record):
        return None
    score: float | None = record.get("overall")
    return score
