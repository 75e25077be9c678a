"""Agreement of raters: Krippendorff's alpha of several, weighted kappa and ranks of two."""

from __future__ import annotations

import itertools
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


def weighted_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kappa of two raters with quadratic weights (-1 to 1; 0 is what chance gives).

    With the mean over all pairs as what is observed, and over all combinations of a first
    and a second value as what is expected::

        kappa = 1 - mean of (a - b)^2 / expected (a - b)^2

    The values need no categories: with quadratic weights this is the coefficient of
    concordance of Lin, "A concordance correlation coefficient to evaluate reproducibility"
    (1989). For values of 0 and 1 it is Cohen's kappa. ``None`` if a rater always said the
    same. Source: Fleiss and Cohen, "The equivalence of weighted kappa and the intraclass
    correlation coefficient as measures of reliability" (1973).
    """
    moments = _moments(pairs)
    if moments is None:
        return None
    means, variances, covariance = moments
    return 2 * covariance / (variances[0] + variances[1] + (means[0] - means[1]) ** 2)


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation (-1 to 1); equal values share the mean of their ranks.

    ``None`` if one side is constant. Source: Kendall and Gibbons, "Rank Correlation
    Methods" (1990), chapters 1 and 3.
    """
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    moments = _moments(list(zip(first, second, strict=True)))
    if moments is None:
        return None
    _, variances, covariance = moments
    return covariance / math.sqrt(variances[0] * variances[1])


def kendall_tau_b(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kendall's tau-b (-1 to 1): concordant minus discordant pairs, corrected for ties.

    With ``n0`` pairs of things, of which ``n1`` and ``n2`` are ties of the first and the
    second side: ``(concordant - discordant) / sqrt((n0 - n1) (n0 - n2))``. Time is
    quadratic, for rankings of a few things. ``None`` if one side is constant. Source:
    Kendall and Gibbons, "Rank Correlation Methods" (1990), chapter 3.
    """
    surplus = 0
    told = [0, 0]
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        first, second = (a > c) - (a < c), (b > d) - (b < d)
        surplus += first * second
        told[0] += first != 0
        told[1] += second != 0
    return surplus / math.sqrt(told[0] * told[1]) if all(told) else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs."""
    ranks = [0.0] * len(values)
    order = sorted(range(len(values)), key=values.__getitem__)
    last = 0
    for _, group in itertools.groupby(order, key=values.__getitem__):
        places = list(group)
        for place in places:
            ranks[place] = last + (len(places) + 1) / 2
        last += len(places)
    return ranks


def _moments(
    pairs: Sequence[tuple[float, float]],
) -> tuple[tuple[float, float], tuple[float, float], float] | None:
    """Means, variances and covariance, over all pairs; ``None`` if one side is constant."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    if not pairs or any(min(values) == max(values) for values in sides):
        return None
    count = len(pairs)
    first, second = (math.fsum(values) / count for values in sides)
    one = math.fsum((a - first) ** 2 for a, _ in pairs) / count
    other = math.fsum((b - second) ** 2 for _, b in pairs) / count
    both = math.fsum((a - first) * (b - second) for a, b in pairs) / count
    return (first, second), (one, other), both


def _squared_differences(values: Sequence[float]) -> float:
    """The sum over ordered pairs of the squared difference: ``2 n`` times the sum of squares."""
    if min(values) == max(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    return 2 * len(values) * math.fsum((value - mean) ** 2 for value in values)
