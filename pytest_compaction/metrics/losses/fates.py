"""What became of each fact of a run, from its records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_compaction.metrics.item_figures import Record, is_answered
from pytest_compaction.metrics.losses.events import COMPACTED, listed_events, whole

FactKey = tuple[str, str, str]
"""Case, probe and text: the same fact under every strategy and in every trial."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The first compaction after which a fact was not stated: its point, and its number.

    The number counts the compactions since the log first stated the fact, from 1.
    """

    point: str
    number: int


@dataclass(frozen=True, slots=True)
class FactSource:
    """The smallest log message that states a fact, and its tokens."""

    message: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FactFate:
    """One fact of one probe in one trial.

    ``survived``: the view states it. ``used``: the answer states it, ``None`` without one.
    ``contradicted``: the view states something else in its place. ``recoverable`` is ``None``
    unless it was dropped, and where a record does not say it. ``stated`` says for each compaction
    since the log first stated the fact whether the view after it still did, up to the point of the
    probe.
    """

    case: str
    probe: str
    trial: int
    text: str
    fact_class: str
    survived: bool
    used: bool | None
    contradicted: bool = False
    recoverable: bool | None = None
    stated: tuple[tuple[str, bool], ...] = ()
    source: FactSource | None = None
    evidence: tuple[str, ...] = ()

    @property
    def key(self) -> FactKey:
        """What the fact is known by under other strategies."""
        return self.case, self.probe, self.text

    @property
    def drop(self) -> Drop | None:
        """Where the fact was first not stated any more, whether or not it came back."""
        for number, (point, stated) in enumerate(self.stated, start=1):
            if not stated:
                return Drop(point, number)
        return None

    @property
    def exposures(self) -> int:
        """The compactions that the fact met: up to the one that dropped it, or all of them."""
        drop = self.drop
        return len(self.stated) if drop is None else drop.number


def fates(records: Iterable[Record]) -> list[FactFate]:
    """Every fact of every scored record, each once for case, probe and trial.

    Records without the class of their facts, which older versions wrote, are left out.
    """
    found: dict[tuple[FactKey, int], FactFate] = {}
    for record in records:
        if record["overall"] is None:
            continue
        idle = _idle_points(record)
        for fact in record["facts"]:
            if isinstance(fact.get("class"), str):
                fate = _fate(record, fact, idle)
                found.setdefault((fate.key, fate.trial), fate)
    return [fate for _, fate in sorted(found.items(), key=lambda pair: pair[0])]


def _idle_points(record: Record) -> frozenset[str]:
    """The points at which a compaction was due and left the view as it was.

    Where compactions are due by size or turns and not at the points of the case, no point is
    idle: each counts as one compaction, however many took place before it.
    """
    ended: dict[str, bool] = {}
    for event in listed_events(record) or ():
        point = str(event.get("point"))
        ended[point] = ended.get(point, False) or event.get("status") in COMPACTED
    return frozenset(point for point, changed in ended.items() if not changed)


def _fate(record: Record, fact: Mapping[str, Any], idle: frozenset[str]) -> FactFate:
    survived = bool(fact["survived"])
    recoverable = fact.get("recoverable")
    return FactFate(
        case=record["case"],
        probe=record["probe"],
        trial=record["trial"],
        text=str(fact["text"]),
        fact_class=fact["class"],
        survived=survived,
        used=bool(fact["used"]) if is_answered(fact) else None,
        contradicted=not survived and fact.get("view") == "contradicted",
        recoverable=recoverable if isinstance(recoverable, bool) and not survived else None,
        stated=tuple(_stated(fact.get("stated_after"), idle)),
        source=_source(fact.get("source")),
        evidence=tuple(str(id) for id in fact.get("evidence") or ()),
    )


def _stated(pairs: Any, idle: frozenset[str]) -> Iterator[tuple[str, bool]]:
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and str(pair[0]) not in idle:
            yield str(pair[0]), bool(pair[1])


def _source(found: Any) -> FactSource | None:
    tokens = whole(found.get("tokens")) if isinstance(found, Mapping) else None
    return None if tokens is None else FactSource(str(found.get("message")), tokens)
