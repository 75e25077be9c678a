"""The plots of the overview as places in a drawing: score by size, facts by budget and in time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from pytest_compaction.metrics import BudgetCurve
from pytest_compaction.reports.lines import short_names
from pytest_compaction.reports.page.overview import Figures
from pytest_compaction.rubric import MAX_SCORE

_WIDE: Final = 6
"""Views that differ by more than this factor stand on a logarithmic scale."""
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
    before: bool = False
    """Whether the label ends at its place, rather than begins there."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing: places and texts of both axes, a line for each strategy, and a frontier."""

    x_title: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    steps: tuple[tuple[float, float], ...] = ()


def ticks(high: float, count: int = 4) -> list[float]:
    """Round values from 0 to at least ``high``: steps of 1, 2 or 5 times a power of ten."""
    if not high > 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / count))
    step = next(m * power for m in (1, 2, 5, 10) if m * power * count >= high)
    return [step * n for n in range(math.ceil(high / step - 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round values from below ``low`` to above ``high``: 1, 2 or 5 times a power of ten."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    marks = [m * 10.0**power for power in powers for m in (1, 2, 5)]
    first = max(n for n, mark in enumerate(marks) if mark <= low)
    last = min(n for n, mark in enumerate(marks) if mark >= high)
    return marks[first : max(last, first + 1) + 1]


def apart(places: Sequence[float], least: float = _LINE) -> list[float]:
    """The places moved apart as little as needed, in their order from above."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    result = list(places)
    for before, after in pairwise(order):
        result[after] = max(result[after], result[before] + least)
    excess = (result[order[-1]] - places[order[-1]]) / 2 if order else 0
    return [round(place - excess, 1) for place in result]


def scatter(figures: Sequence[Figures]) -> Plot | None:
    """Overall score against mean view tokens; strategies on the frontier have a filled dot."""
    found = [
        (item.label, item.whole.view_tokens, item.means["overall"])
        for item in figures
        if not item.control and item.whole.view_tokens is not None and "overall" in item.means
    ]
    if len(found) < 2:
        return None
    sizes = [tokens for _, tokens, _ in found]
    logarithmic = min(sizes) > 0 and max(sizes) > _WIDE * min(sizes)
    marks = log_ticks(min(sizes), max(sizes)) if logarithmic else ticks(max(sizes))
    x = Scale(marks[0], marks[-1], _LEFT, WIDTH - 14, logarithmic)
    y = Scale(0, MAX_SCORE, _BOTTOM, _TOP)
    names = short_names((label for label, _, _ in found), _NAME)
    best = -1.0
    leads: set[str] = set()
    steps: list[tuple[float, float]] = []
    for label, tokens, mean in sorted(found, key=lambda each: (each[1], -each[2].value, each[0])):
        if mean.value > best:
            if leads:
                steps.append((x(tokens), y(best)))
            best = mean.value
            leads.add(label)
            steps.append((x(tokens), y(best)))
    heights = apart([y(mean.value) for _, _, mean in found])
    lines = []
    for n, ((label, tokens, mean), height) in enumerate(zip(found, heights, strict=True)):
        place = x(tokens)
        before = place > WIDTH * 0.6
        dot = _dot(place, y, mean.value, mean.interval, label not in leads)
        text = (place + (-10 if before else 10), height)
        lines.append(Line(names[label], n, ((dot,),), text, before))
    return Plot(
        f"tokens of the view{', logarithmic' if logarithmic else ''}",
        tuple((x(mark), f"{mark:,.0f}") for mark in marks),
        tuple((y(mark), f"{mark}") for mark in range(int(MAX_SCORE) + 1)),
        tuple(lines),
        (*steps, (WIDTH - 14, y(best))),
    )


def survival_plot(figures: Sequence[Figures]) -> Plot | None:
    """Survival after each compaction; ``None`` if the records do not tell of two."""
    tables = {i.label: i.losses.whole.table for i in figures if i.losses and not i.control}
    most = max((row.compaction for table in tables.values() for row in table), default=0)
    if most < 2:
        return None
    x = Scale(1, most, _LEFT, _RIGHT_OF_CURVES)
    lines: dict[str, Sequence[Dot | None]] = {
        label: [_dot(x(row.compaction), _SHARE, row.survival, row.interval) for row in table]
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
                *(x(each.budget), _SHARE, each.stated.value, each.stated.interval),
                open=each.over_budget > 0,
            )
            for each in curve.points
            if each.stated is not None
        }
        lines[label] = [dots.get(budget) for budget in budgets]
    marks = [(x(budget), f"{budget:,}") for budget in budgets]
    return _curves("budget in tokens, logarithmic", marks, lines, list(lines))


_SHARE: Final = Scale(0, 1, _BOTTOM, _TOP)


def _dot(x: float, y: Scale, value: float, interval: Interval, open: bool = False) -> Dot:
    return Dot(x, y(value), interval and (y(interval[0]), y(interval[1])), open)


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
