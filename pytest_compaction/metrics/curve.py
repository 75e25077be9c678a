"""The curve of a strategy over several budgets: facts kept against tokens, and the area under it.

The area is that under the share of facts stated, over the logarithm of the budget, divided by the
width of that axis (trapezoidal rule): from 0 to 1, and each doubling of the budget counts the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pytest_compaction.metrics.aggregates import aggregate, budgets_of, by_compactor, stated_share
from pytest_compaction.metrics.intervals import Mean, case_key, clustered, mean_over
from pytest_compaction.record import Record


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A strategy at one budget; ``over_budget`` counts the cases with a view above it."""

    budget: int
    tokens: float | None
    stated: Mean | None
    over_budget: int


@dataclass(frozen=True, slots=True)
class BudgetCurve:
    """The points of a strategy, the smallest budget first, and the area under them (0 to 1)."""

    compactor: str
    points: tuple[CurvePoint, ...]
    area: Mean | None


def curves(records: Sequence[Record]) -> list[BudgetCurve]:
    """The curve of every strategy that ran at two budgets or more, in order of occurrence."""
    found = []
    for name, group in by_compactor(r for r in records if isinstance(r.get("budget"), int)).items():
        budgets = [budget for budget in budgets_of(group) if isinstance(budget, int)]
        if len(budgets) > 1:
            points = []
            for budget in budgets:
                item = aggregate("", [r for r in group if r["budget"] == budget])
                points.append(CurvePoint(budget, item.view_tokens, item.stated, item.over_budget))
            found.append(BudgetCurve(name, tuple(points), _mean_area(group, budgets)))
    return found


def _mean_area(records: Sequence[Record], budgets: Sequence[int]) -> Mean | None:
    """The mean of the areas of all items that have a figure at every budget."""
    shares: dict[tuple[str, str, int], dict[object, float]] = defaultdict(dict)
    for record in records:
        share = stated_share(record)
        if share is not None:
            item = (case_key(record), record["probe"], record["trial"])
            shares[item][record.get("budget")] = share
    return mean_over(
        clustered(
            (case, area_under(budgets, [found[budget] for budget in budgets]))
            for (case, _, _), found in shares.items()
            if len(found) == len(budgets)
        )
    )


def area_under(budgets: Sequence[int], shares: Sequence[float]) -> float:
    """The area under shares (0 to 1) at two rising budgets or more; ``ValueError`` for others."""
    if len(budgets) < 2 or any(low >= high for low, high in pairwise(budgets)) or budgets[0] < 1:
        raise ValueError("an area needs two budgets or more, each larger than the one before")
    steps = zip(pairwise(budgets), pairwise(shares), strict=True)
    total = sum((s + t) / 2 * math.log(high / low) for (low, high), (s, t) in steps)
    return total / math.log(budgets[-1] / budgets[0])
