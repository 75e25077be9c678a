"""The curve of a strategy over several budgets: facts kept against tokens, and the area under it.

The area is that under the share of facts which the views state, over the logarithm of the
budget, divided by the width of that axis. So it is the mean height of the curve, from 0
to 1, and each doubling of the budget counts the same:

    sum((s[i] + s[i + 1]) / 2 * log(b[i + 1] / b[i])) / log(b[-1] / b[0])

with the budgets ``b`` in tokens and the shares ``s`` at them (trapezoidal rule).
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
    """A strategy at one budget: mean tokens of its views, and the share of facts they state.

    ``over_budget`` is the number of compacted cases with a view above the budget.
    """

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
            points = (
                _point(budget, [r for r in group if r["budget"] == budget]) for budget in budgets
            )
            found.append(BudgetCurve(name, tuple(points), _mean_area(group, budgets)))
    return found


def _point(budget: int, records: Sequence[Record]) -> CurvePoint:
    figures = aggregate("", records)
    return CurvePoint(budget, figures.view_tokens, figures.stated, figures.over_budget)


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
    """The area under shares (0 to 1) at rising budgets, 0 to 1; see the module's first lines.

    Raises ``ValueError`` for fewer than two budgets or budgets that do not rise.
    """
    if len(budgets) < 2 or any(low >= high for low, high in pairwise(budgets)) or budgets[0] < 1:
        raise ValueError("an area needs two budgets or more, each larger than the one before")
    steps = zip(pairwise(budgets), pairwise(shares), strict=True)
    total = sum((s + t) / 2 * math.log(high / low) for (low, high), (s, t) in steps)
    return total / math.log(budgets[-1] / budgets[0])
