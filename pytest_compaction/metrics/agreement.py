"""Agreement of several judges: Krippendorff's alpha."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def krippendorff_alpha(units: Iterable[Sequence[float | None]]) -> float | None:
    """Krippendorff's alpha for interval data; missing values are allowed.

    A unit is one scored thing (an answer, or one criterion of it). It holds a value
    for each judge, or ``None`` if that judge gave no value. Units with fewer than two
    values cannot be compared and are left out. With ``m_u`` values in unit ``u``,
    ``n`` their sum, and the squared difference as distance::

        alpha = 1 - D_o / D_e
        D_o = 1/n * sum over u of 1/(m_u - 1) * sum over pairs i != j in u of (x_i - x_j)^2
        D_e = 1/(n (n - 1)) * sum over all pairs i != j of (x_i - x_j)^2

    1 is perfect agreement, 0 is agreement by chance, below 0 is systematic
    disagreement. ``None`` if it is not defined: no unit has two values, or all values
    are equal. Source: K. Krippendorff, Computing Krippendorff's
    Alpha-Reliability (2011), sections C and D; the order of judges and units does
    not matter, nor do shifts and changes of scale.
    """
    comparable = [
        values
        for unit in units
        for values in [[float(value) for value in unit if value is not None]]
        if len(values) >= 2
    ]
    everything = [value for values in comparable for value in values]
    total = len(everything)
    if not total:
        return None
    expected = _squared_differences(everything) / (total * (total - 1))
    if expected <= 0:
        return None
    observed = math.fsum(_squared_differences(values) / (len(values) - 1) for values in comparable)
    return 1.0 - observed / total / expected


def _squared_differences(values: Sequence[float]) -> float:
    """The sum over ordered pairs of the squared difference: ``2 n`` times the sum of squares."""
    if min(values) == max(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    return 2 * len(values) * math.fsum((value - mean) ** 2 for value in values)
