"""Intervals of means, ratios and shares over clusters; developers/statistics.md says why these.

The probes of one case share its compaction, so that cases are the units of every interval and every
test, and those of one project are one unit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from pytest_compaction.record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")
Interval = tuple[float, float]
Clusters = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Sums:
    """Numerators and denominators of a ratio, or totals and sizes of a mean, by cluster."""

    totals: tuple[float, ...]
    sizes: tuple[float, ...]
    cases: int = 0

    @property
    def count(self) -> int:
        return len(self.totals)

    @property
    def ratio(self) -> float:
        """The sum of the totals by that of the sizes: a cluster counts by its size."""
        return math.fsum(self.totals) / math.fsum(self.sizes)


def sums_of(clusters: Clusters) -> Sums:
    """The sums of the finite values of each cluster in order of names, without empty ones."""
    kept = {name: [v for v in values if math.isfinite(v)] for name, values in clusters.items()}
    groups = by_unit(kept)
    cases = sum(map(bool, kept.values()))
    return Sums(tuple(map(math.fsum, groups)), tuple(float(len(group)) for group in groups), cases)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval over cases (``None`` below six), the number of items and cases.

    ``units`` are the cases with those of one project counted as one.
    """

    value: float
    interval: Interval | None
    count: int
    cases: int = 0
    units: int = 0


_OF_PROJECT: Final = "\n"


def case_key(record: Record) -> str:
    """The name of the cluster of a record: its case, after its project if it has one."""
    project = record.get("project")
    return f"{project}{_OF_PROJECT}{record['case']}" if project else record["case"]


def unit_of(key: str) -> str:
    """The unit of a cluster by the name that :func:`case_key` gave it: its project, or itself."""
    return key.partition(_OF_PROJECT)[0]


def counts_of(records: Iterable[Record]) -> tuple[int, int]:
    """How many cases the records are of, and how many with those of one project as one."""
    keys = set(map(case_key, records))
    return len(keys), len(set(map(unit_of, keys)))


def by_unit(clusters: Mapping[str, Sequence[_T]]) -> list[list[_T]]:
    """The values of each unit in order of names, without units that have none."""
    units: dict[str, list[_T]] = defaultdict(list)
    for name, values in sorted(clusters.items()):
        units[unit_of(name)] += values
    return [values for _, values in sorted(units.items()) if values]


def clustered(values: Iterable[tuple[str, _T]]) -> dict[str, list[_T]]:
    """Values by the name of their cluster."""
    clusters: dict[str, list[_T]] = defaultdict(list)
    for name, value in values:
        clusters[name].append(value)
    return clusters


def mean_over(clusters: Clusters) -> Mean | None:
    """The mean of all values with its interval; ``None`` without any value."""
    sums = sums_of(clusters)
    if not sums.count:
        return None
    items = int(sum(sums.sizes))
    return Mean(sums.ratio, interval_of_sums(sums), items, sums.cases, sums.count)


def standard_error(sums: Sums) -> float:
    """The jackknife's standard error of the ratio of two clusters or more.

    Source: Cochran, "Sampling Techniques" (1977), section 6.17.
    """
    total, size = math.fsum(sums.totals), math.fsum(sums.sizes)
    pairs = zip(sums.totals, sums.sizes, strict=True)
    return spread_of_leaving_out([(total - t) / (size - s) for t, s in pairs])


def spread_of_leaving_out(without: Sequence[float]) -> float:
    """The jackknife's standard error from the statistic without each of the clusters."""
    count = len(without)
    mean = math.fsum(without) / count
    return math.sqrt((count - 1) / count * math.fsum((value - mean) ** 2 for value in without))


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t lies with this probability (0 to 1, both excluded)."""
    from scipy.special import stdtrit  # takes 0.2 s to import, and plain runs need none

    return float(stdtrit(freedom, probability))


@lru_cache(maxsize=1024)
def noncentrality(freedom: int, power: float, level: float) -> float:
    """The true mean, in standard errors, that a two-sided t test finds with this probability.

    Source: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), section 2.5.
    """
    from scipy.special import nctdtrinc

    return float(nctdtrinc(freedom, 1 - power, t_quantile(1 - level / 2, freedom)))


FEWEST_CLUSTERS: Final = 6
"""Below, no sign-flip test can reach 5 %, and an interval would be as wide as the scale."""
MOST_DRAWN: Final = 500
"""Beyond, the mean is normal enough for Student's t, and the draws would take much memory."""
DRAWS: Final = 1999
SEED: Final = 20251216
"""Fixed, so that the same records always give the same interval."""
LEAST_SPREAD: Final = 0.3
"""The least standard error of a draw, as a share of the sample's.

A draw of equal clusters has none, and would make an interval without end. With 8 clusters or
more this changes no coverage; see developers/statistics.md.
"""


def cluster_interval(clusters: Clusters, level: float = 0.95) -> Interval | None:
    """Studentised bootstrap interval of the mean over all finite values, drawing whole clusters.

    ``None`` with fewer than six: so few say nothing about others. Source: Davison and Hinkley,
    "Bootstrap Methods and their Application" (1997), sections 2.4, 3.8 and 5.2.
    """
    return interval_of_sums(sums_of(clusters), level)


def ratio_interval(clusters: Mapping[str, tuple[float, float]]) -> Interval | None:
    """The same of a ratio of sums, from the numerator and denominator of each cluster.

    Denominators of 0 are left out.
    """
    units = by_unit({name: [pair] for name, pair in clusters.items()})
    pairs = [tuple(map(math.fsum, zip(*unit, strict=True))) for unit in units]
    kept = [(total, size) for total, size in pairs if size > 0 and math.isfinite(total / size)]
    return interval_of_sums(Sums(tuple(t for t, _ in kept), tuple(n for _, n in kept)))


