"""All that one strategy lost, how long facts survive, and the room that compactions win.

A fact is observed after every compaction from its first statement up to its probe. Its drop is the
first compaction after which the view does not state it, even if it comes back.
"""

from __future__ import annotations

import math
from collections import Counter
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
    jackknife_interval,
    mean_over,
)
from pytest_compaction.metrics.lost_facts import CompactionEvent, FactFate, events_by_case, fates
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
class LifeRow:
    """The facts at the k-th compaction since they were said: at risk of it, and dropped by it.

    ``survival`` is the share stated after every compaction up to this one.
    """

    compaction: int
    at_risk: int
    dropped: int
    survival: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class HalfLife:
    """Compactions after which half of the facts are gone: each drops ``drops`` of ``exposures``."""

    compactions: float
    interval: Interval | None
    drops: int
    exposures: int


_Counts = tuple[Counter[int], Counter[int]]
"""The facts of one case at risk, and those dropped, at each compaction."""


def life_table(facts: Iterable[FactFate]) -> tuple[LifeRow, ...]:
    """The product-limit estimate (Kaplan and Meier, 1958) with jackknife intervals over cases."""
    clusters: dict[str, _Counts] = {}
    for fact in facts:
        at_risk, dropped = clusters.setdefault(fact.cluster, (Counter(), Counter()))
        at_risk.update(range(1, fact.exposures + 1))
        if fact.drop is not None:
            dropped[fact.drop.number] += 1
    at_risk, dropped = _together(clusters.values())
    single = {case: [counts] for case, counts in clusters.items() if counts[0]}
    rows = []
    for k in sorted(at_risk):

        def survival_of(some: Sequence[_Counts], k: int = k) -> float | None:
            there, gone = _together(some)
            ended = any(there[j] and gone[j] == there[j] for j in range(1, k))
            left = [1 - gone[j] / there[j] for j in range(1, k + 1) if there[j]]
            return math.prod(left) if ended or there[k] else None

        value = survival_of([(at_risk, dropped)]) or 0.0
        if value in {0.0, 1.0}:
            same = {case: [value == 1.0] * counts[0][1] for case, counts in clusters.items()}
            interval = share_interval(same)
        else:
            interval = jackknife_interval(single, survival_of)
        if interval is not None:
            interval = max(interval[0], 0.0), min(interval[1], 1.0)
        rows.append(LifeRow(k, at_risk[k], dropped[k], value, interval))
    return tuple(rows)


def _together(clusters: Iterable[_Counts]) -> _Counts:
    at_risk: Counter[int] = Counter()
    dropped: Counter[int] = Counter()
    for one_at_risk, one_dropped in clusters:
        at_risk += one_at_risk
        dropped += one_dropped
    return at_risk, dropped


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


@dataclass(frozen=True, slots=True)
class Runway:
    """Figures over the compactions that changed the view, in tokens where nothing else is said.

    ``free`` is the mean after a compaction, ``share`` that by the window. ``messages`` is the
    median number until the view was as large again; ``ended`` runways are known, ``cut_off`` are
    not.
    """

    free: Mean | None
    least_free: int | None
    share: Mean | None
    messages: int | None
    least_messages: int | None
    ended: int
    cut_off: int
    peak_before: int | None
    peak_after: int | None


def runway(events: Iterable[CompactionEvent]) -> Runway | None:
    """The runway of one strategy; ``None`` without a compaction that changed a view."""
    changed = [event for event in events if event.changed]
    if not changed:
        return None
    free = [(e.cluster, e.free, e.window) for e in changed if e.free is not None]
    lengths = [e.until_next for e in changed if e.until_next is not None]
    cut_off = [e.messages_left for e in changed if e.until_next is None]
    left = [messages for messages in cut_off if messages is not None]
    return Runway(
        free=mean_over(clustered((case, float(tokens)) for case, tokens, _ in free)),
        least_free=min((tokens for _, tokens, _ in free), default=None),
        share=mean_over(clustered((case, t / window) for case, t, window in free if window)),
        messages=median_length(lengths, left),
        least_messages=min(lengths, default=None),
        ended=len(lengths),
        cut_off=len(left),
        peak_before=max((e.before for e in changed if e.before is not None), default=None),
        peak_after=max((e.after for e in changed if e.after is not None), default=None),
    )


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
    what was dropped and is known. Where an archive was searched, the view before the search counts,
    and it is ``proved`` that so many are recoverable or gone.
    """

    facts: int
    survived: int
    used: int | None
    dropped: int
    recoverable: int
    gone: int
    contradicted: int
    proved: int
    survival: Mean | None
    recovery: Mean | None
    half_life: HalfLife | None
    table: tuple[LifeRow, ...]

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
    runway: Runway | None


def strategy_losses(records: Sequence[Record]) -> StrategyLosses | None:
    found = fates(records)
    if not found:
        return None
    by_class = clustered((fate.fact_class, fate) for fate in found)
    named = [*CLASSES, *sorted(by_class.keys() - set(CLASSES))]
    classes = {name: _losses(by_class[name]) for name in named if name in by_class}
    events = [event for listed in events_by_case(records).values() for event in listed]
    return StrategyLosses(_losses(found), classes, runway(events))


def _losses(facts: Sequence[FactFate]) -> FactLosses:
    survived = [fact for fact in facts if fact.survived and not fact.recoverable]
    dropped = [fact for fact in facts if not fact.survived or fact.recoverable]
    known = [fact for fact in dropped if fact.recoverable is not None]
    recoverable = sum(bool(fact.recoverable) for fact in known)
    answered = any(fact.used is not None for fact in facts)
    return FactLosses(
        facts=len(facts),
        survived=len(survived),
        used=sum(bool(fact.used) for fact in survived) if answered else None,
        dropped=len(dropped),
        recoverable=recoverable,
        gone=len(known) - recoverable,
        contradicted=sum(fact.contradicted for fact in dropped),
        proved=sum(fact.proved for fact in dropped),
        survival=share((f.cluster, f.survived and not f.recoverable) for f in facts),
        recovery=share((fact.cluster, bool(fact.recoverable)) for fact in known),
        half_life=half_life(facts),
        table=life_table(facts),
    )
