"""Where things stand in the plots: scales, ticks, labels that do not cover each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pytest_compaction.metrics import Mean
from pytest_compaction.reports.page.overview import Figures, frontier
from pytest_compaction.rubric import MAX_SCORE

_WIDE: Final = 6
"""Views that differ by more than this factor stand on a logarithmic scale."""
_LINE: Final = 15.0
"""The least distance of two labels that stand above each other."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from values to places in a drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, kept within the drawing, to a tenth."""
        span = (self.high - self.low) or 1.0
        share = min(max((value - self.low) / span, 0.0), 1.0)
        return round(self.start + share * (self.end - self.start), 1)


@dataclass(frozen=True, slots=True)
class LogScale:
    """A scale on which equal factors are equal distances; ``low`` is above 0."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, kept within the drawing, to a tenth."""
        scale = Scale(math.log(self.low), math.log(self.high), self.start, self.end)
        return scale(math.log(max(value, self.low)))


@dataclass(frozen=True, slots=True)
class Whisker:
    """A mean with its interval as places; ``low`` and ``high`` are ``None`` without one."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Spot:
    """A strategy in a plot: its dot, whisker and label."""

    label: str
    x: float
    whisker: Whisker
    label_y: float
    before: bool
    """Whether the label stands left of the dot."""
    leads: bool


@dataclass(frozen=True, slots=True)
class Scatter:
    """Score against view tokens; ``steps`` are the corners of the frontier."""

    spots: tuple[Spot, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    steps: tuple[tuple[float, float], ...]
    logarithmic: bool


@dataclass(frozen=True, slots=True)
class Curve:
    """The survival of one strategy: its dots with whiskers, and where its label stands."""

    label: str
    number: int
    dots: tuple[tuple[float, Whisker], ...]
    label_y: float


@dataclass(frozen=True, slots=True)
class Curves:
    """Survival over compactions."""

    curves: tuple[Curve, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]


def whisker(mean: Mean, scale: Scale) -> Whisker:
    """The places of a mean and of the bounds of its interval."""
    return _whisker(mean.value, mean.interval, scale)


def _whisker(value: float, interval: tuple[float, float] | None, scale: Scale) -> Whisker:
    if interval is None:
        return Whisker(scale(value), None, None)
    return Whisker(scale(value), scale(interval[0]), scale(interval[1]))


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


def scatter(figures: Sequence[Figures], width: float, height: float) -> Scatter | None:
    """Overall score against mean view tokens; ``None`` without a score and its tokens.

    The control is left out: its views are the whole logs.
    """
    figures = [item for item in figures if not item.control]
    shown = [
        (item.label, item.whole.view_tokens, item.whole.overall)
        for item in figures
        if item.whole.overall is not None and item.whole.view_tokens is not None
    ]
    if not shown:
        return None
    sizes = [tokens for _, tokens, _ in shown]
    logarithmic = min(sizes) > 0 and max(sizes) > _WIDE * min(sizes)
    marks = log_ticks(min(sizes), max(sizes)) if logarithmic else ticks(max(sizes))
    scale = LogScale if logarithmic else Scale
    x = scale(marks[0], marks[-1], 34, width - 14)
    y = Scale(0, MAX_SCORE, height - 30, 10)
    leads = frontier(figures)
    places = {label: (x(tokens), whisker(mean, y)) for label, tokens, mean in shown}
    label_places = apart([places[label][1].at for label, _, _ in shown])
    spots = [
        Spot(label, *places[label], label_y, places[label][0] > width * 0.6, label in leads)
        for (label, _, _), label_y in zip(shown, label_places, strict=True)
    ]
    steps: list[tuple[float, float]] = []
    for label in leads:
        place, mean = places[label]
        if steps:
            steps.append((place, steps[-1][1]))
        steps.append((place, mean.at))
    steps.append((width - 14, steps[-1][1]))
    return Scatter(
        tuple(spots),
        tuple((x(mark), f"{mark:,.0f}") for mark in marks),
        tuple((y(mark), f"{mark}") for mark in range(int(MAX_SCORE) + 1)),
        tuple(steps),
        logarithmic,
    )


def survival_curves(figures: Sequence[Figures], width: float, height: float) -> Curves | None:
    """Survival after each compaction; ``None`` if the records do not tell of two.

    The control is left out: it has no compactions.
    """
    shown = [
        (n, item, item.losses.whole.table)
        for n, item in enumerate(figures)
        if item.losses and item.losses.whole.table and not item.control
    ]
    most = max((row.compaction for _, _, table in shown for row in table), default=0)
    if most < 2:
        return None
    x = Scale(1, most, 46, width - 130)
    y = Scale(0, 1, height - 30, 10)
    dots = [
        tuple((x(row.compaction), _whisker(row.survival, row.interval, y)) for row in table)
        for _, _, table in shown
    ]
    labels = apart([each[-1][1].at for each in dots])
    return Curves(
        tuple(
            Curve(item.label, number, found, place)
            for (number, item, _), found, place in zip(shown, dots, labels, strict=True)
        ),
        tuple((x(k), str(k)) for k in range(1, most + 1)),
        tuple((y(mark / 100), f"{mark}%") for mark in (0, 25, 50, 75, 100)),
    )
