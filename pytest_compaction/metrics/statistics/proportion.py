"""The interval of a share, such as Pass^1, over clusters: Wilson's with an effective size."""

from __future__ import annotations

import math
from typing import Final

from pytest_compaction.metrics.statistics.clusters import Clusters, Sums, standard_error, sums_of
from pytest_compaction.metrics.statistics.student import t_quantile

_CORRELATION: Final = 0.2
"""The correlation within the one cluster that is added to those that were seen."""
_DEGREES: Final = 1.2
"""2 for the kurtosis of a population; that of a dozen clusters comes out too small."""
_FEWEST: Final = 2.0
"""Degrees of freedom; with fewer an interval says nothing any more."""


def proportion_interval(clusters: Clusters, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval of the share of values that are true (or of shares from 0 to 1).

    With the share ``p`` of ``n`` values in ``k`` clusters, ``z`` a quantile of Student's t, and
    the effective size ``m``::

        (p + z^2 / 2m ± z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m)        m = n / d

    The design effect ``d``, at least 1, is the variance of ``p`` over clusters by
    ``p (1 - p) / n``. Where few clusters have the few values that are true, this variance comes
    out too small more often than not. So two things are not taken as they were seen. ``d`` is at
    least what follows, for ``b = n / k``, after one more cluster with a correlation of 0.2::

        d >= 1 + (b - 1) (k (d - 1) / (b - 1) + 0.2) / (k + 1)

    And the degrees of freedom of ``z`` are at most ``k - 1``, at least 2, and those of a variance
    of values with the kurtosis ``g`` of the residuals of clusters: ``1.2 k / (g - 1)``. The 0.2
    and the 1.2 (2 in theory) were chosen by simulation, see ``docs/statistics.md``.

    If all values are equal there is no variance, and ``m`` is ``k``, as if all values of a
    cluster were one. ``None`` with fewer than two clusters.

    Sources: Wilson, "Probable inference, the law of succession, and statistical inference"
    (1927); Kish, "Survey Sampling" (1965), section 8.2; Korn and Graubard, "Confidence intervals
    for proportions with small expected number of positive counts estimated from survey data"
    (1998); Box, "Non-normality and tests on variances" (1953).
    """
    sums = sums_of(clusters)
    if sums.count < 2:
        return None
    share = min(max(sums.ratio, 0.0), 1.0)
    size = _effective_size(share, sums)
    square = t_quantile((1 + level) / 2, _degrees_of_freedom(sums)) ** 2 / size
    middle = (share + square / 2) / (1 + square)
    reach = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def _effective_size(share: float, sums: Sums) -> float:
    """As many independent values say as much about the share as these do."""
    size = math.fsum(sums.sizes)
    alone = share * (1 - share) / size
    if alone < 1e-15:
        return float(sums.count)
    seen = max(standard_error(sums) ** 2 / alone, 1.0)
    others = size / sums.count - 1
    if others <= 0:
        return size / seen
    correlation = min((seen - 1) / others, 1.0)
    correlation = (sums.count * correlation + _CORRELATION) / (sums.count + 1)
    return size / max(seen, 1 + others * correlation)


def _degrees_of_freedom(sums: Sums) -> float:
    """Those of the variance over clusters: few where a few clusters make most of it."""
    ratio, most = sums.ratio, sums.count - 1.0
    squares = [(t - ratio * n) ** 2 for t, n in zip(sums.totals, sums.sizes, strict=True)]
    variance = math.fsum(squares)
    if variance < 1e-12:
        return most
    kurtosis = sums.count * math.fsum(square**2 for square in squares) / variance**2
    return min(most, max(_DEGREES * sums.count / max(kurtosis - 1, 1e-9), _FEWEST))
