"""A table as data: each cell knows the form in which it is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Form = Literal["text", "count", "percent", "change", "score", "number"]
"""How a value is written: ``percent`` and ``change`` are for shares (``change`` with its sign),
``score`` has three decimals, ``number`` two."""

NOT_RECORDED: Final = "not recorded"
UNDEFINED: Final = "-"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a table; ``absent`` is written if the value is ``None``."""

    value: float | int | str | None
    form: Form = "text"
    absent: str = UNDEFINED


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``key`` for programs, ``head`` for people."""

    key: str
    head: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``name`` for programs, ``title`` for people; ``notes`` are sentences below it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def table(
    name: str,
    title: str,
    columns: Iterable[tuple[str, str]],
    rows: Iterable[Sequence[Cell]],
    notes: Iterable[str] = (),
) -> Table:
    """A table of columns given as (key, head); every row has one cell for each."""
    heads = tuple(Column(key, head) for key, head in columns)
    lines = tuple(tuple(row) for row in rows)
    if any(len(line) != len(heads) for line in lines):
        raise ValueError(f"a row of the table {name!r} does not have one cell for each column")
    return Table(name, title, heads, lines, tuple(notes))


def count(value: float | None, absent: str = UNDEFINED) -> Cell:
    """A number of things, without decimals."""
    return Cell(value, "count", absent)


def percent(value: float | None, absent: str = UNDEFINED) -> Cell:
    """A share as a percentage."""
    return Cell(value, "percent", absent)


def score(value: float | None) -> Cell:
    """A figure from 0 to 1."""
    return Cell(value, "score")
