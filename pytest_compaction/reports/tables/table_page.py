"""Tables as plain columns, Markdown, JSON or CSV."""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from wcwidth import wcwidth

from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.tables.table import Cell, Table
from pytest_compaction.text import printable

WIDTH: Final = 100
"""The most cells of a line in the plain form, unless a caller has less room."""

_TEXT: Final = 40
"""The most cells of a text in a table."""

_LABEL: Final = 6
"""The fewest cells of the first column."""

_STRATEGIES: Final = frozenset({"compactor", "strategy", "facts_of", "lost_by"})
"""Keys of a first column that names strategies, alone or with what a row is about."""

_WIDE_LABEL: Final = 14
"""Cells of the first column for which other columns are moved below."""

_LARGE_SHARE: Final = 10
"""Percentages of ten times the baseline or more have no decimals."""

_HUGE_SHARE: Final = 1000
_HUGE_COUNT: Final = 10**9
"""Figures of this size or more are written with a power of ten."""

_INDENT: Final = "  "
_GAP: Final = "  "
_MARKDOWN: Final = {
    **{ch: f"\\{ch}" for ch in "\\`*_{}[]<>|~$"},
    "&": "&amp;",
    "@": "@&#8203;",
    "#": "\\#&#8203;",
    "://": ":\\//",
    "www.": "www\\.",
}
"""What stands in Markdown for what would mean something there. An invisible space of no width
keeps GitHub from taking ``@name`` and ``#1`` for a person and an issue."""
_MEANS_SOMETHING: Final = re.compile("|".join(map(re.escape, _MARKDOWN)))

_FORMULA: Final = "=+-@\t\r\n＝＋－＠"
"""What a formula of a spreadsheet begins with; some take the wide forms too."""


def written(cell: Cell) -> str:
    """A value to read: figures rounded, text safe to show and not too long."""
    text = _value(cell)
    if cell.interval is None:
        return text
    low, high = (_value(Cell(bound, cell.form)).removesuffix("%") for bound in cell.interval)
    return f"{text} [{low}, {high}]"


def _value(cell: Cell) -> str:
    value = cell.value
    if value is None:
        return cell.absent
    if isinstance(value, str):
        return clipped(printable(value, _TEXT), _TEXT)
    if cell.form in {"percent", "change"}:
        sign = "+" if cell.form == "change" else ""
        form = ",.2f" if abs(value) < _LARGE_SHARE else ",.0f"
        form = form if abs(value) < _HUGE_SHARE else ".1e"
        text = f"{format(value * 100, sign + form)}%"
        return "0.00%" if text.lstrip("+-") == "0.00%" else text
    if cell.form == "share":
        return f"{value * 100:.0f}%"
    if cell.form == "score":
        return f"{value:.3f}"
    if cell.form == "number":
        return f"{value:,.2f}"
    return f"{value:,.0f}" if abs(value) < _HUGE_COUNT else f"{value:.2e}"


def cells(text: str) -> int:
    """Terminal cells of a printable text: two for a wide character, none for a combining one.

    The width of a text is the sum of its characters', so that a part of it can be cut off;
    a control character, which :func:`~pytest_compaction.text.printable` escapes, has one.
    """
    return sum(abs(wcwidth(ch)) for ch in text)  # -1 is for control characters


