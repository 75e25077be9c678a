"""A run as CSV: one row an item, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io

from pytest_compaction.records.runs.items import Scalar, columns, row_of
from pytest_compaction.reports.outlets.finished_run import FinishedRun
from pytest_compaction.reports.tables.table_page import inert
from pytest_compaction.text import printable


def csv_report(run: FinishedRun) -> str:
    """One row for each item under a row of heads; nothing in it runs as a formula.

    Columns as in :func:`~pytest_compaction.records.runs.items.columns`; lines end in CR LF and
    texts with a comma, a quote or a line break stand in quotes. Source: RFC 4180 (2005),
    section 2.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = columns()
    writer.writerow(names)
    for record in run.records:
        row = row_of(record)
        writer.writerow([_cell(row[name]) for name in names])
    return out.getvalue()


def _cell(value: Scalar) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, str):
        return str(inert(printable(value)))
    return value
