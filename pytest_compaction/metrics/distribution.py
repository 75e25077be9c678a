"""Distributions of figures: quartiles, spread and correlation. Order never matters."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

NORMAL_95: Final = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; ``None`` without values."""
    return statistics.fmean(values) if values else None


def quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    """The values below which 25, 50 and 75 % of the values lie, by linear interpolation.

    Position (n - 1) * share in the sorted values, interpolated between its two
    neighbours: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    Packages" (1996). ``None`` without values.
    """
    if not values:
        return None
    # Python before 3.13 refuses a single value, which is all of its quartiles.
    pair = values if len(values) > 1 else [*values, *values]
    found = statistics.quantiles(pair, n=4, method="inclusive")
    # Interpolation may round to just outside of the values.
    low, high = min(values), max(values)
    first, second, third = (min(max(value, low), high) for value in found)
    return first, second, third


@dataclass(frozen=True, slots=True)
class Spread:
    """How a figure is spread over cases; ``negative`` counts those strictly below 0.

    A figure is ``None`` if the source of the data does not give it.
    """

    count: int
    mean: float | None
    std: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    negative: int

    @property
    def negative_rate(self) -> float | None:
        """Share of cases strictly below 0; ``None`` without cases."""
        return self.negative / self.count if self.count else None


def spread(values: Iterable[float]) -> Spread:
    """Mean, population standard deviation, quartiles and negatives of the values."""
    known = list(values)
    p25, p50, p75 = quartiles(known) or (None, None, None)
    return Spread(
        count=len(known),
        mean=mean(known),
        std=statistics.pstdev(known) if known else None,
        p25=p25,
        p50=p50,
        p75=p75,
        negative=sum(value < 0 for value in known),
    )


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean of independent values: mean ± 1.96 * s / sqrt(n).

    The normal approximation, with the sample's standard deviation s; too narrow for a
    handful of values. ``None`` with fewer than two, which have no such deviation.
    """
    if len(values) < 2:
        return None
    centre = statistics.fmean(values)
    margin = NORMAL_95 * statistics.stdev(values) / math.sqrt(len(values))
    return centre - margin, centre + margin


def pearson(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Pearson's correlation coefficient of pairs, -1..1.

    cov(x, y) / (std(x) * std(y)); Pearson (1895). ``None`` with fewer than two
    pairs, or if one side does not vary, because the denominator would be 0.
    """
    ordered = sorted(pairs)
    if len(ordered) < 2:
        return None
    try:
        return statistics.correlation([x for x, _ in ordered], [y for _, y in ordered])
    except statistics.StatisticsError:
        return None
