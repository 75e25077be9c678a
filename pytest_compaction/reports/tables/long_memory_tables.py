"""The tables of long conversations: abilities by size, order of events, place of the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics import (
    ALL,
    ORDER_FIGURES,
    TENTHS,
    Mean,
    abilities_of,
    ability_mean,
    conversations_of,
    interval_method,
    null_nuggets,
    order_mean,
    questions_of_tenth,
    questions_scored,
    sizes_of,
    tenth_mean,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.tables.table import Cell, Table, count, estimate, table

NAMES: Final = ("abilities", "event_order", "evidence_place")
LABEL: Final = 24
"""Cells of the longest name of an ability."""
_NAME: Final = 40
"""The most characters of a strategy at the head of a column."""
_SCORE: Final = "Mean score of a question, 0 to 1, over its nuggets of 0, ½ or 1"
_NULL: Final = (
    "Rules judge: the score is the share of nuggets that the view states (that the answer states "
    "where a model answers). {count} nuggets that only an answer can satisfy (abstention, form, "
    "values to calculate) are null and in no mean; a model judges them: --compaction-judge=NAME."
)
_ORDER_NOTE: Final = (
    "Of the events that an answer names: precision and recall, their F1, Kendall's tau-b of the "
    "order from 0 to 1, and order times F1, which is the score of event_ordering."
)
_PLACE_NOTE: Final = (
    "By the tenth of the conversation in which the evidence of a question begins; a question with "
    "evidence in several counts in each of them, and one without in none."
)


def long_memory_tables(groups: Mapping[str, Sequence[Record]]) -> Iterator[Table]:
    """The tables of the questions about long conversations; nothing without a scored one."""
    records = [record for group in groups.values() for record in group]
    if not questions_scored(records):
        return
    yield _abilities(groups, records)
    if any(record.get("ordering") for record in records):
        yield _event_order(groups, records)
    if any(record.get("tenths") for record in records):
        yield _evidence_place(groups)


def _abilities(groups: Mapping[str, Sequence[Record]], records: Sequence[Record]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for size in sizes_of(records):
        for ability in [*abilities_of(records, size), ALL]:
            means = (ability_mean(group, size, ability) for group in groups.values())
            rows.append((Cell(ability), Cell(size), *map(_share, means)))
    heads = [("ability", "ability"), ("size", "size"), *_strategies(groups)]
    notes = [f"{_SCORE}.", *_intervals(records)]
    if nulls := null_nuggets(records):
        notes.append(_NULL.format(count=f"{nulls:,}"))
    return table("abilities", "Abilities by size of the conversation", heads, rows, notes, naming=2)


def _event_order(groups: Mapping[str, Sequence[Record]], records: Sequence[Record]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for size in sizes_of(records):
        for figure in ORDER_FIGURES:
            means = [order_mean(group, size, figure) for group in groups.values()]
            if any(means):
                rows.append((Cell(figure), Cell(size), *map(_share, means)))
    heads = [("figure", "figure"), ("size", "size"), *_strategies(groups)]
    return table("event_order", "Order of events", heads, rows, [_ORDER_NOTE], naming=2)


def _evidence_place(groups: Mapping[str, Sequence[Record]]) -> Table:
    records = [record for group in groups.values() for record in group]
    rows: list[tuple[Cell, ...]] = []
    for tenth in TENTHS:
        means = [tenth_mean(group, tenth) for group in groups.values()]
        if any(means):
            number = count(questions_of_tenth(records, tenth))
            rows.append((Cell(f"{tenth} of 10"), number, *map(_share, means)))
    heads = [("tenth", "tenth"), ("questions", "questions"), *_strategies(groups)]
    return table("evidence_place", "Score by the place of the evidence", heads, rows, [_PLACE_NOTE])


def _strategies(groups: Iterable[str]) -> list[tuple[str, str]]:
    """A column for each strategy: its name for programs, and one to read that fits on a line."""
    return list(short_names(groups, _NAME).items())


def _share(mean: Mean | None) -> Cell:
    return estimate(mean, "number", (0, 1))


def _intervals(records: Sequence[Record]) -> Iterator[str]:
    numbers = {size: conversations_of(records, size) for size in sizes_of(records)}
    if max(numbers.values()) < 2:
        yield "One conversation of each size: there are no intervals."
    elif len(set(numbers.values())) == 1:
        yield f"95 % intervals over conversations: {interval_method(max(numbers.values()))}."
    else:
        each = "; ".join(f"{size}: {_method(number)}" for size, number in numbers.items())
        yield f"95 % intervals over conversations: {each}."


def _method(conversations: int) -> str:
    return interval_method(conversations) if conversations > 1 else "none, of one conversation"
