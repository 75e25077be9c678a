"""Values in clusters: the mean over all of them, and its standard error over clusters.

The probes of one case share its compaction and are not independent of each other, so that
cases are the units of every interval and every test.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Clusters = Mapping[str, Sequence[float]]
"""The values of each cluster, by its name."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Numerators and denominators of a ratio, one of each for a cluster.

    For a mean these are the total of a cluster's values and how many it has.
    """

    totals: tuple[float, ...]
    sizes: tuple[float, ...]

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.totals)

    @property
    def ratio(self) -> float:
        """The sum of the totals by that of the sizes: a cluster counts by its size."""
        return math.fsum(self.totals) / math.fsum(self.sizes)


def sums_of(clusters: Clusters) -> Sums:
    """The sums of each cluster in order of names; clusters without any value are left out.

    A value that is not finite (NaN, infinity) is no value.
    """
    kept = [_finite(values) for _, values in sorted(clusters.items())]
    groups = [values for values in kept if values]
    return Sums(tuple(map(math.fsum, groups)), tuple(float(len(group)) for group in groups))


def sums_of_pairs(pairs: Iterable[tuple[float, float]]) -> Sums:
    """The sums from (numerator, denominator) of each cluster; denominators of 0 are left out."""
    found = [pair for pair in pairs if pair[1] > 0 and all(map(math.isfinite, pair))]
    return Sums(tuple(total for total, _ in found), tuple(float(size) for _, size in found))


def standard_error(sums: Sums) -> float:
    """The standard error of the ratio of two clusters or more, from leaving out one at a time.

    ``sqrt((k - 1) / k * sum((r_i - mean of r_i)^2))``, where ``r_i`` is the ratio without
    cluster ``i`` of ``k``. With clusters of one size it is that of the mean of cluster
    means. Source: Cochran, "Sampling Techniques" (1977), section 6.17. It is less biased
    with few clusters of unequal size than the linear one of section 6.4 (measured in
    docs/statistics.md).
    """
    total, size = math.fsum(sums.totals), math.fsum(sums.sizes)
    pairs = zip(sums.totals, sums.sizes, strict=True)
    return spread_of_leaving_out([(total - t) / (size - s) for t, s in pairs])


def spread_of_leaving_out(without: Sequence[float]) -> float:
    """The jackknife's standard error from the statistic without each of the clusters.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 11.
    """
    count = len(without)
    mean = math.fsum(without) / count
    return math.sqrt((count - 1) / count * math.fsum((value - mean) ** 2 for value in without))


def _finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
