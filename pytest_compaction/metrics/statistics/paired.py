"""The paired comparison of two sides over the same items: how much, how sure, how often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from pytest_compaction.metrics.statistics.cluster_interval import interval_of_sums
from pytest_compaction.metrics.statistics.clusters import Clusters, Sums, sums_of
from pytest_compaction.metrics.statistics.mean import Mean
from pytest_compaction.metrics.statistics.power import detectable_by, fewest_cases
from pytest_compaction.metrics.statistics.sign_flips import sign_flip_p

TIE: Final = 1e-9
"""Differences up to this are none: scores are sums of fractions."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The second side less the first, over the same items.

    ``p`` is that of :func:`~pytest_compaction.metrics.statistics.sign_flips.sign_flip_p`, and
    ``detectable`` is the smallest true difference that these cases find with 80 % probability;
    both are ``None`` with fewer than 6 cases. ``wins`` counts items in which the second side is
    higher.
    """

    difference: Mean
    p: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None


def compare(differences: Clusters) -> Paired | None:
    """Compare two sides from the differences of their items, by case; ``None`` without any.

    Differences that are not finite are left out.
    """
    values = [value for group in differences.values() for value in group if math.isfinite(value)]
    wins, losses = sum(value > TIE for value in values), sum(value < -TIE for value in values)
    return paired_of(sums_of(differences), wins, losses)


def paired_of(sums: Sums, wins: int, losses: int) -> Paired | None:
    """The comparison from the sums of each case and the items won and lost."""
    if not sums.count:
        return None
    items = round(math.fsum(sums.sizes))
    return Paired(
        difference=Mean(sums.ratio, interval_of_sums(sums), items, sums.count),
        p=sign_flip_p(sums.totals) if sums.count >= fewest_cases() else None,
        wins=wins,
        ties=items - wins - losses,
        losses=losses,
        detectable=detectable_by(sums),
    )
