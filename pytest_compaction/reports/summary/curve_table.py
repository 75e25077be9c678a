"""The curves of a run in the terminal: facts that the views state, by budget, and the area."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import Mean, by_compactor
from pytest_compaction.metrics.curve import Curve, CurvePoint, curves
from pytest_compaction.metrics.differences.same_views import with_same_views
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, Line, interval_text
from pytest_compaction.reports.short_names import short_names

_NAME_WIDTH: Final = 19
_AREA_WIDTH: Final = 18
_WITH_INTERVAL: Final = 13
_PLAIN: Final = 7
OVER_BUDGET: Final = "!"
"""Marks a share that a strategy reached with views over the budget."""


def curve_lines(records: Sequence[Record], grouped: bool) -> Iterator[Line]:
    """Strategy by budget: share of facts stated with its interval, mean tokens, and the area.

    The intervals of shares are left out where the line would be too long for them. With
    ``grouped``, strategies with the same views share a row under the name of the first.
    """
    found = curves(records)
    if grouped:
        first = {names[0] for names in with_same_views(by_compactor(records))}
        found = [curve for curve in found if curve.compactor in first]
    if not found:
        return
    budgets = sorted({point.budget for curve in found for point in curve.points})
    room = WIDTH - _NAME_WIDTH - _AREA_WIDTH
    width = _WITH_INTERVAL if len(budgets) * _WITH_INTERVAL <= room else _PLAIN
    yield Line("")
    yield Line("facts that the views state, by budget in tokens", "bold")
    head = "".join(f"{budget:>{width},}" for budget in budgets)
    yield Line(f"{'compactor':<{_NAME_WIDTH}}{head}{'area':>{_AREA_WIDTH}}", "dim")
    shown = short_names((curve.compactor for curve in found), _NAME_WIDTH - 1)
    for curve in sorted(found, key=_rank):
        yield from _rows(curve, shown[curve.compactor], budgets, width)
    yield Line("area: mean height of the curve over the logarithm of the budget, 0 to 1", "dim")
    if any(point.over_budget for curve in found for point in curve.points):
        yield Line(f"{OVER_BUDGET} some views were over the budget", "dim")


def _rank(curve: Curve) -> tuple[bool, float, str]:
    """The largest area first; curves with views over the budget after all others."""
    over = any(point.over_budget for point in curve.points)
    return over, -(curve.area.value if curve.area else 0.0), curve.compactor


def _rows(curve: Curve, name: str, budgets: Sequence[int], width: int) -> Iterator[Line]:
    points = {point.budget: point for point in curve.points}
    cells = "".join(f"{_share(points.get(budget), width):>{width}}" for budget in budgets)
    yield Line(f"{name:<{_NAME_WIDTH}}{cells}{_area(curve.area):>{_AREA_WIDTH}}")
    tokens = "".join(f"{_tokens(points.get(budget)):>{width}}" for budget in budgets)
    yield Line(f"{'  tokens':<{_NAME_WIDTH}}{tokens}".rstrip(), "dim")


def _share(point: CurvePoint | None, width: int) -> str:
    if point is None or point.stated is None:
        return "-"
    mark = OVER_BUDGET if point.over_budget else ""
    text = f"{100 * point.stated.value:.0f}%{mark}"
    if width < _WITH_INTERVAL or mark or point.stated.interval is None:
        return text
    low, high = point.stated.interval
    return f"{text} {100 * max(low, 0):.0f}-{100 * min(high, 1):.0f}"


def _tokens(point: CurvePoint | None) -> str:
    return "-" if point is None or point.tokens is None else f"{point.tokens:,.0f}"


def _area(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    if mean.interval is None:
        return f"{mean.value:.2f}"
    return f"{mean.value:.2f} {interval_text(mean.interval, limits=(0, 1))}"