def interval_of_sums(sums: Sums, level: float = 0.95) -> Interval | None:
    """The interval of a ratio of sums, as :func:`cluster_interval` says."""
    if sums.count < FEWEST_CLUSTERS:
        return None
    middle, error = sums.ratio, standard_error(sums)
    tail = (1 - level) / 2
    if sums.count <= MOST_DRAWN:
        low, high = _drawn_quantiles(sums, tail)
    else:
        high = t_quantile(1 - tail, sums.count - 1)
        low = -high
    return middle - high * error, middle - low * error


def interval_method(cases: int, units: int | None = None) -> str:
    """How the interval over cases, and units that are fewer, was made, in words for a summary."""
    units = cases if units is None else units
    if units < FEWEST_CLUSTERS:
        of = "cases" if cases < FEWEST_CLUSTERS else "projects"
        return f"none with fewer than {FEWEST_CLUSTERS} {of}"
    as_one = "" if units == cases else f", those of one project as one ({units})"
    if units <= MOST_DRAWN:
        return f"studentised bootstrap of {cases} cases{as_one}"
    return f"Student's t over {cases} case means{as_one}"


def _drawn_quantiles(sums: Sums, tail: float) -> Interval:
    """The two quantiles of ``t`` over the draws; 0, which is the mean, lies between them."""
    import numpy as np

    count = sums.count
    sizes = np.array(sums.sizes)
    rests = np.array(sums.totals) - sums.ratio * sizes
    # The error of a draw is the linear one: leaving out clusters of each draw takes too long.
    scale = math.sqrt(count / (count - 1))
    least = LEAST_SPREAD * scale * math.sqrt(float(rests @ rests)) / float(sizes.sum())
    if least == 0:
        return 0.0, 0.0
    columns = np.stack([rests, sizes, rests * rests, rests * sizes, sizes * sizes], axis=1)
    rest, size, squares, mixed, square_sizes = (_draws(count) @ columns).T
    shift = rest / size
    spread = np.maximum(squares - 2 * shift * mixed + shift * shift * square_sizes, 0)
    told = shift / np.maximum(scale * np.sqrt(spread) / size, least)
    # The quantile of a share is the draw at ``(draws + 1) share``, counted from 1.
    ranks = [math.ceil(share * (DRAWS + 1) - 1e-9) - 1 for share in (tail, 1 - tail)]
    low, high = (min(max(rank, 0), DRAWS - 1) for rank in ranks)
    told.partition(sorted({low, high}))
    return min(float(told[low]), 0.0), max(float(told[high]), 0.0)


@lru_cache(maxsize=8)
def _draws(clusters: int) -> NDArray[np.float64]:
    """How often each draw (a row) has each cluster; the same for every figure over as many."""
    import numpy as np

    source = np.random.RandomState(SEED)  # its numbers never change, those of Generator may
    shares = np.full(clusters, 1 / clusters)
    return source.multinomial(clusters, shares, size=DRAWS).astype(np.float64)


def jackknife_interval(
    clusters: Mapping[str, Sequence[_T]],
    statistic: Callable[[Sequence[_T]], float | None],
) -> Interval | None:
    """95 % interval of any statistic over all values: its jackknife error times Student's t.

    ``None`` with fewer than six clusters, or if the statistic is not defined without one of them.
    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 11.
    """
    groups = by_unit(clusters)
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
    reach = t_quantile(0.975, len(groups) - 1) * spread_of_leaving_out(without)
    return whole - reach, whole + reach


_CORRELATION: Final = 0.2
"""The correlation within the one cluster that is added to those that were seen."""
_DEGREES: Final = 1.2
"""2 for the kurtosis of a population; that of a dozen clusters comes out too small."""
_FEWEST: Final = 2.0
"""Degrees of freedom; with fewer an interval says nothing any more."""


def proportion_interval(clusters: Clusters) -> Interval | None:
    """Wilson's 95 % interval of a share, with the effective size of clustered values.

    Where few clusters have the few values that are true, their variance comes out too small, so
    that the design effect is at least that after one more cluster with a correlation of 0.2, and
    Student's degrees of freedom are those of a variance of values with the kurtosis of the
    clusters. If all values are equal, each cluster counts as one. ``None`` with fewer than two
    clusters. Sources: Wilson (1927); Kish, "Survey Sampling" (1965), section 8.2; Korn and Graubard
    (1998); Box (1953).
    """
    sums = sums_of(clusters)
    if sums.count < 2:
        return None
    share = min(max(sums.ratio, 0.0), 1.0)
    size, ratio, count = math.fsum(sums.sizes), sums.ratio, sums.count
    squares = [(t - ratio * n) ** 2 for t, n in zip(sums.totals, sums.sizes, strict=True)]
    variance, freedom = math.fsum(squares), count - 1.0
    if variance >= 1e-12:  # few degrees where a few clusters make most of the variance
        kurtosis = count * math.fsum(square**2 for square in squares) / variance**2
        freedom = min(freedom, max(_DEGREES * count / max(kurtosis - 1, 1e-9), _FEWEST))
    alone, others = share * (1 - share) / size, size / count - 1
    if alone < 1e-15:
        effective = float(count)
    else:
        design = max(standard_error(sums) ** 2 / alone, 1.0)
        if others > 0:
            correlation = min((design - 1) / others, 1.0)
            correlation = (count * correlation + _CORRELATION) / (count + 1)
            design = max(design, 1 + others * correlation)
        effective = size / design
    square = t_quantile(0.975, freedom) ** 2 / effective
    middle = (share + square / 2) / (1 + square)
    reach = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
