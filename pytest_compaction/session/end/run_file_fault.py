"""What is said of a run whose file could not be written: the records are lost, so it is red."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_compaction.records.runs.run_file import RunWriter
from pytest_compaction.reports.lines import Line
from pytest_compaction.session.end.gate_reports import error_reports, send
from pytest_compaction.text.words import printable

RUN_FILE: Final = "run-file"
"""The rule that all records of a run are in its file."""


def report_missing(session: pytest.Session, writer: RunWriter | None) -> bool:
    """Try once more to write what the file lacks; an error among the tests if that fails.

    Returns whether there is such an error.
    """
    if writer is None or writer.problem is None:
        return False
    writer.close()
    if not writer.missing:
        return False
    send(session, error_reports([RUN_FILE], _why(writer)))
    return True


def fault_line(writer: RunWriter, shown: str) -> Line | None:
    """What is wrong with the file, which is ``shown`` so; ``None`` if nothing is."""
    if writer.problem is None:
        return None
    if writer.missing:
        text = f"{_why(writer)}; free some room or name another --compaction-runs, and run again"
    else:
        text = (
            f"records: {shown} holds all records but could not be completed: {_reason(writer)}; it "
            "lacks the figures of the whole run"
        )
    return Line(printable(text), "bad")


def _why(writer: RunWriter) -> str:
    count = len(writer.run.by_item)
    lacks = f"{writer.missing} of {count}" if writer.path is not None else f"all {count}"
    return f"{lacks} records could not be written: {_reason(writer)}"


def _reason(writer: RunWriter) -> str:
    return (writer.problem and writer.problem.strerror) or str(writer.problem)
