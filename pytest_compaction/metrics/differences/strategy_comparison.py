"""All strategies of a run against each other: paired differences, and which of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from pytest_compaction.metrics.differences.item_pairs import ItemKey, figures_by_item
from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.statistics.clusters import sums_of_pairs
from pytest_compaction.metrics.statistics.holm import holm
from pytest_compaction.metrics.statistics.letters import letters
from pytest_compaction.metrics.statistics.paired import TIE, Paired, paired_of
from pytest_compaction.metrics.statistics.power import fewest_cases
from pytest_compaction.settings import CONTROL

LEVEL: Final = 0.05
"""Holm-corrected p up to which two strategies differ."""


@dataclass(frozen=True, slots=True)
class StrategyPair:
    """Two strategies: the overall score of ``second`` less that of ``first``, the better one.

    ``holm`` is the p value corrected for all pairs of the run; ``None`` with fewer than six cases.
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
    told apart. With fewer than six cases nothing could be told apart, and ``letters`` are empty.
    """

    pairs: tuple[StrategyPair, ...]
    letters: Mapping[str, str]


def compare_strategies(groups: Mapping[str, Sequence[Record]]) -> StrategyComparison:
    """Compare the overall scores of all strategies with any, the control aside.

    ``groups`` are the records by strategy, as from
    :func:`~pytest_compaction.metrics.aggregate.by_arm`.
    """
    scores = {
        name: found
        for name, group in groups.items()
        if not _is_control(group) and (found := figures_by_item(group, "overall"))
    }
    ranked = sorted(scores, key=lambda name: (-fmean(scores[name].values()), name))
    differences = dict(_differences([(name, scores[name]) for name in ranked]))
    corrected = holm([paired.p for paired in differences.values()])
    pairs = [
        StrategyPair(*names, paired, p)
        for (names, paired), p in zip(differences.items(), corrected, strict=True)
    ]
    apart = {(pair.first, pair.second) for pair in pairs if pair.differ}
    shown = letters(ranked, lambda a, b: (a, b) in apart)
    cases = {key[0] for found in scores.values() for key in found}
    if len(cases) < fewest_cases(LEVEL):
        shown = dict.fromkeys(ranked, "")
    return StrategyComparison(tuple(pairs), shown)


def _is_control(records: Sequence[Record]) -> bool:
    """Whether an arm is the control, at whatever budget."""
    return any(record["compactor"] == CONTROL for record in records)


def _differences(
    scores: Sequence[tuple[str, Mapping[ItemKey, float]]],
) -> Iterator[tuple[tuple[str, str], Paired]]:
    """Every two strategies with a common item, as ``difference_between`` compares them.

    30 strategies make 435 pairs of 400 items, which take too long one by one.
    """
    import numpy as np

    items = sorted(set().union(*(found for _, found in scores)))
    table = np.array([[found.get(item, np.nan) for item in items] for _, found in scores])
    begins = [n for n, item in enumerate(items) if not n or item[0] != items[n - 1][0]]
    for number, (first, _) in enumerate(scores[:-1]):
        apart = table[number + 1 :] - table[number]
        shared = ~np.isnan(apart)
        sizes = np.add.reduceat(shared, begins, axis=1, dtype=float)
        totals = np.add.reduceat(np.where(shared, apart, 0.0), begins, axis=1)
        wins, losses = (apart > TIE).sum(axis=1), (apart < -TIE).sum(axis=1)
        for row, (second, _) in enumerate(scores[number + 1 :]):
            sums = sums_of_pairs(zip(totals[row].tolist(), sizes[row].tolist(), strict=True))
            paired = paired_of(sums, int(wins[row]), int(losses[row]))
            if paired is not None:
                yield (first, second), paired
