"""The strategies of a run in one table, the best first, with letters for what differs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pytest_compaction.metrics.aggregate import TOO_FEW, Aggregate
from pytest_compaction.metrics.statistics.mean import Mean
from pytest_compaction.reports.lines import WIDTH, Line
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

_HEADS: Final = {
    "accuracy": "accu",
    "context": "cntx",
    "artifact": "arti",
    "continuity": "cnty",
    "completeness": "comp",
    "instruction": "inst",
}
_FIGURES: Final = 8 + 5 * len(DIMENSIONS) + 7 + 7 + 8
"""Columns of a row beside the name and the letters."""
_NAMES: Final = (12, 19)
"""The least and the most columns of a name."""
_MOST_LETTERS: Final = 7
_RUN: Final = 3
"""From more letters in a row than this on, they are written as their ends."""


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A strategy in the table: its figures, its letters, and the share of the budget that its
    views take (1 is all of it; ``None`` without views).
    """

    figures: Aggregate
    letters: str = ""
    budget_share: Mean | None = None

    @property
    def competes(self) -> bool:
        """Whether it is ranked; the control and strategies over the budget keep too much."""
        item = self.figures
        return item.compactor != CONTROL and not item.over_budget and not item.too_few


def strategy_table(rows: Sequence[StrategyRow]) -> Iterator[Line]:
    """The rows by overall score; those that are not ranked stand below a rule."""
    ranked = sorted(rows, key=_rank)
    letters = {
        row.figures.compactor: printable(short_letters(row.letters), _MOST_LETTERS)
        for row in ranked
    }
    room = max(map(len, letters.values()), default=0) + any(letters.values())
    longest = max(len(row.figures.compactor) for row in ranked)
    name = max(_NAMES[0], min(longest, _NAMES[1], WIDTH - _FIGURES - room))
    shown = short_names(sorted(row.figures.compactor for row in rows), name)
    yield Line(_head(name, room), "dim")
    outside = [row for row in ranked if not row.competes]
    for row in ranked:
        if row.competes:
            yield Line(_row(row, shown, name, letters[row.figures.compactor], room))
    if outside:
        yield Line("-" * (name + room + _FIGURES), "dim")
        for row in outside:
            yield Line(_row(row, shown, name, letters[row.figures.compactor], room))
    yield from _notes(ranked, any(letters.values()))


def short_letters(letters: str) -> str:
    """Letters of a compact display with long runs as their ends: ``abcde`` is ``a-e``."""
    runs: list[str] = []
    for before, letter in pairwise(" " + letters):
        if runs and ord(letter) == ord(before) + 1:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) <= _RUN else f"{run[0]}-{run[-1]}" for run in runs)


def _rank(row: StrategyRow) -> tuple[float, str]:
    item = row.figures
    return -(item.overall.value if item.overall else -1.0), item.compactor


def _head(name: int, room: int) -> str:
    heads = "".join(f"{_HEADS[dimension]:>5}" for dimension in DIMENSIONS)
    return (
        f"{'compactor':<{name}}{'overall':>8}{'':<{room}}{heads}{'pass^1':>7}{'tokens':>7}  budget"
    )


def _row(row: StrategyRow, shown: Mapping[str, str], name: int, letters: str, room: int) -> str:
    item = row.figures
    means = {dimension: mean.value for dimension, mean in item.dimensions.items()}
    cells = "".join(_cell(means.get(dimension), 5, ".2f") for dimension in DIMENSIONS)
    overall = _cell(item.overall.value if item.overall else None, 8, ".2f")
    letters = f" {letters}" if letters else ""
    passed = _cell(item.passes.get(1), 7, ".0%")
    tokens = _cell(item.view_tokens, 7, ",.0f")
    text = f"{shown[item.compactor]:<{name}}{overall}{letters:<{room}}{cells}{passed}"
    return f"{text}{tokens}{_share(row)}".rstrip()


def _share(row: StrategyRow) -> str:
    """The share of the budget; a mark says that a view was over it."""
    if row.budget_share is None or row.figures.compactor == CONTROL:
        return f"{'-':>7}"
    return f"{row.budget_share.value:>7.0%}" + ("!" if row.figures.over_budget else "")


def _cell(value: float | None, width: int, form: str) -> str:
    return f"{'-' if value is None else format(value, form):>{width}}"


def _notes(rows: Sequence[StrategyRow], lettered: bool) -> Iterator[Line]:
    notes = ["tokens: mean of the views; budget: the share of it that they take"]
    if lettered:
        notes.append("strategies that share a letter do not differ at 5 % (paired, Holm)")
    if any(row.figures.too_few for row in rows):
        notes.append(f"- below the rule: {TOO_FEW}")
    if any(row.figures.over_budget and row.figures.compactor != CONTROL for row in rows):
        notes.append("! below the rule: views over the budget of their case, ranked apart")
    for note in notes:
        for line in textwrap.wrap(note, WIDTH):
            yield Line(line, "dim")
