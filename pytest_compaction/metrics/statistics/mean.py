"""A mean with its interval."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compaction.metrics.statistics.cluster_interval import interval_of_sums
from pytest_compaction.metrics.statistics.clusters import Clusters, sums_of


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval over cases (``None`` below six), the number of items and cases.

    See :func:`~pytest_compaction.metrics.statistics.cluster_interval.cluster_interval`.
    """

    value: float
    interval: tuple[float, float] | None
    count: int
    cases: int = 0


def mean_over(clusters: Clusters) -> Mean | None:
    """The mean of all values, a case's values by its name; ``None`` without any value."""
    sums = sums_of(clusters)
    if not sums.count:
        return None
    return Mean(sums.ratio, interval_of_sums(sums), int(sum(sums.sizes)), sums.count)
