"""Tables as data, and as plain columns, Markdown, JSON or CSV: each cell knows its form."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pytest_compaction.metrics import Mean
from pytest_compaction.reports.lines import cells, clipped, short_names
from pytest_compaction.text import printable

T = TypeVar("T")
Form = Literal["text", "count", "percent", "change", "score", "number", "share"]
"""How a value is written: ``percent`` and ``change`` are for shares (``change`` with its sign),
``share`` is a percentage without decimals, ``score`` has three decimals, ``number`` two."""

UNDEFINED: Final = "-"
TABLE_WIDTH: Final = 100
"""The most cells of a line in the plain form, unless a caller has less room."""
_TEXT: Final = 40
_LABEL: Final = 6
_WIDE_LABEL: Final = 14
"""Cells of the first column for which other columns are moved below."""
_STRATEGIES: Final = frozenset({"compactor", "strategy", "facts_of"})
"""Keys of a first column that names strategies, alone or with what a row is about."""
_LARGE_SHARE: Final = 10
"""Percentages of ten times the baseline or more have no decimals."""
_HUGE_SHARE: Final = 1000
_HUGE_COUNT: Final = 10**9
"""Figures of this size or more are written with a power of ten."""
_GAP: Final = "  "


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a table, maybe a mean with its interval; ``absent`` stands for ``None``."""

    value: float | int | str | None
    form: Form = "text"
    absent: str = UNDEFINED
    estimated: bool = False
    interval: tuple[float, float] | None = None


class Column(NamedTuple):
    """A column: ``key`` for programs, ``head`` for people."""

    key: str
    head: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first ``naming`` cells of a row say what it is about."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    naming: int = 1


def table(
    name: str,
    title: str,
    columns: Iterable[tuple[str, str]],
    rows: Iterable[Sequence[Cell]],
    notes: Iterable[str] = (),
    naming: int = 1,
) -> Table:
    """A table of columns given as (key, head); every row has one cell for each."""
    heads = tuple(Column(*each) for each in columns)
    lines = tuple(map(tuple, rows))
    if any(len(line) != len(heads) for line in lines):
        raise ValueError(f"a row of the table {name!r} does not have one cell for each column")
    return Table(name, title, heads, lines, tuple(notes), naming)


Columns = Sequence[tuple[str, str, Callable[[T], Cell]]]
"""Columns given as (key, head, the cell of an item)."""


def table_of(
    name: str, title: str, columns: Columns[T], items: Iterable[T], notes: Iterable[str] = ()
) -> Table:
    heads = [(key, head) for key, head, _ in columns]
    return table(
        name, title, heads, ([make(item) for *_, make in columns] for item in items), notes
    )


def count(value: float | None, absent: str = UNDEFINED) -> Cell:
    return Cell(value, "count", absent)


def estimate(mean: Mean | None, form: Form, limits: tuple[float, float]) -> Cell:
    """A mean with its interval, within the least and the largest possible figure."""
    if mean is None:
        return Cell(None, form, estimated=True)
    interval = mean.interval
    if interval is not None:
        interval = max(interval[0], limits[0]), min(interval[1], limits[1])
    return Cell(mean.value, form, estimated=True, interval=interval)


def of(attribute: str, form: Form, absent: str = UNDEFINED) -> Callable[[Any], Cell]:
    """The cell of an attribute, such as ``calls.input``."""
    value = attrgetter(attribute)
    return lambda item: Cell(value(item), form, absent)


def estimated(
    attribute: str, form: Form, limits: tuple[float, float] = (-math.inf, math.inf)
) -> Callable[[Any], Cell]:
    """The cell of an attribute that is a mean with its interval."""
    value = attrgetter(attribute)
    return lambda item: estimate(value(item), form, limits)


# Text


def written(cell: Cell) -> str:
    """A value to read: figures rounded, text safe to show and not too long."""
    text = _value(cell.value, cell)
    if cell.interval is None:
        return text
    low, high = (_value(bound, cell).removesuffix("%") for bound in cell.interval)
    return f"{text} [{low}, {high}]"


def _value(value: float | int | str | None, cell: Cell) -> str:
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
    if cell.form in {"score", "number"}:
        return f"{value:.3f}" if cell.form == "score" else f"{value:,.2f}"
    return f"{value:,.0f}" if abs(value) < _HUGE_COUNT else f"{value:.2e}"


