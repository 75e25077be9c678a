"""Holm's correction: p values of several tests, so that all of them together keep the level."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values, in the order of ``values``; ``None`` stays and counts as no test.

    The ``i``-th smallest of ``m`` becomes the largest of ``(m - j + 1) p_j`` over ``j <= i``,
    at most 1. NaN counts as ``None``. Source: Holm, "A simple sequentially rejective multiple
    test procedure" (1979).
    """
    found = sorted(
        (value, place)
        for place, value in enumerate(values)
        if value is not None and not math.isnan(value)
    )
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, place) in enumerate(found):
        largest = max(largest, min((len(found) - rank) * value, 1.0))
        adjusted[place] = largest
    return adjusted
