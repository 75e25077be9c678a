"""Shares and means with intervals over cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import Mean
from pytest_compaction.metrics.statistics.cluster_interval import cluster_interval

LEVEL: Final = 0.95
Interval = tuple[float, float]


def share(outcomes: Iterable[tuple[str, bool]]) -> Mean | None:
    """The share of what is true, given as (case, whether); ``None`` without any.

    See :func:`share_interval`.
    """
    clusters: dict[str, list[bool]] = defaultdict(list)
    for case, outcome in outcomes:
        clusters[case].append(outcome)
    values = [value for group in clusters.values() for value in group]
    if not values:
        return None
    mean = sum(values) / len(values)
    return Mean(mean, share_interval(clusters), len(values), len(clusters))


def mean_over(values: Iterable[tuple[str, float]]) -> Mean | None:
    """The mean of figures given as (case, figure), with its interval; ``None`` without any."""
    clusters: dict[str, list[float]] = defaultdict(list)
    for case, value in values:
        clusters[case].append(value)
    every = [value for group in clusters.values() for value in group]
    if not every:
        return None
    return Mean(sum(every) / len(every), cluster_interval(clusters), len(every), len(clusters))


def share_interval(clusters: Mapping[str, Sequence[bool]]) -> Interval | None:
    """95 % interval of a share over cases, within 0 and 1; ``None`` with fewer than six cases.

    Where all outcomes are the same nothing varies, and an interval from the variance would
    have no width. Then every case counts as one observation, and the other bound is the
    largest share that as many cases fail to show with a probability of 2.5 %. Source: Clopper
    and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    Binomial", Biometrika 26 (1934).
    """
    groups = {case: [float(value) for value in values] for case, values in clusters.items()}
    found = cluster_interval(groups, LEVEL)
    if found is None:
        return None
    seen = {value for values in clusters.values() for value in values}
    if len(seen) == 1:
        cases = sum(bool(values) for values in clusters.values())
        unseen = ((1 - LEVEL) / 2) ** (1 / cases)
        return (unseen, 1.0) if True in seen else (0.0, 1 - unseen)
    return max(found[0], 0.0), min(found[1], 1.0)