def clipped(text: str, width: int) -> str:
    """The text, cut to ``width`` cells if it takes more."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def plain_table(table: Table, width: int = WIDTH, label: int = _WIDE_LABEL) -> Iterator[str]:
    """One table in lines of at most ``width`` cells: title, head, rows and notes.

    Columns for which a line has no room come below, rather than that less than ``label`` cells
    are left for the first one. What names a row stands in each part.
    """
    yield table.title
    heads = tuple(column.head for column in table.columns)
    lines = [heads, *_rows(table)]
    names = _strategies(table)
    for number, part in enumerate(_parts(lines, width, label, table.naming)):
        if number:
            yield ""
        yield from _aligned(part, width, names)
    for note in table.notes:
        yield from textwrap.wrap(
            printable(note), width, initial_indent=_INDENT, subsequent_indent=_INDENT
        )


def _rows(table: Table) -> list[tuple[str, ...]]:
    """The rows as they are written; names of strategies lose their beginning if they are long."""
    rows = [tuple(written(cell) for cell in row) for row in table.rows]
    names = _strategies(table)
    short = short_names(names, _TEXT)
    return [(short[n], *row[1:]) for n, row in zip(names, rows, strict=True)] if names else rows


def _strategies(table: Table) -> list[str]:
    """The names of strategies that the rows begin with, whole; none in a table of other things."""
    if table.columns[0].key not in _STRATEGIES:
        return []
    return [str(row[0].value) for row in table.rows]


def _parts(
    lines: Sequence[Sequence[str]], width: int, label: int, naming: int
) -> Iterator[list[tuple[str, ...]]]:
    """The lines with as many columns at a time as fit beside those that name a row."""
    columns = list(zip(*lines, strict=True))
    names, columns = columns[:naming], columns[naming:]
    room = width - len(_INDENT) - min(max(map(cells, names[0])), label)
    room -= sum(max(map(cells, name)) + len(_GAP) for name in names[1:])
    part: list[tuple[str, ...]] = []
    used = 0
    for column in columns:
        size = max(map(cells, column)) + len(_GAP)
        if part and used + size > room:
            yield list(zip(*names, *part, strict=True))
            part, used = [], 0
        part.append(column)
        used += size
    yield list(zip(*names, *part, strict=True))


def _aligned(lines: Sequence[tuple[str, ...]], width: int, names: Sequence[str]) -> Iterator[str]:
    widths = [max(map(cells, column)) for column in zip(*lines, strict=True)]
    room = width - len(_INDENT) - sum(size + len(_GAP) for size in widths[1:])
    widths[0] = min(widths[0], max(room, _LABEL))
    short = short_names(names, widths[0])
    labels = [line[0] for line in lines]
    labels[1:] = [short[name] for name in names] or labels[1:]
    for label, (_, *rest) in zip(labels, lines, strict=True):
        first = clipped(label, widths[0])
        parts = [first + " " * (widths[0] - cells(first))]
        parts += [
            " " * (size - cells(text)) + text for text, size in zip(rest, widths[1:], strict=True)
        ]
        yield f"{_INDENT}{_GAP.join(parts)}".rstrip()


def markdown_table(table: Table) -> Iterator[str]:
    yield f"## {escaped(table.title)}"
    heads = [escaped(column.head) for column in table.columns]
    rule = ["---", *["---:"] * (len(heads) - 1)]
    rows = [list(map(escaped, row)) for row in _rows(table)]
    yield "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *rows))
    for note in table.notes:
        yield escaped(printable(note))


def escaped(text: str) -> str:
    """A text of one line that Markdown shows as it is: no markup, link, mention or reference."""
    return _MEANS_SOMETHING.sub(lambda found: _MARKDOWN[found[0]], text)


def json_table(table: Table) -> dict[str, Any]:
    """A table for programs, its figures unrounded; an estimate is its value and its interval."""
    keys = [column.key for column in table.columns]
    return {
        "title": table.title,
        "rows": [dict(zip(keys, map(_json_value, row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


def _json_value(cell: Cell) -> Any:
    if not cell.estimated or cell.value is None:
        return cell.value
    return {"value": cell.value, "interval": cell.interval and list(cell.interval)}


def csv_tables(tables: Iterable[Table]) -> str:
    """Tables as one list of values for a spreadsheet: ``table,row,column,value,low,high``.

    ``row`` is what names the row, as in "abstention 100K"; ``low`` and ``high`` are the bounds of
    an estimate.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value", "low", "high"])
    for table in tables:
        for line in table.rows:
            name = _name(line[: table.naming])
            shown = zip(table.columns, line, strict=True)
            for column, cell in islice(shown, table.naming, None):
                bounds = cell.interval or ("", "")
                value = "" if cell.value is None else cell.value
                fields = [table.name, name, column.key, value, *bounds]
                writer.writerow([inert(each) for each in fields])
    return out.getvalue()


def _name(cells: Sequence[Cell]) -> Any:
    """What names a row: the value of its only cell, or those of several in one text."""
    return cells[0].value if len(cells) == 1 else " ".join(str(cell.value) for cell in cells)


def inert(value: Any) -> Any:
    """A text that a spreadsheet does not take for a formula; other values as they are.

    Source: OWASP, "CSV Injection" (2024): a text that begins so is put behind an apostrophe.
    """
    if isinstance(value, str) and value.lstrip(" ")[:1] in _FORMULA and value.strip(" "):
        return f"'{value}"
    return value
