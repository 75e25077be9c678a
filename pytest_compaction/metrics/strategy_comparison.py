"""All strategies of a run against each other: paired differences, and which of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Final

from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.item_pairs import difference_between, figures_by_item
from pytest_compaction.metrics.statistics.holm import holm
from pytest_compaction.metrics.statistics.letters import letters
from pytest_compaction.metrics.statistics.paired import Paired
from pytest_compaction.settings import CONTROL

LEVEL: Final = 0.05
"""Holm-corrected p up to which two strategies differ."""


@dataclass(frozen=True, slots=True)
class StrategyPair:
    """Two strategies: the overall score of ``second`` less that of ``first``, the better one.

    ``holm`` is the p value corrected for all pairs of the run; ``None`` with one case.
    """

    first: str
    second: str
    paired: Paired
    holm: float | None

    @property
    def differ(self) -> bool:
        """Whether the two can be told apart at 5 %."""
        return self.holm is not None and self.holm <= LEVEL


@dataclass(frozen=True, slots=True)
class StrategyComparison:
    """Every two strategies of a run, and the letters of each, the best first.

    Strategies that share a letter do not differ at 5 %. Two without a common item are not
    told apart.
    """

    pairs: tuple[StrategyPair, ...]
    letters: Mapping[str, str]


def compare_strategies(groups: Mapping[str, Sequence[Record]]) -> StrategyComparison:
    """Compare the overall scores of all strategies with any, the control aside.

    ``groups`` are the records by strategy, as from
    :func:`~pytest_compaction.metrics.aggregate.by_arm`.
    """
    figures = {
        name: found
        for name, group in groups.items()
        if name != CONTROL and (found := figures_by_item(group, "overall"))
    }
    means = {name: fmean(scores.values()) for name, scores in figures.items()}
    ranked = sorted(figures, key=lambda name: (-means[name], name))
    differences = {
        (first, second): paired
        for first, second in combinations(ranked, 2)
        if (paired := difference_between(figures[first], figures[second])) is not None
    }
    corrected = holm([paired.p for paired in differences.values()])
    pairs = [
        StrategyPair(*names, paired, p)
        for (names, paired), p in zip(differences.items(), corrected, strict=True)
    ]
    apart = {(pair.first, pair.second) for pair in pairs if pair.differ}
    return StrategyComparison(tuple(pairs), letters(ranked, lambda a, b: (a, b) in apart))
