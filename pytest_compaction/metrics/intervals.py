"""Intervals of figures over cases: what other rooms take from the room of statistics."""

from pytest_compaction.metrics.statistics.cluster_interval import (
    cluster_interval,
    interval_method,
    ratio_interval,
)
from pytest_compaction.metrics.statistics.jackknife import jackknife_interval
from pytest_compaction.metrics.statistics.proportion import proportion_interval

__all__ = [
    "cluster_interval",
    "interval_method",
    "jackknife_interval",
    "proportion_interval",
    "ratio_interval",
]
