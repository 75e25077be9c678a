"""Dialogue tables as plain columns, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pytest_compaction.dialogues.evaluation import Evaluation
from pytest_compaction.reports.dialogues.breakdowns import strategies_table, tables_of
from pytest_compaction.reports.tables.table import Table
from pytest_compaction.reports.tables.table_page import (
    WIDTH,
    clipped,
    escaped,
    json_table,
    markdown_table,
    plain_table,
)
from pytest_compaction.text import printable


def plain(evaluations: Sequence[Evaluation], width: int = WIDTH) -> Iterator[str]:
    """The tables as lines of at most ``width`` cells, one evaluation after the other."""
    for number, (title, tables) in enumerate(_blocks(evaluations)):
        if number:
            yield ""
        yield clipped(printable(title, width), width)
        for table in tables:
            yield ""
            yield from plain_table(table, width)


def markdown(evaluations: Sequence[Evaluation]) -> str:
    """The tables as GitHub-flavoured Markdown."""
    parts: list[str] = []
    for title, tables in _blocks(evaluations):
        parts.append(f"# {escaped(printable(title))}")
        for table in tables:
            parts += markdown_table(table)
    return "\n\n".join(parts) + "\n"


def as_json(evaluations: Sequence[Evaluation]) -> str:
    """The tables as JSON with unrounded figures: ``null`` is not recorded or not defined.

    ``{"evaluations": [{"title", "tables": {name: {"title", "rows": [{key: value}],
    "notes"}}}]}``, and ``"strategies"`` beside it when there are several.
    """
    data: dict[str, Any] = {
        "evaluations": [
            {
                "title": item.title,
                "tables": {table.name: json_table(table) for table in tables_of(item)},
            }
            for item in evaluations
        ]
    }
    if len(evaluations) > 1:
        data["strategies"] = json_table(strategies_table(evaluations))
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _blocks(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, Iterable[Table]]]:
    if len(evaluations) > 1:
        yield "Side by side", [strategies_table(evaluations)]
    for item in evaluations:
        yield item.title, tables_of(item)
