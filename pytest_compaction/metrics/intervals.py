"""Confidence intervals of means over items that come in clusters (cases)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

EXACT_CLUSTERS: Final = 8
"""Most cases for which all resamples are enumerated (6,435 for eight); beyond, some are drawn."""
RESAMPLES: Final = 5000
SEED: Final = 20251216
"""Fixed, so that the same records always give the same interval."""


def cluster_interval(
    clusters: Mapping[str, Sequence[float]], level: float = 0.95
) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the mean over all values, resampling whole clusters.

    Probes of one case share its compaction and are not independent. Therefore whole cases
    are drawn, with replacement, and the mean of a draw is that of all its values.
    Source: Davison and Hinkley, "Bootstrap Methods and their Application" (1997),
    sections 2.4 and 3.8. With up to eight clusters the bootstrap distribution is
    computed exactly, otherwise from 5,000 seeded draws; both are deterministic.
    ``None`` with fewer than two clusters: one case says nothing about other cases.
    """
    groups = [(sum(values), len(values)) for _, values in sorted(clusters.items()) if values]
    if len(groups) < 2:
        return None
    draws = _all_draws(groups) if len(groups) <= EXACT_CLUSTERS else _random_draws(groups)
    weighted = sorted(draws)
    total = sum(weight for _, weight in weighted)
    tail = (1 - level) / 2
    return _quantile(weighted, tail * total), _quantile(weighted, (1 - tail) * total)


def _all_draws(groups: Sequence[tuple[float, int]]) -> Iterator[tuple[float, float]]:
    """Every multiset of clusters with the number of ordered draws that give it."""
    size = len(groups)
    for counts in _compositions(size, size):
        ways = math.factorial(size)
        for count in counts:
            ways //= math.factorial(count)
        values = sum(count * total for count, (total, _) in zip(counts, groups, strict=True))
        items = sum(count * number for count, (_, number) in zip(counts, groups, strict=True))
        yield values / items, float(ways)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _random_draws(groups: Sequence[tuple[float, int]]) -> Iterator[tuple[float, float]]:
    source = random.Random(SEED)  # noqa: S311
    for _ in range(RESAMPLES):
        drawn = source.choices(groups, k=len(groups))
        yield sum(total for total, _ in drawn) / sum(number for _, number in drawn), 1.0


def _quantile(weighted: Sequence[tuple[float, float]], position: float) -> float:
    reached = 0.0
    for value, weight in weighted:
        reached += weight
        if reached >= position:
            return value
    return weighted[-1][0]
