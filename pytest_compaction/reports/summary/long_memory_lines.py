"""The tables of long conversations in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, Line
from pytest_compaction.reports.tables.long_memory_tables import LABEL, long_memory_tables
from pytest_compaction.reports.tables.table_page import plain_table


def long_memory_lines(groups: Mapping[str, Sequence[Record]]) -> Iterator[Line]:
    """The tables of the questions about long conversations, each under an empty line."""
    for found in long_memory_tables(groups):
        yield Line("")
        title, *rest = plain_table(found, WIDTH, LABEL)
        yield Line(title, "bold")
        yield from map(Line, rest)
