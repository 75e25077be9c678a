"""Which facts were lost: by every strategy, by one alone, and most often."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.losses.fates import Drop, FactFate, FactKey, fates
from pytest_compaction.settings import CONTROL


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that views did not state: ``times`` of the ``asked`` items that ask for it.

    ``drop`` is the earliest; ``None`` if no record tells it. ``recoverable`` is true if the
    agent could read it again every time, false if it could not once, ``None`` if that is not
    known. ``evidence`` are the ids of the log messages that state it.
    """

    case: str
    probe: str
    text: str
    fact_class: str
    times: int
    asked: int
    drop: Drop | None
    recoverable: bool | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedLosses:
    """Facts that all ``strategies`` were asked for: lost by every one, and by one alone."""

    strategies: tuple[str, ...]
    facts: int
    by_all: tuple[LostFact, ...]
    alone: Mapping[str, tuple[LostFact, ...]]


def compared_losses(arms: Mapping[str, Sequence[Record]]) -> ComparedLosses | None:
    """The losses of several strategies over the facts that all were asked for.

    A strategy lost a fact if its view stated it in no trial. The control takes no part; ``None``
    with fewer than two other strategies that have facts.
    """
    found = {name: _by_fact(fates(group)) for name, group in arms.items() if name != CONTROL}
    found = {name: facts for name, facts in found.items() if facts}
    if len(found) < 2:
        return None
    shared = sorted(set.intersection(*(set(facts) for facts in found.values())))
    losers = {key: [name for name in found if _lost(found[name][key])] for key in shared}
    alone = {
        name: tuple(_of_arms(found, key) for key in shared if losers[key] == [name])
        for name in found
    }
    by_all = tuple(_of_arms(found, key) for key in shared if len(losers[key]) == len(found))
    return ComparedLosses(tuple(found), len(shared), by_all, alone)


def most_lost(arms: Mapping[str, Sequence[Record]], count: int = 10) -> list[LostFact]:
    """The facts that most items lost, over strategies, trials and probes of a case.

    The control takes no part. Of facts that were lost equally often, one that is gone comes
    before one that can be read again, then the one that was dropped by the earlier compaction;
    of those that are equal in this too, one of each case comes before a second of one case.
    """
    by_text: dict[tuple[str, str], list[FactFate]] = {}
    for name, group in arms.items():
        if name != CONTROL:
            for fate in fates(group):
                by_text.setdefault((fate.case, fate.text), []).append(fate)
    lost = [_lost_fact(same) for same in by_text.values() if any(not f.survived for f in same)]
    lost.sort(key=lambda fact: (_rank(fact), fact.case, fact.probe, fact.text))
    before: Counter[tuple[_Rank, str]] = Counter()
    turns: list[tuple[_Rank, int]] = []
    for fact in lost:
        turns.append((_rank(fact), before[_rank(fact), fact.case]))
        before[_rank(fact), fact.case] += 1
    ordered = sorted(range(len(lost)), key=lambda place: turns[place])
    return [lost[place] for place in ordered[:count]]


_Rank = tuple[int, int, bool, float]


def _rank(fact: LostFact) -> _Rank:
    number = math.inf if fact.drop is None else fact.drop.number
    return -fact.times, fact.asked, fact.recoverable is not False, number


def _by_fact(found: Iterable[FactFate]) -> dict[FactKey, list[FactFate]]:
    facts: dict[FactKey, list[FactFate]] = {}
    for fate in found:
        facts.setdefault(fate.key, []).append(fate)
    return facts


def _lost(trials: Sequence[FactFate]) -> bool:
    return not any(fate.survived for fate in trials)


def _of_arms(found: Mapping[str, Mapping[FactKey, Sequence[FactFate]]], key: FactKey) -> LostFact:
    return _lost_fact([fate for facts in found.values() for fate in facts[key]])


def _lost_fact(same: Sequence[FactFate]) -> LostFact:
    lost = [fate for fate in same if not fate.survived]
    drops = [fate.drop for fate in lost if fate.drop is not None]
    known = [fate.recoverable for fate in lost if fate.recoverable is not None]
    first = same[0]
    return LostFact(
        case=first.case,
        probe=first.probe,
        text=first.text,
        fact_class=first.fact_class,
        times=len(lost),
        asked=len(same),
        drop=min(drops, key=lambda drop: (drop.number, drop.point), default=None),
        recoverable=all(known) if known else None,
        evidence=first.evidence,
    )
