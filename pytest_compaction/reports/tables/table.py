"""A table as data: each cell knows the form in which it is written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Literal, TypeVar

from pytest_compaction.metrics import Mean

T = TypeVar("T")
Form = Literal["text", "count", "percent", "change", "score", "number", "share"]
"""How a value is written: ``percent`` and ``change`` are for shares (``change`` with its sign),
``share`` is a percentage without decimals, ``score`` has three decimals, ``number`` two."""

NOT_RECORDED: Final = "not recorded"
UNDEFINED: Final = "-"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a table; ``absent`` is written if the value is ``None``.

    ``estimated`` says that the value is a mean with an ``interval``, ``None`` with one case.
    """

    value: float | int | str | None
    form: Form = "text"
    absent: str = UNDEFINED
    estimated: bool = False
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``key`` for programs, ``head`` for people."""

    key: str
    head: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``name`` for programs, ``title`` for people; ``notes`` are sentences below it.

    The first ``naming`` cells of a row say what it is about.
    """

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
    heads = tuple(Column(key, head) for key, head in columns)
    lines = tuple(tuple(row) for row in rows)
    if any(len(line) != len(heads) for line in lines):
        raise ValueError(f"a row of the table {name!r} does not have one cell for each column")
    return Table(name, title, heads, lines, tuple(notes), naming)


def count(value: float | None, absent: str = UNDEFINED) -> Cell:
    """A number of things, without decimals."""
    return Cell(value, "count", absent)


def percent(value: float | None, absent: str = UNDEFINED) -> Cell:
    """A share as a percentage."""
    return Cell(value, "percent", absent)


def estimate(mean: Mean | None, form: Form, limits: tuple[float, float]) -> Cell:
    """A mean with its interval, within the least and the largest possible figure."""
    if mean is None:
        return Cell(None, form, estimated=True)
    interval = mean.interval
    if interval is not None:
        interval = max(interval[0], limits[0]), min(interval[1], limits[1])
    return Cell(mean.value, form, estimated=True, interval=interval)


def score(value: float | None) -> Cell:
    """A figure from 0 to 1."""
    return Cell(value, "score")


Columns = Sequence[tuple[str, str, Callable[[T], Cell]]]
"""Columns given as (key, head, the cell of an item)."""


def table_of(
    name: str,
    title: str,
    columns: Columns[T],
    items: Iterable[T],
    notes: Iterable[str] = (),
) -> Table:
    """A table with a row for each item."""
    heads = [(key, head) for key, head, _ in columns]
    return table(
        name, title, heads, ([cell(item) for *_, cell in columns] for item in items), notes
    )


def counted(attribute: str) -> Callable[[Any], Cell]:
    """The cell of an attribute, such as ``calls.input``, that is a number of things."""
    value = attrgetter(attribute)
    return lambda item: count(value(item))


def estimated(
    attribute: str, form: Form, limits: tuple[float, float] = (-math.inf, math.inf)
) -> Callable[[Any], Cell]:
    """The cell of an attribute that is a mean with its interval."""
    value = attrgetter(attribute)
    return lambda item: estimate(value(item), form, limits)
