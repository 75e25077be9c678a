"""The interval of any statistic over clusters, from leaving out one cluster at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pytest_compaction.metrics.statistics.cluster_interval import FEWEST_CLUSTERS
from pytest_compaction.metrics.statistics.clusters import spread_of_leaving_out
from pytest_compaction.metrics.statistics.student import t_quantile

T = TypeVar("T")


def jackknife_interval(
    clusters: Mapping[str, Sequence[T]],
    statistic: Callable[[Sequence[T]], float | None],
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Interval of any statistic over all values, from leaving out one cluster at a time.

    The jackknife's standard error is taken times Student's t with ``n - 1`` degrees of
    freedom for ``n`` clusters. Source: Efron and Tibshirani, "An Introduction to the
    Bootstrap" (1993), chapter 11. ``None`` with fewer than six clusters, or if the
    statistic is not defined without one of them.
    """
    groups = [values for _, values in sorted(clusters.items()) if values]
    whole = statistic([value for values in groups for value in values])
    if whole is None or len(groups) < FEWEST_CLUSTERS:
        return None
    without = []
    for left_out in range(len(groups)):
        rest = [v for number, values in enumerate(groups) if number != left_out for v in values]
        found = statistic(rest)
        if found is None:
            return None
        without.append(found)
    reach = t_quantile((1 + level) / 2, len(groups) - 1) * spread_of_leaving_out(without)
    return whole - reach, whole + reach
