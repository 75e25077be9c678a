"""The plots of the overview as places in a drawing: facts by budget, and over compactions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from pytest_compaction.metrics import BudgetCurve
from pytest_compaction.reports.lines import short_names
from pytest_compaction.reports.page.overview import Figures

_LINE: Final = 15.0
"""The least distance of two labels that stand above each other."""
_NAME: Final = 18
WIDTH: Final = 460.0
HEIGHT: Final = 300.0
_LEFT: Final = 40
_TOP: Final = 10
_BOTTOM: Final = HEIGHT - 30
_RIGHT_OF_CURVES: Final = WIDTH - 150

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from values to places in a drawing: equal steps, or equal factors, are equal."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value, kept within the drawing, to a tenth."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = (math.log(each) for each in (low, high, max(value, low)))
        share = min(max((value - low) / ((high - low) or 1.0), 0.0), 1.0)
        return round(self.start + share * (self.end - self.start), 1)


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean with its interval as places; an ``open`` dot is one to be careful with."""

    x: float
    y: float
    bounds: Interval = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A strategy in a plot: its dots in runs without a gap, and where its label stands."""

    label: str
    number: int
    parts: tuple[tuple[Dot, ...], ...]
    text: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing: places and texts of both axes, and a line for each strategy."""

    x_title: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]


def apart(places: Sequence[float], least: float = _LINE) -> list[float]:
    """The places moved apart as little as needed, in their order from above."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    result = list(places)
    for before, after in pairwise(order):
        result[after] = max(result[after], result[before] + least)
    excess = (result[order[-1]] - places[order[-1]]) / 2 if order else 0
    return [round(place - excess, 1) for place in result]


def survival_plot(figures: Sequence[Figures]) -> Plot | None:
    """Survival after each compaction; ``None`` if the records do not tell of two."""
    tables = {i.label: i.losses.whole.table for i in figures if i.losses and not i.control}
    most = max((row.compaction for table in tables.values() for row in table), default=0)
    if most < 2:
        return None
    x = Scale(1, most, _LEFT, _RIGHT_OF_CURVES)
    lines: dict[str, Sequence[Dot | None]] = {
        label: [_dot(x(row.compaction), row.survival, row.interval) for row in table]
        for label, table in tables.items()
    }
    marks = [(x(k), str(k)) for k in range(1, most + 1)]
    order = [item.label for item in figures]
    return _curves("compactions since the log stated it", marks, lines, order)


def budget_plot(curves: Mapping[str, BudgetCurve], budgets: Sequence[int]) -> Plot | None:
    """Facts stated against the budget, with gaps, and open dots for views over the budget."""
    if len(budgets) < 2:
        return None
    x = Scale(budgets[0], budgets[-1], _LEFT, _RIGHT_OF_CURVES, logarithmic=True)
    lines: dict[str, Sequence[Dot | None]] = {}
    for label, curve in curves.items():
        dots = {
            each.budget: _dot(
                x(each.budget), each.stated.value, each.stated.interval, each.over_budget > 0
            )
            for each in curve.points
            if each.stated is not None
        }
        lines[label] = [dots.get(budget) for budget in budgets]
    marks = [(x(budget), f"{budget:,}") for budget in budgets]
    return _curves("budget in tokens, logarithmic", marks, lines, list(lines))


_SHARE: Final = Scale(0, 1, _BOTTOM, _TOP)


def _dot(x: float, share: float, interval: Interval, open: bool = False) -> Dot:
    bounds = interval and (_SHARE(interval[0]), _SHARE(interval[1]))
    return Dot(x, _SHARE(share), bounds, open)


def _curves(
    title: str,
    x_ticks: Sequence[tuple[float, str]],
    lines: Mapping[str, Sequence[Dot | None]],
    order: Sequence[str],
) -> Plot:
    """A plot of shares: the dots of each name, in runs without a gap."""
    names = short_names(lines, _NAME)
    drawn = []
    for label, dots in lines.items():
        runs = (tuple(filter(None, part)) for _, part in groupby(dots, lambda dot: dot is None))
        if parts := tuple(filter(None, runs)):
            drawn.append((names[label], order.index(label), parts))
    heights = apart([parts[-1][-1].y for _, _, parts in drawn])
    return Plot(
        title,
        tuple(x_ticks),
        tuple((_SHARE(mark / 100), f"{mark}%") for mark in (0, 25, 50, 75, 100)),
        tuple(
            Line(label, n, parts, (_RIGHT_OF_CURVES + 9, height))
            for (label, n, parts), height in zip(drawn, heights, strict=True)
        ),
    )
