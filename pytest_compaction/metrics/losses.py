"""All that one strategy lost, by class of fact, and how many compactions a fact survives.

A fact is observed after every compaction from its first statement up to its probe. Its drop is the
first compaction after which the view does not state it, even if it comes back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal, get_args

from pytest_compaction.case import Fact
from pytest_compaction.metrics.intervals import (
    Interval,
    Mean,
    by_unit,
    cluster_interval,
    clustered,
    mean_over,
)
from pytest_compaction.metrics.lost_facts import FactFate, fates
from pytest_compaction.record import Record

LEVEL: Final = 0.95


def share_interval(clusters: Mapping[str, Sequence[bool]]) -> Interval | None:
    """95 % interval of a share over cases, within 0 and 1; ``None`` with fewer than six cases.

    Where all outcomes are the same, every case counts as one observation and the other bound is
    that of Clopper and Pearson, Biometrika 26 (1934).
    """
    groups = {case: [float(value) for value in values] for case, values in clusters.items()}
    found = cluster_interval(groups, LEVEL)
    if found is None:
        return None
    seen = {value for values in clusters.values() for value in values}
    if len(seen) == 1:
        unseen = ((1 - LEVEL) / 2) ** (1 / len(by_unit(clusters)))
        return (unseen, 1.0) if True in seen else (0.0, 1 - unseen)
    return max(found[0], 0.0), min(found[1], 1.0)


def share(outcomes: Iterable[tuple[str, bool]]) -> Mean | None:
    """The share of what is true, given as (case, whether), with :func:`share_interval`."""
    clusters = clustered(outcomes)
    mean = mean_over(clusters)
    return None if mean is None else replace(mean, interval=share_interval(clusters))


@dataclass(frozen=True, slots=True)
class HalfLife:
    """Compactions after which half of the facts are gone: each drops ``drops`` of ``exposures``."""

    compactions: float
    interval: Interval | None
    drops: int
    exposures: int


def half_life(facts: Iterable[FactFate]) -> HalfLife | None:
    """ln(0.5) / ln(1 - hazard), with the drops per exposure as hazard; ``None`` without exposures.

    Source: Allison, "Discrete-Time Methods for the Analysis of Event Histories" (1982).
    """
    met = clustered(
        (fact.cluster, fact.drop is not None and k == fact.exposures)
        for fact in facts
        for k in range(1, fact.exposures + 1)
    )
    exposures = sum(map(len, met.values()))
    if not exposures:
        return None

    def halving(hazard: float) -> float:
        if hazard <= 0:
            return math.inf
        return 0.0 if hazard >= 1 else math.log(0.5) / math.log1p(-hazard)

    drops = sum(map(sum, met.values()))
    within = share_interval(met)
    interval = within and (halving(within[1]), halving(within[0]))
    return HalfLife(halving(drops / exposures), interval, drops, exposures)


def median_length(ended: Sequence[int], cut_off: Sequence[int]) -> int | None:
    """The product-limit median of lengths, some cut off: the mean would be too small."""
    survival = Fraction(1)
    for length in sorted(set(ended)):
        at_risk = sum(each >= length for each in (*ended, *cut_off))
        survival *= 1 - Fraction(ended.count(length), at_risk)
        if survival <= Fraction(1, 2):
            return length
    return None


FactClass = Literal[
    "path",
    "identifier",
    "number",
    "value",
    "error",
    "command",
    "state",
    "decision",
    "next_step",
    "instruction",
]
"""The classes by which loss is counted. An instruction is what the user asked to keep to."""
CLASSES: Final[tuple[FactClass, ...]] = get_args(FactClass)
"""The classes of facts, in the order of tables; what else a record names comes after them."""


def class_of(fact: Fact) -> FactClass:
    """The class of a fact: mostly its type, and ``number`` for a value with a digit in its keys."""
    if fact.type == "reason":
        return "decision"
    if fact.type == "constraint":
        return "instruction"
    if fact.type != "value":
        return fact.type
    wanted = [word for group in fact.keys for word in group] or [fact.text]
    return "number" if any(ch.isdigit() for word in wanted for ch in word) else "value"


@dataclass(frozen=True, slots=True)
class FactLosses:
    """Facts by their fate: survived = used + unused, dropped = recoverable + gone + unknown.

    Of those dropped, views contradict ``contradicted``. ``recovery`` is the recoverable share of
    what was dropped and is known.
    """

    facts: int
    survived: int
    used: int | None
    dropped: int
    recoverable: int
    gone: int
    contradicted: int
    survival: Mean | None
    recovery: Mean | None
    half_life: HalfLife | None

    @property
    def unused(self) -> int | None:
        return None if self.used is None else self.survived - self.used

    @property
    def unknown(self) -> int:
        """Dropped, and not known whether the agent can read it again."""
        return self.dropped - self.recoverable - self.gone


@dataclass(frozen=True, slots=True)
class StrategyLosses:
    whole: FactLosses
    classes: Mapping[str, FactLosses]


def strategy_losses(records: Sequence[Record]) -> StrategyLosses | None:
    found = fates(records)
    if not found:
        return None
    by_class = clustered((fate.fact_class, fate) for fate in found)
    named = [*CLASSES, *sorted(by_class.keys() - set(CLASSES))]
    classes = {name: _losses(by_class[name]) for name in named if name in by_class}
    return StrategyLosses(_losses(found), classes)


def _losses(facts: Sequence[FactFate]) -> FactLosses:
    dropped = [fact for fact in facts if not fact.survived]
    known = [fact for fact in dropped if fact.recoverable is not None]
    recoverable = sum(bool(fact.recoverable) for fact in known)
    survived = [fact for fact in facts if fact.survived]
    answered = any(fact.used is not None for fact in facts)
    return FactLosses(
        facts=len(facts),
        survived=len(survived),
        used=sum(bool(fact.used) for fact in survived) if answered else None,
        dropped=len(dropped),
        recoverable=recoverable,
        gone=len(known) - recoverable,
        contradicted=sum(fact.contradicted for fact in dropped),
        survival=share((fact.cluster, fact.survived) for fact in facts),
        recovery=share((fact.cluster, bool(fact.recoverable)) for fact in known),
        half_life=half_life(facts),
    )
