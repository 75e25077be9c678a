"""Confidence intervals of figures over items that come in clusters (cases)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, TypeVar

BOOTSTRAP_FROM: Final = 30
"""The number of cases from which the bootstrap takes the place of the t interval."""
RESAMPLES: Final = 5000
_KEPT: Final = 500
"""The most clusters whose draws are kept for the next figure."""
SEED: Final = 20251216
"""Fixed, so that the same records always give the same interval."""
T = TypeVar("T")


def cluster_interval(
    clusters: Mapping[str, Sequence[float]], level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of the mean over all values; whole clusters are the units, not values.

    Probes of one case share its compaction and are not independent. Below 30 clusters it
    is the t interval over the clusters, from 30 on the percentile bootstrap that draws
    whole clusters. With few clusters the bootstrap is too narrow: with 12 it covers 90 %
    where it says 95, with 3 it covers 73 %.
    ``None`` with fewer than two clusters: one case says nothing about other cases.
    """
    groups = [(sum(values), len(values)) for _, values in sorted(clusters.items()) if values]
    if len(groups) < 2:
        return None
    if len(groups) < BOOTSTRAP_FROM:
        return _t_interval(groups, level)
    return _bootstrap_interval(groups, level)


def jackknife_interval(
    clusters: Mapping[str, Sequence[T]],
    statistic: Callable[[Sequence[T]], float | None],
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Interval of any statistic over all values, from leaving out one cluster at a time.

    The standard error is ``sqrt((n - 1) / n * sum((s_i - mean of s_i)^2))``, where ``s_i``
    is the statistic without cluster ``i``; it is taken times Student's t with ``n - 1``
    degrees of freedom. Source: Efron and Tibshirani, "An Introduction to the Bootstrap"
    (1993), chapter 11. ``None`` with fewer than two clusters, or if the statistic is not
    defined without one of them.
    """
    groups = [values for _, values in sorted(clusters.items()) if values]
    whole = statistic([value for values in groups for value in values])
    if whole is None or len(groups) < 2:
        return None
    without = []
    for left_out in range(len(groups)):
        rest = [v for number, values in enumerate(groups) if number != left_out for v in values]
        found = statistic(rest)
        if found is None:
            return None
        without.append(found)
    count = len(groups)
    mean = math.fsum(without) / count
    squares = math.fsum((value - mean) ** 2 for value in without)
    reach = t_quantile((1 + level) / 2, count - 1) * math.sqrt((count - 1) / count * squares)
    return whole - reach, whole + reach


def interval_method(clusters: int) -> str:
    """How the interval over this many cases was made, in words for a summary."""
    if clusters < BOOTSTRAP_FROM:
        return f"Student's t over {clusters} case means"
    return f"bootstrap of {clusters} cases"


def _t_interval(groups: Sequence[tuple[float, int]], level: float) -> tuple[float, float]:
    """The mean of all values and its standard error from the clusters, times Student's t.

    With clusters of one size this is the t interval over cluster means. Otherwise a
    cluster counts by its size, so that the interval has the mean that is printed in its
    middle. Source: the ratio estimator of Cochran, "Sampling Techniques" (1977),
    section 9A.1, with one degree of freedom less than there are clusters.
    """
    count = len(groups)
    items = sum(number for _, number in groups)
    mean = math.fsum(total for total, _ in groups) / items
    squares = math.fsum((total - mean * number) ** 2 for total, number in groups)
    error = math.sqrt(squares * count / (count - 1)) / items
    reach = t_quantile((1 + level) / 2, count - 1) * error
    return mean - reach, mean + reach


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """The value below which Student's t lies with this probability (0.5 to 1, 1 excluded)."""
    low, high = 0.0, 1.0
    while _t_distribution(high, freedom) < probability:
        low, high = high, high * 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if _t_distribution(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_distribution(value: float, freedom: int) -> float:
    """The probability that Student's t is at most ``value``, which is not negative.

    The finite series for whole degrees of freedom: Abramowitz and Stegun, "Handbook of
    Mathematical Functions" (1964), 26.7.3 and 26.7.4.
    """
    angle = math.atan(value / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    series = 0.0
    for step in range(2 + odd, freedom + 1, 2):
        series += term
        term *= square * (step - 1) / step
    if odd:
        return 0.5 + (angle + math.sin(angle) * series) / math.pi
    return 0.5 + math.sin(angle) * series / 2


def _bootstrap_interval(groups: Sequence[tuple[float, int]], level: float) -> tuple[float, float]:
    """Percentiles of the mean over 5,000 seeded draws of clusters, with replacement.

    Source: Davison and Hinkley, "Bootstrap Methods and their Application" (1997),
    sections 2.4 and 3.8.
    """
    totals, numbers = [total for total, _ in groups], [number for _, number in groups]
    draws = _draws(len(groups)) if len(groups) <= _KEPT else _drawn(len(groups))
    means = sorted(sum(draw(totals)) / sum(draw(numbers)) for draw in draws)
    tail = (1 - level) / 2
    return means[_rank(tail)], means[_rank(1 - tail)]


@lru_cache(maxsize=4)
def _draws(clusters: int) -> tuple[itemgetter[Any], ...]:
    """The draws, which are the same for every figure over as many clusters."""
    return tuple(_drawn(clusters))


def _drawn(clusters: int) -> Iterator[itemgetter[Any]]:
    source = random.Random(SEED)  # noqa: S311
    for _ in range(RESAMPLES):
        yield itemgetter(*source.choices(range(clusters), k=clusters))


def _rank(share: float) -> int:
    """The index of the smallest mean that at least this share of the draws does not exceed."""
    return min(max(math.ceil(share * RESAMPLES) - 1, 0), RESAMPLES - 1)
