"""The intervals that were compared with the one in use, for many drawn runs at a time."""

from __future__ import annotations

from typing import Final

import numpy as np
from calibration.drawn_runs import Floats
from scipy.special import ndtr, ndtri, stdtrit

DRAWS: Final = 999
TAIL: Final = 0.025

Bounds = tuple[Floats, Floats]


def compared_intervals(
    totals: Floats, sizes: Floats, source: np.random.Generator
) -> dict[str, Bounds]:
    """Lower and upper bounds of 95 % intervals by the name of the method.

    ``totals`` and ``sizes`` have a row a run and a column a case. Sources: Efron and
    Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 12 to 14; Hesterberg, "What
    Teachers Should Know About the Bootstrap" (2015), section 5.3 (expanded percentile).
    """
    runs, cases = totals.shape
    mean, error = _ratio(totals, sizes)
    reach = stdtrit(cases - 1, 1 - TAIL)
    weights = source.multinomial(cases, [1 / cases] * cases, size=DRAWS).astype(float)
    drawn, drawn_error = _drawn(totals, sizes, weights)
    ordered = np.sort(drawn, axis=1)
    narrow = ndtr(-np.sqrt(cases / (cases - 1)) * reach)
    low, high = _bca_shares(totals, sizes, mean, drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.nan_to_num((drawn - mean[:, None]) / drawn_error, posinf=np.inf, neginf=-np.inf)
    told = np.sort(told, axis=1)
    every = np.ones(runs)
    return {
        "t": (mean - reach * error, mean + reach * error),
        "percentile": (_at(ordered, every * TAIL), _at(ordered, every * (1 - TAIL))),
        "expanded percentile": (_at(ordered, every * narrow), _at(ordered, every * (1 - narrow))),
        "BCa": (_at(ordered, low), _at(ordered, high)),
        "bootstrap-t": (
            mean - _at(told, every * (1 - TAIL)) * error,
            mean - _at(told, every * TAIL) * error,
        ),
    }


def _ratio(totals: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """The ratio estimator and its linear standard error; Cochran (1977), section 6.4."""
    cases = totals.shape[1]
    mean = totals.sum(1) / sizes.sum(1)
    squares = ((totals - mean[:, None] * sizes) ** 2).sum(1)
    return mean, np.sqrt(squares * cases / (cases - 1)) / sizes.sum(1)


def _drawn(totals: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The mean and its standard error in each draw of cases: a row a run, a column a draw."""
    cases = totals.shape[1]
    size = sizes @ weights.T
    mean = (totals @ weights.T) / size
    squares = (totals**2) @ weights.T - 2 * mean * ((totals * sizes) @ weights.T)
    squares += mean**2 * (sizes**2 @ weights.T)
    squares[squares < 1e-9] = 0  # equal cases, but for rounding
    return mean, np.sqrt(squares * cases / (cases - 1)) / size


def _bca_shares(
    totals: Floats, sizes: Floats, mean: Floats, drawn: Floats
) -> tuple[Floats, Floats]:
    """The shares of the draws at which BCa cuts: bias-corrected and accelerated."""
    below = (drawn < mean[:, None]).mean(1) + (drawn == mean[:, None]).mean(1) / 2
    bias = ndtri(np.clip(below, 1 / DRAWS, 1 - 1 / DRAWS))
    without = totals.sum(1, keepdims=True) - totals
    without /= sizes.sum(1, keepdims=True) - sizes
    apart = without.mean(1, keepdims=True) - without
    squares = np.maximum((apart**2).sum(1), 1e-30)
    acceleration = (apart**3).sum(1) / (6 * squares**1.5)

    def share(normal: float) -> Floats:
        moved = bias + normal
        return ndtr(bias + moved / (1 - acceleration * moved))

    return share(ndtri(TAIL)), share(ndtri(1 - TAIL))


def _at(ordered: Floats, shares: Floats) -> Floats:
    """The quantile of each row."""
    places = np.clip(np.ceil(shares * (DRAWS + 1)).astype(int) - 1, 0, DRAWS - 1)
    return np.take_along_axis(ordered, places[:, None], 1)[:, 0]
