"""The permutation test of paired differences, in which a whole cluster changes its sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_EXACT: Final = 26
"""The most clusters whose signs are all enumerated: 2^13 sums of each half are compared."""
FLIPS: Final = 19_999
SEED: Final = 20251217
_BLOCK: Final = 1_000_000
"""The most signs that are held at once."""


def sign_flip_p(totals: Sequence[float]) -> float | None:
    """The share of all signs of the totals whose sum is as far from 0 as what was observed.

    ``totals`` are the sums of the differences of each cluster. If the two sides are alike, a
    cluster's differences might as well have had the other sign, all of them together. It is
    exact up to 26 clusters: every sum of one half of the clusters is looked up among the
    sorted sums of the other (Horowitz and Sahni, "Computing partitions with applications to
    the knapsack problem", 1974). Above there are 19,999 seeded draws, and what was observed
    counts as one more. Source: Good, "Permutation, Parametric and Bootstrap Tests of
    Hypotheses" (2005), sections 3.2 and 3.7.
    ``None`` with fewer than two clusters; 1 if all totals are 0.
    """
    if len(totals) < 2:
        return None
    moving = [total for total in totals if total != 0]
    if not moving:
        return 1.0
    observed = abs(math.fsum(moving))
    # Sums that are equal in numbers may differ in their last bits.
    observed -= 1e-9 * math.fsum(map(abs, moving))
    if observed <= 0:
        return 1.0
    if len(moving) <= MOST_EXACT:
        return _exact(moving, observed)
    return _drawn(moving, observed)


def _exact(totals: Sequence[float], observed: float) -> float:
    """Twice the share of sums that reach what was observed: they lie evenly around 0."""
    half = len(totals) // 2
    first, second = _sums(totals[:half]), _sums(totals[half:])
    first.sort()  # close sums are looked up in close places, which takes a third of the time
    second.sort()
    reached = second.size - second.searchsorted(observed - first)
    return min(2 * int(reached.sum()) / 2.0 ** len(totals), 1.0)


def _sums(totals: Sequence[float]) -> NDArray[np.float64]:
    """The sums of the totals with all signs."""
    import numpy as np

    sums = np.zeros(1)
    for total in totals:
        sums = np.concatenate([sums + total, sums - total])
    return sums


def _drawn(totals: Sequence[float], observed: float) -> float:
    import numpy as np

    changes = np.array(totals)
    blocks = math.ceil(FLIPS / _rows(len(totals)))
    sums = (_signs(len(totals), block) @ changes for block in range(blocks))
    reached = sum(int((np.abs(block) >= observed).sum()) for block in sums)
    return (reached + 1) / (FLIPS + 1)


def _rows(count: int) -> int:
    """The draws of a block."""
    return max(_BLOCK // count, 1)


@lru_cache(maxsize=4)
def _signs(count: int, block: int) -> NDArray[np.float64]:
    """Seeded signs, a row a draw; the blocks of one count have 19,999 rows together."""
    import numpy as np

    rows = _rows(count)
    source = np.random.RandomState(SEED + block)  # its numbers never change
    signs = source.randint(0, 2, size=(min(rows, FLIPS - block * rows), count))
    return np.where(signs == 1, np.float64(1), np.float64(-1))