def plain_table(table: Table, width: int = TABLE_WIDTH, label: int = _WIDE_LABEL) -> Iterator[str]:
    """One table in lines of at most ``width`` cells: title, head, rows and notes.

    Columns for which a line has no room come below, beside what names a row.
    """
    yield table.title
    lines = [tuple(column.head for column in table.columns), *_rows(table)]
    for number, part in enumerate(_parts(lines, width, label, table.naming)):
        if number:
            yield ""
        yield from _aligned(part, width, _strategies(table))
    for note in table.notes:
        yield from textwrap.wrap(
            printable(note), width, initial_indent=_GAP, subsequent_indent=_GAP
        )


def _rows(table: Table) -> list[tuple[str, ...]]:
    """The rows as they are written; names of strategies lose their beginning if they are long."""
    rows = [tuple(map(written, row)) for row in table.rows]
    names = _strategies(table)
    short = short_names(names, _TEXT)
    return [(short[n], *row[1:]) for n, row in zip(names, rows, strict=True)] if names else rows


def _strategies(table: Table) -> list[str]:
    """The names of strategies that the rows begin with, whole; none in a table of other things."""
    named = table.columns[0].key in _STRATEGIES
    return [str(row[0].value) for row in table.rows] if named else []


def _parts(
    lines: Sequence[Sequence[str]], width: int, label: int, naming: int
) -> Iterator[list[tuple[str, ...]]]:
    """The lines with as many columns at a time as fit beside those that name a row."""
    columns = list(zip(*lines, strict=True))
    names, columns = columns[:naming], columns[naming:]
    room = width - len(_GAP) - min(max(map(cells, names[0])), label)
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
    room = width - len(_GAP) - sum(size + len(_GAP) for size in widths[1:])
    widths[0] = min(widths[0], max(room, _LABEL))
    short = short_names(names, widths[0])
    labels = [lines[0][0], *([short[name] for name in names] or [line[0] for line in lines[1:]])]
    for label, (_, *rest) in zip(labels, lines, strict=True):
        first = clipped(label, widths[0])
        parts = [first + " " * (widths[0] - cells(first))]
        parts += [" " * (n - cells(text)) + text for text, n in zip(rest, widths[1:], strict=True)]
        yield f"{_GAP}{_GAP.join(parts)}".rstrip()


# Markdown

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


def escaped(text: str) -> str:
    """A text of one line that Markdown shows as it is: no markup, link, mention or reference."""
    return _MEANS_SOMETHING.sub(lambda found: _MARKDOWN[found[0]], text)


def markdown_rows(rows: Iterable[Sequence[str]], left: int = 1, right: int = 0) -> str:
    """Rows under a head; all but the first ``left`` and last ``right`` columns hold numbers."""
    head, *body = [[escaped(printable(cell)) for cell in row] for row in rows]
    rule = [
        "---" if number < left or number >= len(head) - right else "---:"
        for number in range(len(head))
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def markdown_table(table: Table) -> Iterator[str]:
    """The title, the rows and the notes of a table, one paragraph each."""
    yield f"## {escaped(table.title)}"
    yield markdown_rows([[column.head for column in table.columns], *_rows(table)])
    for note in table.notes:
        yield escaped(printable(note))


# For programs


def json_table(table: Table) -> dict[str, Any]:
    """A table for programs, its figures unrounded; an estimate is its value and its interval."""

    def value(cell: Cell) -> Any:
        if not cell.estimated or cell.value is None:
            return cell.value
        return {"value": cell.value, "interval": cell.interval and list(cell.interval)}

    keys = [column.key for column in table.columns]
    return {
        "title": table.title,
        "rows": [dict(zip(keys, map(value, row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


def csv_tables(tables: Iterable[Table]) -> str:
    """Tables as one list of values for a spreadsheet: ``table,row,column,value,low,high``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value", "low", "high"])
    for table in tables:
        for line in table.rows:
            names = [cell.value for cell in line[: table.naming]]
            name = names[0] if len(names) == 1 else " ".join(map(str, names))
            for column, cell in list(zip(table.columns, line, strict=True))[table.naming :]:
                bounds = cell.interval or ("", "")
                value = "" if cell.value is None else cell.value
                fields = [table.name, name, column.key, value, *bounds]
                writer.writerow([inert(each) for each in fields])
    return out.getvalue()


_FORMULA: Final = "=+-@\t\r\n＝＋－＠"
"""Signs that begin a formula in a spreadsheet; some take the wide forms too."""


def inert(value: Any) -> Any:
    """A text that a spreadsheet does not take for a formula (OWASP, "CSV Injection", 2024)."""
    if isinstance(value, str) and value.lstrip(" ")[:1] in _FORMULA and value.strip(" "):
        return f"'{value}"
    return value
