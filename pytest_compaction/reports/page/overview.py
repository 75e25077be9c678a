"""The figures of the overview: scores, size of the views, loss by class, survival, cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compaction.metrics import (
    CLASSES,
    Aggregate,
    LossCounts,
    Pricing,
    StrategyCosts,
    StrategyLosses,
    aggregate,
    strategy_costs,
    strategy_losses,
)
from pytest_compaction.reports.page.arms import Arm


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one strategy on the page; ``None`` where its records do not tell them."""

    label: str
    control: bool
    whole: Aggregate
    losses: StrategyLosses | None
    costs: StrategyCosts | None

    def counts(self, name: str) -> LossCounts | None:
        """What became of the facts of a class, if there are any."""
        found = self.losses.classes.get(name) if self.losses else None
        return found.counts if found else None


def figures_of_arm(arm: Arm, pricing: Pricing) -> Figures:
    """The figures of one strategy from its records, at the prices of its run."""
    records = list(arm.records)
    return Figures(
        label=arm.label,
        control=arm.control,
        whole=aggregate(arm.label, records),
        losses=strategy_losses(records),
        costs=strategy_costs(records, pricing),
    )


def classes_of(figures: Sequence[Figures]) -> list[str]:
    """The classes of facts of all strategies, in the order of tables."""
    found = {name for item in figures if item.losses for name in item.losses.classes}
    return [*(name for name in CLASSES if name in found), *sorted(found - set(CLASSES))]


def frontier(figures: Sequence[Figures]) -> list[str]:
    """Labels of strategies that no other beats with as few tokens; the smallest views first."""
    points = [
        (item.whole.view_tokens, item.whole.overall.value, item.label)
        for item in figures
        if item.whole.overall is not None and item.whole.view_tokens is not None
    ]
    best = float("-inf")
    found = []
    for _, score, label in sorted(points, key=lambda p: (p[0], -p[1], p[2])):
        if score > best:
            best = score
            found.append(label)
    return found
