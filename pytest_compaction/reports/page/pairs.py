"""The difference between any two strategies of the page, over the items that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compaction.metrics.differences.strategy_comparison import (
    StrategyPair,
    compare_strategies,
)
from pytest_compaction.records.record import rounded
from pytest_compaction.reports.page.arms import Arm


@dataclass(frozen=True, slots=True)
class Compared:
    """Any two strategies with a common item, as plain data, and the letters of each by label.

    A pair stands under the numbers ``first,second`` of its strategies. Strategies that share a
    letter do not differ at 5 %.
    """

    pairs: Mapping[str, Mapping[str, Any]]
    letters: Mapping[str, str]


def compared(arms: Sequence[Arm]) -> Compared:
    """Compare the overall scores of all strategies of the page, the control aside."""
    groups = {arm.label: arm.records for arm in arms if not arm.control}
    found = compare_strategies(groups)
    number = {arm.label: n for n, arm in enumerate(arms)}
    pairs = {f"{number[pair.first]},{number[pair.second]}": _pair(pair) for pair in found.pairs}
    told = len(found.letters) > 1 and any(found.letters.values())
    return Compared(dict(sorted(pairs.items())), found.letters if told else {})


def _pair(pair: StrategyPair) -> dict[str, Any]:
    paired = pair.paired
    mean = paired.difference
    return {
        "mean": rounded(mean.value),
        "interval": mean.interval and [rounded(bound) for bound in mean.interval],
        "items": mean.count,
        "cases": mean.cases,
        "p": rounded(pair.holm),
        "wins": paired.wins,
        "losses": paired.losses,
    }
