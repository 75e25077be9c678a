"""The figures of a whole run as properties of a test suite, for JUnit files."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.reports.outlets.finished_run import FinishedRun, figures_of_strategies
from pytest_compaction.text import printable


def suite_properties(run: FinishedRun) -> Iterator[tuple[str, str]]:
    """Name and value of each: the scores of every strategy with their intervals, and the gate."""
    for found in figures_of_strategies(run):
        for name, figure in found.figures.items():
            if figure.value is None:
                continue
            place = printable(f"compaction.{found.name}.{name}")
            yield place, f"{figure.value:.4f}"
            if figure.interval is not None:
                low, high = figure.interval
                yield f"{place}.interval", f"{low:.4f} {high:.4f}"
    if run.outcome != "none":
        yield "compaction.gate", run.outcome
    if run.line:
        yield "compaction.gate.line", printable(run.line)
