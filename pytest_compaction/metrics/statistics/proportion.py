"""The interval of a share, such as Pass^1, over clusters: Wilson's with an effective size."""

from __future__ import annotations

import math

from pytest_compaction.metrics.statistics.clusters import Clusters, standard_error, sums_of
from pytest_compaction.metrics.statistics.student import t_quantile


def proportion_interval(clusters: Clusters, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval of the share of values that are true (or of shares from 0 to 1).

    With the share ``p`` of ``n`` values, ``z`` the quantile of Student's t with one degree
    of freedom less than there are clusters, and the effective size ``m``::

        (p + z^2 / 2m ± z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m)

    ``m = n / d``, and the design effect ``d``, at least 1, is the variance of ``p`` over
    clusters by ``p (1 - p) / n``. If all values are equal there is no such variance, and
    ``m`` is the number of clusters, as if all values of a cluster were one. Sources:
    Wilson, "Probable inference, the law of succession, and statistical inference" (1927);
    Kish, "Survey Sampling" (1965), section 8.2; Korn and Graubard, "Confidence intervals
    for proportions with small expected number of positive counts estimated from survey
    data" (1998). ``None`` with fewer than two clusters.
    """
    sums = sums_of(clusters)
    if sums.count < 2:
        return None
    share = min(max(sums.ratio, 0.0), 1.0)
    size = _effective_size(share, math.fsum(sums.sizes), standard_error(sums), sums.count)
    square = t_quantile((1 + level) / 2, sums.count - 1) ** 2 / size
    middle = (share + square / 2) / (1 + square)
    reach = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def _effective_size(share: float, size: float, error: float, clusters: int) -> float:
    """As many independent values say as much about the share as these do."""
    alone = share * (1 - share) / size
    if alone < 1e-15:
        return float(clusters)
    return size / max(error**2 / alone, 1.0)
