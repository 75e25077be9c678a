"""Dialogue tables as plain columns, Markdown or JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from wcwidth import wcwidth

from pytest_compaction.dialogues.evaluation import Evaluation
from pytest_compaction.reports.dialogue_breakdowns import strategies_table, tables_of
from pytest_compaction.reports.table import Cell, Table
from pytest_compaction.text.words import printable

WIDTH: Final = 100
"""The most cells of a line in the plain form."""

_TEXT: Final = 40
"""The most cells of a text in a table."""

_LABEL: Final = 6
"""The fewest cells of the first column."""

_LARGE_SHARE: Final = 10
"""Percentages of ten times the baseline or more have no decimals."""

_HUGE_SHARE: Final = 1000
_HUGE_COUNT: Final = 10**9
"""Figures of this size or more are written with a power of ten."""

_INDENT: Final = "  "
_GAP: Final = "  "
_MARKDOWN: Final = str.maketrans({ch: f"\\{ch}" for ch in "\\`*_{}[]<>|#~"})


def written(cell: Cell) -> str:
    """A value to read: figures rounded, text safe to show and not too long."""
    value = cell.value
    if value is None:
        return cell.absent
    if isinstance(value, str):
        return _clipped(printable(value, _TEXT), _TEXT)
    if cell.form in {"percent", "change"}:
        sign = "+" if cell.form == "change" else ""
        form = ",.2f" if abs(value) < _LARGE_SHARE else ",.0f"
        form = form if abs(value) < _HUGE_SHARE else ".1e"
        text = f"{format(value * 100, sign + form)}%"
        return "0.00%" if text.lstrip("+-") == "0.00%" else text
    if cell.form == "score":
        return f"{value:.3f}"
    if cell.form == "number":
        return f"{value:,.2f}"
    return f"{value:,.0f}" if abs(value) < _HUGE_COUNT else f"{value:.2e}"


def cells(text: str) -> int:
    """Terminal cells of a printable text: two for a wide character, none for a combining one.

    The width of a text is the sum of its characters', so that a part of it can be cut off;
    a control character, which :func:`~pytest_compaction.text.words.printable` escapes, has one.
    """
    return sum(abs(wcwidth(ch)) for ch in text)  # -1 is for control characters


def _clipped(text: str, width: int) -> str:
    """The text, cut to ``width`` cells if it takes more."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def plain(evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """The tables as lines of at most :data:`WIDTH` cells, one evaluation after the other."""
    for number, (title, tables) in enumerate(_blocks(evaluations)):
        if number:
            yield ""
        yield _clipped(printable(title, WIDTH), WIDTH)
        for table in tables:
            yield ""
            yield from plain_table(table)


def plain_table(table: Table) -> Iterator[str]:
    """One table: title, head, rows and notes."""
    yield table.title
    heads = tuple(column.head for column in table.columns)
    lines = [heads, *(tuple(written(cell) for cell in row) for row in table.rows)]
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    room = WIDTH - len(_INDENT) - sum(size + len(_GAP) for size in widths[1:])
    widths[0] = min(widths[0], max(room, _LABEL))
    for label, *rest in lines:
        first = _clipped(label, widths[0])
        parts = [first + " " * (widths[0] - cells(first))]
        parts += [
            " " * (size - cells(text)) + text for text, size in zip(rest, widths[1:], strict=True)
        ]
        yield f"{_INDENT}{_GAP.join(parts)}".rstrip()
    for note in table.notes:
        yield from textwrap.wrap(
            printable(note), WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT
        )


def markdown(evaluations: Sequence[Evaluation]) -> str:
    """The tables as GitHub-flavoured Markdown."""
    parts: list[str] = []
    for title, tables in _blocks(evaluations):
        parts.append(f"# {_escaped(printable(title))}")
        for table in tables:
            parts += _markdown_table(table)
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"## {_escaped(table.title)}"
    heads = [_escaped(column.head) for column in table.columns]
    rule = ["---", *["---:"] * (len(heads) - 1)]
    rows = [[_escaped(written(cell)) for cell in row] for row in table.rows]
    yield "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *rows))
    for note in table.notes:
        yield _escaped(printable(note))


def _escaped(text: str) -> str:
    return text.translate(_MARKDOWN)


def as_json(evaluations: Sequence[Evaluation]) -> str:
    """The tables as JSON with unrounded figures: ``null`` is not recorded or not defined.

    ``{"evaluations": [{"title", "tables": {name: {"title", "rows": [{key: value}],
    "notes"}}}]}``, and ``"strategies"`` beside it when there are several.
    """
    data: dict[str, Any] = {
        "evaluations": [
            {
                "title": item.title,
                "tables": {table.name: _json_table(table) for table in tables_of(item)},
            }
            for item in evaluations
        ]
    }
    if len(evaluations) > 1:
        data["strategies"] = _json_table(strategies_table(evaluations))
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _json_table(table: Table) -> dict[str, Any]:
    keys = [column.key for column in table.columns]
    return {
        "title": table.title,
        "rows": [dict(zip(keys, (cell.value for cell in row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


def _blocks(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, Iterable[Table]]]:
    if len(evaluations) > 1:
        yield "Side by side", [strategies_table(evaluations)]
    for item in evaluations:
        yield item.title, tables_of(item)
