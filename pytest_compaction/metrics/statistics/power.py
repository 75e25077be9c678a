"""What these cases can tell: the smallest difference they find, and how many more it takes."""

from __future__ import annotations

import math
from typing import Final

from pytest_compaction.metrics.statistics.clusters import Clusters, Sums, standard_error, sums_of
from pytest_compaction.metrics.statistics.student import noncentrality

MOST_CASES: Final = 1_000_000


def detectable_difference(
    clusters: Clusters, power: float = 0.8, level: float = 0.05
) -> float | None:
    """The smallest true mean that a test of these differences finds with this probability.

    It is the standard error over cases times the noncentrality that a two-sided t test at
    ``level`` needs (see :func:`~pytest_compaction.metrics.statistics.student.noncentrality`);
    the permutation test has nearly the same power (measured in docs/statistics.md). ``None``
    with so few cases that no permutation of their signs can reach ``level``: fewer than 6 at
    0.05. 0 if all cases differ by the same.
    """
    return detectable_by(sums_of(clusters), power, level)


def cases_needed(
    clusters: Clusters, difference: float, power: float = 0.8, level: float = 0.05
) -> int | None:
    """How many cases like these it takes to find a true mean of ``difference``.

    The spread over cases is taken from ``clusters``. ``None`` with fewer of them than
    :func:`fewest_cases`, for a difference that is 0 or no number, or if a million cases do not do.
    """
    sums = sums_of(clusters)
    if sums.count < fewest_cases(level) or not math.isfinite(difference) or difference == 0:
        return None
    spread = standard_error(sums) * math.sqrt(sums.count)

    def told(cases: int) -> bool:
        needed = noncentrality(cases - 1, power, level)
        return needed * spread / math.sqrt(cases) <= abs(difference)

    least = fewest_cases(level)
    high = least
    while not told(high):
        if high >= MOST_CASES:
            return None
        least, high = high + 1, min(high * 2, MOST_CASES)
    while least < high:
        middle = (least + high) // 2
        if told(middle):
            high = middle
        else:
            least = middle + 1
    return high


def detectable_by(sums: Sums, power: float = 0.8, level: float = 0.05) -> float | None:
    """:func:`detectable_difference` from the sums of the clusters."""
    if sums.count < fewest_cases(level):
        return None
    return noncentrality(sums.count - 1, power, level) * standard_error(sums)


def fewest_cases(level: float = 0.05) -> int:
    """The fewest cases whose permutation test can reach this level: ``2 / 2^cases <= level``."""
    return max(2, math.ceil(1 - math.log2(level)))
