"""Pass^k: how often k trials of the same item all pass."""

from __future__ import annotations

import math
from collections.abc import Iterable


def pass_hat_k(trials: int, passed: int, k: int) -> float | None:
    """Unbiased estimate of the probability that k trials all pass: C(c, k) / C(n, k).

    Source: Yao et al., "τ-bench" (2024), section 3. ``None`` when k exceeds the
    number of trials: undefined, not 0. Raises ``ValueError`` for impossible counts.
    """
    if not 0 <= passed <= trials or k < 1:
        raise ValueError(f"impossible counts: {passed} of {trials} passed, k = {k}")
    if k > trials:
        return None
    return math.comb(passed, k) / math.comb(trials, k)


def mean_pass_hat_k(outcomes: Iterable[tuple[int, int]], k: int) -> float | None:
    """Mean of pass^k over items given as (trials, passed); items with fewer trials are left out."""
    values = [value for n, c in outcomes if (value := pass_hat_k(n, c, k)) is not None]
    return sum(values) / len(values) if values else None
