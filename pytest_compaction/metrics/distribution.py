"""Distributions of figures: percentiles, spread and correlation. Order never matters."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

NORMAL_95: Final = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; ``None`` of no values, which have none."""
    return math.fsum(values) / len(values) if values else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which ``share`` (0..1) of the values lie, by linear interpolation.

    Position (n - 1) * share in the sorted values, interpolated between its two
    neighbours: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    Packages" (1996). ``None`` of no values; raises ``ValueError`` for a share
    outside 0..1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share of {share}; it goes from 0 to 1")
    if not values:
        return None
    ranked = sorted(values)
    position = (len(ranked) - 1) * share
    index = math.floor(position)
    low, high = ranked[index], ranked[min(index + 1, len(ranked) - 1)]
    return min(max(low + (high - low) * (position - index), low), high)


def population_std(values: Sequence[float]) -> float | None:
    """Standard deviation of the values as a whole population: sqrt(mean((x - mean)^2)).

    ``None`` of no values, 0 of one.
    """
    centre = mean(values)
    if centre is None:
        return None
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / len(values))


@dataclass(frozen=True, slots=True)
class Spread:
    """How a figure is spread over cases; ``negative`` counts those strictly below 0.

    A figure is ``None`` where the source of the data does not give it.
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
    return Spread(
        count=len(known),
        mean=mean(known),
        std=population_std(known),
        p25=percentile(known, 0.25),
        p50=percentile(known, 0.5),
        p75=percentile(known, 0.75),
        negative=sum(value < 0 for value in known),
    )


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean of independent values: mean -/+ 1.96 * s / sqrt(n).

    The normal approximation, s with n - 1 below the line; too narrow for a handful
    of values. ``None`` with fewer than two, of which nothing can be said.
    """
    centre = mean(values)
    if centre is None or len(values) < 2:
        return None
    squares = math.fsum((value - centre) ** 2 for value in values)
    margin = NORMAL_95 * math.sqrt(squares / (len(values) - 1) / len(values))
    return centre - margin, centre + margin


def pearson(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Pearson's correlation coefficient of pairs, -1..1.

    cov(x, y) / (std(x) * std(y)); Pearson (1895). ``None`` with fewer than two
    pairs or where one side does not vary: its denominator would be 0.
    """
    ordered = sorted(pairs)
    if len(ordered) < 2:
        return None
    try:
        return statistics.correlation([x for x, _ in ordered], [y for _, y in ordered])
    except statistics.StatisticsError:
        return None
