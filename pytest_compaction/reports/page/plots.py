"""The plot of the overview as places in a drawing: the facts that views state by budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from pytest_compaction.metrics import BudgetCurve
from pytest_compaction.reports.lines import short_names

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


def budget_plot(curves: Mapping[str, BudgetCurve], budgets: Sequence[int]) -> Plot | None:
    """Facts stated against the budget, with gaps, and open dots for views over the budget."""
    if len(budgets) < 2:
        return None
    x = Scale(budgets[0], budgets[-1], _LEFT, _RIGHT_OF_CURVES, logarithmic=True)
    y = Scale(0, 1, _BOTTOM, _TOP)
    names = short_names(curves, _NAME)
    drawn = []
    for number, (label, curve) in enumerate(curves.items()):
        there = {each.budget: each for each in curve.points if each.stated is not None}
        parts = tuple(
            tuple(
                Dot(
                    x(point.budget),
                    y(stated.value),
                    stated.interval and (y(stated.interval[0]), y(stated.interval[1])),
                    point.over_budget > 0,
                )
                for point in part
                if point is not None and (stated := point.stated) is not None
            )
            for known, part in groupby(map(there.get, budgets), lambda point: point is not None)
            if known
        )
        if parts:
            drawn.append((names[label], number, parts))
    heights = apart([parts[-1][-1].y for _, _, parts in drawn])
    return Plot(
        "budget in tokens, logarithmic",
        tuple((x(budget), f"{budget:,}") for budget in budgets),
        tuple((y(mark / 100), f"{mark}%") for mark in (0, 25, 50, 75, 100)),
        tuple(
            Line(label, n, parts, (_RIGHT_OF_CURVES + 9, height))
            for (label, n, parts), height in zip(drawn, heights, strict=True)
        ),
    )
