"""The paired comparison of two sides over the same items: how much, how sure, how often."""

from __future__ import annotations

import math
import string
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from pytest_compaction.metrics.intervals import (
    Clusters,
    Mean,
    Sums,
    interval_of_sums,
    noncentrality,
    standard_error,
    sums_of,
)

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
    """Two-sided p value of a sign-flip test over the sums of differences of each cluster.

    Exact up to 26 clusters, where the sums of one half are looked up among those of the other;
    above with 19,999 seeded draws. ``None`` with fewer than two clusters. Source: Good,
    "Permutation, Parametric and Bootstrap Tests of Hypotheses" (2005), sections 3.2 and 3.7.
    """
    if len(totals) < 2:
        return None
    moving = [total for total in totals if total != 0]
    observed = abs(math.fsum(moving))
    # Sums that are equal in numbers may differ in their last bits.
    observed -= 1e-9 * math.fsum(map(abs, moving))
    if observed <= 0:
        return 1.0
    if len(moving) > MOST_EXACT:
        return _drawn(moving, observed)
    half = len(moving) // 2
    first, second = _sums(moving[:half]), _sums(moving[half:])
    first.sort()  # close sums are looked up in close places, which takes a third of the time
    second.sort()
    reached = second.size - second.searchsorted(observed - first)
    return min(2 * int(reached.sum()) / 2.0 ** len(moving), 1.0)


def _sums(totals: Sequence[float]) -> NDArray[np.float64]:
    """The sums of the totals with all signs."""
    import numpy as np

    sums = np.zeros(1)
    for total in totals:
        sums = np.concatenate([sums + total, sums - total])
    return sums


def _drawn(totals: Sequence[float], observed: float) -> float:
    import numpy as np

    changes, rows = np.array(totals), max(_BLOCK // len(totals), 1)
    reached = 0
    for block, start in enumerate(range(0, FLIPS, rows)):
        signs = _signs(len(totals), min(rows, FLIPS - start), SEED + block)
        reached += int((np.abs(signs @ changes) >= observed).sum())
    return (reached + 1) / (FLIPS + 1)


@lru_cache(maxsize=4)
def _signs(count: int, rows: int, seed: int) -> NDArray[np.float64]:
    import numpy as np

    source = np.random.RandomState(seed)  # its numbers never change
    signs = source.randint(0, 2, size=(rows, count))
    return np.where(signs == 1, np.float64(1), np.float64(-1))


MOST_CASES: Final = 1_000_000


def detectable_difference(sums: Sums, power: float = 0.8, level: float = 0.05) -> float | None:
    """The smallest true mean that a test of these differences finds with this probability.

    ``None`` with so few cases that no permutation of their signs can reach ``level``.
    """
    if sums.count < fewest_cases(level):
        return None
    return noncentrality(sums.count - 1, power, level) * standard_error(sums)


def cases_needed(clusters: Clusters, difference: float, power: float = 0.8) -> int | None:
    """How many cases like these it takes to find a true mean of ``difference``, up to a million."""
    sums = sums_of(clusters)
    if sums.count < fewest_cases() or not math.isfinite(difference) or difference == 0:
        return None
    spread = standard_error(sums) * math.sqrt(sums.count)

    def told(cases: int) -> bool:
        return noncentrality(cases - 1, power, 0.05) * spread / math.sqrt(cases) <= abs(difference)

    numbers = range(fewest_cases(), MOST_CASES + 1)
    found = bisect_left(numbers, True, key=told)
    return numbers[found] if found < len(numbers) else None


def fewest_cases(level: float = 0.05) -> int:
    """The fewest cases whose permutation test can reach this level: ``2 / 2^cases <= level``."""
    return max(2, math.ceil(1 - math.log2(level)))


TIE: Final = 1e-9
"""Differences up to this are none: scores are sums of fractions."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The second side less the first, over the same items, of which it wins some and loses some.

    ``p`` is that of the sign-flip test, ``detectable`` the smallest true difference found with 80 %
    probability; both are ``None`` with fewer than 6 cases.
    """

    difference: Mean
    p: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None


def compare(differences: Clusters) -> Paired | None:
    sums = sums_of(differences)
    if not sums.count:
        return None
    values = [value for group in differences.values() for value in group if math.isfinite(value)]
    wins, losses = sum(value > TIE for value in values), sum(value < -TIE for value in values)
    return Paired(
        difference=Mean(sums.ratio, interval_of_sums(sums), len(values), sums.cases, sums.count),
        p=sign_flip_p(sums.totals) if sums.count >= fewest_cases() else None,
        wins=wins,
        ties=len(values) - wins - losses,
        losses=losses,
        detectable=detectable_difference(sums),
    )


def holm(values: Sequence[float | None]) -> list[float | None]:
    """P values adjusted by Holm's method (1979), in their order; ``None`` and NaN are no test."""
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


_ALPHABET: Final = string.ascii_lowercase + string.ascii_uppercase


def letters(names: Sequence[str], differ: Callable[[str, str], bool]) -> dict[str, str]:
    """The letters of each name: two names share one if and only if they do not differ.

    ``names`` come best first. Source: Piepho, "An algorithm for a letter-based representation of
    all-pairwise comparisons" (2004): insert and absorb, then sweep.
    """
    columns = [frozenset(names)] if names else []
    alike = set()
    for first, second in combinations(names, 2):
        if not differ(first, second):
            alike.add((first, second))
            continue
        both = [column for column in columns if {first, second} <= column]
        columns = [column for column in columns if not {first, second} <= column]
        for part in [column - {name} for column in both for name in (second, first)]:
            if not any(part <= other for other in columns):
                columns = [other for other in columns if not other <= part]
                columns.append(part)
    place = {name: number for number, name in enumerate(names)}
    columns.sort(key=lambda column: sorted(place[name] for name in column))
    # Sweep: leave out columns, the last first, whose every pair stands together in another one.
    covers = {column: {pair for pair in alike if column.issuperset(pair)} for column in columns}
    for column in reversed(columns):
        others = [other for other in columns if other != column]
        shared = set().union(*(covers[other] for other in others))
        if covers[column] <= shared and column <= frozenset().union(*others):
            columns = others
    turns = (divmod(number, len(_ALPHABET)) for number in range(len(columns)))
    signs = [_ALPHABET[place] + (str(turn + 1) if turn else "") for turn, place in turns]
    return {
        name: "".join(sign for sign, column in zip(signs, columns, strict=True) if name in column)
        for name in names
    }
