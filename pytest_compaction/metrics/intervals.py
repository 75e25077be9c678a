"""Intervals of means, ratios and shares over clusters.

The probes of one case share its compaction and are not independent of each other, and neither are
real cases of one project. So cases are the units of every interval and every test, and those of one
project are one unit.
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
"""The values of each cluster, by its name."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Numerators and denominators of a ratio, one of each for a cluster.

    For a mean these are the total of a cluster's values and how many it has. ``cases`` are in the
    clusters together.
    """

    totals: tuple[float, ...]
    sizes: tuple[float, ...]
    cases: int = 0

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
    kept = {name: [v for v in values if math.isfinite(v)] for name, values in clusters.items()}
    groups = by_unit(kept)
    cases = sum(map(bool, kept.values()))
    return Sums(tuple(map(math.fsum, groups)), tuple(float(len(group)) for group in groups), cases)


def sums_of_pairs(pairs: Iterable[tuple[float, float]]) -> Sums:
    """The sums from (numerator, denominator) of each cluster; denominators of 0 are left out."""
    found = [pair for pair in pairs if pair[1] > 0 and all(map(math.isfinite, pair))]
    return Sums(tuple(total for total, _ in found), tuple(float(size) for _, size in found))


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval over cases (``None`` below six), the number of items and cases.

    ``units`` are the cases with those of one project counted as one. See
    :func:`~pytest_compaction.metrics.intervals.cluster_interval`.
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
    """The standard error of the ratio of two clusters or more, from leaving out one at a time.

    ``sqrt((k - 1) / k * sum((r_i - mean of r_i)^2))``, where ``r_i`` is the ratio without
    cluster ``i`` of ``k``. With clusters of one size it is that of the mean of cluster
    means. Source: Cochran, "Sampling Techniques" (1977), section 6.17. It is less biased
    with few clusters of unequal size than the linear one of section 6.4 (measured in
    developers/statistics.md).
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


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t lies with this probability (0 to 1, both excluded)."""
    from scipy.special import stdtrit  # takes 0.2 s to import, and plain runs need none

    return float(stdtrit(freedom, probability))


@lru_cache(maxsize=1024)
def noncentrality(freedom: int, power: float, level: float) -> float:
    """The true mean, in standard errors, that a t test finds with this probability.

    The test is two-sided at ``level`` (0.05). The chance of a finding on the wrong side
    is left out. Source: Cohen, "Statistical Power Analysis for the Behavioral Sciences"
    (1988), section 2.5; the noncentral t distribution.
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
    """Interval of the mean over all values; whole clusters are the units, not values.

    With the mean ``m`` and its standard error ``s`` over clusters, each seeded draw of
    clusters (with replacement) gives ``t = (m_draw - m) / s_draw``. The interval goes from
    ``m - s q(1 - tail)`` to ``m - s q(tail)``, with ``q`` the quantiles of ``t``; it is not
    symmetric where the scores are not. ``m`` is the ratio of sums, so that a cluster counts
    by its size. Source: Davison and Hinkley, "Bootstrap Methods and their Application"
    (1997), sections 2.4, 3.8 and 5.2. It was chosen by simulation (developers/statistics.md): with
    12 cases it covers 94 to 95 % where it says 95, and Student's t 90 to 95 %. ``None`` with fewer
    than six clusters: so few cases say nothing about other cases. Values that are not finite are
    left out.
    """
    return interval_of_sums(sums_of(clusters), level)


def ratio_interval(clusters: Mapping[str, tuple[float, float]]) -> Interval | None:
    """95 % interval of a ratio of sums from the numerator and denominator of each cluster.

    It is that of :func:`cluster_interval`; clusters with a denominator of 0 are left out.
    """
    units = by_unit({name: [pair] for name, pair in clusters.items()})
    return interval_of_sums(
        sums_of_pairs((sum(t for t, _ in pairs), sum(n for _, n in pairs)) for pairs in units)
    )


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
    """How the interval over this many cases was made, in words for a summary.

    ``units`` are the cases with those of one project counted as one, if they are fewer.
    """
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
    """95 % interval of any statistic over all values, from leaving out one cluster at a time.

    The jackknife's standard error is taken times Student's t with ``n - 1`` degrees of
    freedom for ``n`` clusters. Source: Efron and Tibshirani, "An Introduction to the
    Bootstrap" (1993), chapter 11. ``None`` with fewer than six clusters, or if the
    statistic is not defined without one of them.
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
    """Wilson's 95 % interval of the share of values that are true (or of shares from 0 to 1).

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
    and the 1.2 (2 in theory) were chosen by simulation, see ``developers/statistics.md``.

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
