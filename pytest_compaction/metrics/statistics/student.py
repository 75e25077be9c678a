"""Student's t: its quantiles, and how far from 0 the truth must lie to be seen."""

from __future__ import annotations

from functools import lru_cache


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
