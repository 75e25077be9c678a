"""Agreement of two raters."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa of two raters of yes and no (at most 1; 0 is what chance gives)."""
    first = fmean(a for a, _ in pairs)
    second = fmean(b for _, b in pairs)
    chance = first * second + (1 - first) * (1 - second)
    return (fmean(a == b for a, b in pairs) - chance) / (1 - chance)
