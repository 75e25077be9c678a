"""How long facts survive, counted in compactions since they were said.

A fact is observed after every compaction from the first one after the log stated it up to the
point of its probe, where observation ends (it is censored there). Its drop is the first
compaction after which the view does not state it; that it may be stated again later does not
undo the drop, because the model was without it in between.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_compaction.metrics.losses.fates import FactFate
from pytest_compaction.metrics.losses.shares import Interval, share_interval
from pytest_compaction.metrics.statistics.jackknife import jackknife_interval


@dataclass(frozen=True, slots=True)
class LifeRow:
    """The facts at the k-th compaction since they were said.

    ``at_risk`` were still stated before it and observed after it; ``dropped`` of them were not
    stated after it. ``survival`` is the share of facts (0 to 1) that is stated after every
    compaction up to this one.
    """

    compaction: int
    at_risk: int
    dropped: int
    survival: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class HalfLife:
    """The number of compactions after which half of the facts are gone.

    ``compactions`` is infinite if none was dropped, and 0 if all were at the first one; so are
    the bounds of ``interval``, which is ``None`` with one case. ``hazard`` is the share of
    facts that one compaction drops: ``drops`` of ``exposures``.
    """

    compactions: float
    interval: Interval | None
    hazard: float
    drops: int
    exposures: int


_Counts = tuple[Counter[int], Counter[int]]
"""The facts of one case at risk, and those dropped, at each compaction."""


def life_table(facts: Iterable[FactFate]) -> tuple[LifeRow, ...]:
    """The product-limit estimate: S(k) = product over j <= k of (1 - dropped_j / at_risk_j).

    Source: Kaplan and Meier, "Nonparametric Estimation from Incomplete Observations", JASA 53
    (1958). The 95 % interval leaves out one case at a time, because the facts of a case share
    its compactions; where none or all were dropped it is that of a share.
    """
    clusters = _by_case(facts)
    together = _together(clusters.values())
    return tuple(_row(k, clusters, together) for k in sorted(together[0]))


def half_life(facts: Iterable[FactFate]) -> HalfLife | None:
    """ln(0.5) / ln(1 - hazard); ``None`` if no fact met a compaction.

    It supposes that every compaction drops a fact with the same probability, the hazard. Its
    likelihood ``h^drops * (1 - h)^(exposures - drops)`` is largest at ``drops / exposures``;
    a fact that is censored counts with the compactions that it survived. Source: Allison,
    "Discrete-Time Methods for the Analysis of Event Histories", Sociological Methodology 13
    (1982). The 95 % interval is that of the hazard over cases, carried over.
    """
    met: dict[str, list[bool]] = defaultdict(list)
    for fact in facts:
        dropped = fact.drop is not None
        met[fact.case] += [dropped and k == fact.exposures for k in range(1, fact.exposures + 1)]
    exposures = sum(map(len, met.values()))
    if not exposures:
        return None
    drops = sum(map(sum, met.values()))
    hazard = drops / exposures
    within = share_interval(met)
    interval = within and (_halving(within[1]), _halving(within[0]))
    return HalfLife(_halving(hazard), interval, hazard, drops, exposures)


def _halving(hazard: float) -> float:
    if hazard <= 0:
        return math.inf
    return 0.0 if hazard >= 1 else math.log(0.5) / math.log1p(-hazard)


def _by_case(facts: Iterable[FactFate]) -> dict[str, _Counts]:
    found: dict[str, _Counts] = {}
    for fact in facts:
        at_risk, dropped = found.setdefault(fact.case, (Counter(), Counter()))
        at_risk.update(range(1, fact.exposures + 1))
        if fact.drop is not None:
            dropped[fact.drop.number] += 1
    return found


def _together(clusters: Iterable[_Counts]) -> _Counts:
    at_risk: Counter[int] = Counter()
    dropped: Counter[int] = Counter()
    for one_at_risk, one_dropped in clusters:
        at_risk += one_at_risk
        dropped += one_dropped
    return at_risk, dropped


def _row(k: int, clusters: Mapping[str, _Counts], together: _Counts) -> LifeRow:
    at_risk, dropped = together
    value = _survival(k, together)
    if value in {0.0, 1.0}:
        same = {case: [value == 1.0] * counts[0][1] for case, counts in clusters.items()}
        interval = share_interval(same)
    else:
        single = {case: [counts] for case, counts in clusters.items() if counts[0]}
        interval = jackknife_interval(single, lambda some: _survival_of(k, some))
    if interval is not None:
        interval = max(interval[0], 0.0), min(interval[1], 1.0)
    return LifeRow(k, at_risk[k], dropped[k], value, interval)


def _survival_of(k: int, clusters: Sequence[_Counts]) -> float | None:
    counts = _together(clusters)
    return _survival(k, counts) if _defined(k, counts) else None


def _defined(k: int, counts: _Counts) -> bool:
    """Whether all facts were dropped before the k-th compaction, or some are at risk there."""
    at_risk, dropped = counts
    gone = any(at_risk[j] and dropped[j] == at_risk[j] for j in range(1, k))
    return gone or at_risk[k] > 0


def _survival(k: int, counts: _Counts) -> float:
    at_risk, dropped = counts
    value = 1.0
    for j in range(1, k + 1):
        if at_risk[j]:
            value *= 1 - dropped[j] / at_risk[j]
    return value
