"""The fate of each fact of a run at its compactions, and the facts that strategies lost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics.aggregates import is_answered
from pytest_compaction.metrics.intervals import case_key
from pytest_compaction.record import CompactionRecord, EventRecord, Record
from pytest_compaction.settings import CONTROL

COMPACTED: Final = frozenset({"compacted", "truncated"})

CaseTrial = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CompactionEvent:
    """One compaction; figures are tokens, if known, but for messages.

    ``prefix``: whole messages that request and view begin with. ``until_next``: messages of the log
    until the view was as large again; ``messages_left``: all messages of the log after it.
    """

    case: str
    trial: int
    point: str
    status: str
    cluster: str
    before: int | None = None
    after: int | None = None
    prefix: int | None = None
    budget: int | None = None
    window: int | None = None
    free: int | None = None
    until_next: int | None = None
    messages_left: int | None = None

    @property
    def changed(self) -> bool:
        return self.status in COMPACTED


def with_continued(compaction: CompactionRecord) -> list[EventRecord]:
    """The compactions of a case, also those after its last point, where its log was continued."""
    return [*(compaction.get("events") or ()), *(compaction.get("continued") or ())]


def last_records(records: Iterable[Record]) -> list[Record]:
    """For each case and trial the record that tells of the most compactions."""
    longest: dict[CaseTrial, Record] = {}
    for record in records:
        key = record["case"], record["trial"]
        if "events" in record["compaction"]:
            longest[key] = max(
                longest.get(key, record),
                record,
                key=lambda each: len(each["compaction"].get("events") or ()),
            )
    return [record for _, record in sorted(longest.items(), key=lambda pair: pair[0])]


def events_by_case(
    records: Iterable[Record], continued: bool = False
) -> dict[CaseTrial, tuple[CompactionEvent, ...]]:
    """The compactions of each case and trial, also those of a ``continued`` log if asked for."""
    return {
        (record["case"], record["trial"]): tuple(
            CompactionEvent(
                *(record["case"], record["trial"]),
                *(event["point"], event["status"], case_key(record)),
                *(event.get("before"), event.get("after"), event.get("prefix")),
                *(record["compaction"].get("budget"), record["compaction"].get("window")),
                *(event.get("free"), event.get("until_next"), event.get("messages_left")),
            )
            for event in (with_continued if continued else _events)(record["compaction"])
        )
        for record in last_records(records)
    }


def _events(compaction: CompactionRecord) -> list[EventRecord]:
    return compaction.get("events") or []


FactKey = tuple[str, str, str]
"""Case, probe and text: one fact under every strategy and in every trial."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The first compaction after which a fact was not stated, and its number since it was said."""

    point: str
    number: int


@dataclass(frozen=True, slots=True)
class FactFate:
    """One fact of one probe in one trial: whether the view states it, and what became of it.

    ``recoverable`` is ``None`` unless it was dropped; if the search of an archive ``proved`` it, a
    fact that was found survived. ``stated`` says for each compaction since the log first stated it
    whether the view still did. ``source`` is the smallest log message that states it, with its
    tokens.
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
    source: tuple[str, int] | None = None
    evidence: tuple[str, ...] = ()
    cluster: str = ""
    proved: bool = False

    @property
    def key(self) -> FactKey:
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
    """Every fact of every scored record with classes, each once for case, probe and trial."""
    found: dict[tuple[FactKey, int], FactFate] = {}
    for record in records:
        if record["overall"] is None:
            continue
        rewritten: dict[str, bool] = {}  # points with a compaction, and whether it changed the view
        for event in record["compaction"].get("events") or ():
            changed = event["status"] in COMPACTED
            rewritten[event["point"]] = rewritten.get(event["point"], False) or changed
        for fact in record["facts"]:
            if isinstance(fact.get("class"), str):
                fate = _fate(record, fact, {p for p, changed in rewritten.items() if not changed})
                found.setdefault((fate.key, fate.trial), fate)
    return [fate for _, fate in sorted(found.items(), key=lambda pair: pair[0])]


def _fate(record: Record, fact: Mapping[str, Any], idle: Set[str]) -> FactFate:
    survived, source = bool(fact["survived"]), fact.get("source")
    proved = fact.get("proved") is True
    return FactFate(
        case=record["case"],
        probe=record["probe"],
        trial=record["trial"],
        text=str(fact["text"]),
        fact_class=fact["class"],
        survived=survived,
        used=bool(fact["used"]) if is_answered(fact) else None,
        contradicted=not survived and fact.get("view") == "contradicted",
        recoverable=None if survived and not proved else fact.get("recoverable"),
        stated=tuple(
            (point, stated) for point, stated in fact.get("stated_after") or () if point not in idle
        ),
        source=source and (source["message"], source["tokens"]),
        evidence=tuple(str(id) for id in fact.get("evidence") or ()),
        cluster=case_key(record),
        proved=proved,
    )


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that views did not state: ``times`` of the ``asked`` items that ask for it.

    ``recoverable`` is true if the agent could read it again every time, ``None`` if not known.
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


def _lost_fact(facts: Sequence[FactFate]) -> LostFact:
    lost = [fate for fate in facts if not fate.survived]
    drops = [fate.drop for fate in lost if fate.drop is not None]
    known = [fate.recoverable for fate in lost if fate.recoverable is not None]
    first = facts[0]
    return LostFact(
        *(first.case, first.probe, first.text, first.fact_class),
        times=len(lost),
        asked=len(facts),
        drop=min(drops, key=lambda drop: (drop.number, drop.point), default=None),
        recoverable=all(known) if known else None,
        evidence=first.evidence,
    )


@dataclass(frozen=True, slots=True)
class ComparedLosses:
    """Facts that all ``strategies`` were asked for: lost by every one, and by one alone."""

    strategies: tuple[str, ...]
    facts: int
    by_all: tuple[LostFact, ...]
    alone: Mapping[str, tuple[LostFact, ...]]


def compared_losses(arms: Mapping[str, Sequence[Record]]) -> ComparedLosses | None:
    """The facts that all were asked for and lost in every trial; the control takes no part."""
    found: dict[str, dict[FactKey, list[FactFate]]] = {}
    for name, group in arms.items():
        for fate in fates(group) if name != CONTROL else ():
            found.setdefault(name, {}).setdefault(fate.key, []).append(fate)
    if len(found) < 2:
        return None
    shared = sorted(set.intersection(*(set(facts) for facts in found.values())))
    lost: dict[tuple[str, ...], list[LostFact]] = {}
    for key in shared:
        losers = [name for name, facts in found.items() if not any(f.survived for f in facts[key])]
        every = [fate for facts in found.values() for fate in facts[key]]
        lost.setdefault(tuple(losers), []).append(_lost_fact(every))
    alone = {name: tuple(lost.get((name,), ())) for name in found}
    return ComparedLosses(tuple(found), len(shared), tuple(lost.get(tuple(found), ())), alone)


def most_lost(arms: Mapping[str, Sequence[Record]], count: int = 10) -> list[LostFact]:
    """The facts that most items lost, over strategies but the control, trials and probes.

    Those gone come before those that can be read again, then those dropped earlier.
    """

    def rank(fact: LostFact) -> tuple[Any, ...]:
        number = math.inf if fact.drop is None else fact.drop.number
        often = -fact.times, fact.asked, fact.recoverable is not False, number
        return *often, fact.case, fact.probe, fact.text

    by_text: dict[tuple[str, str], list[FactFate]] = {}
    for name, group in arms.items():
        for fate in fates(group) if name != CONTROL else ():
            by_text.setdefault((fate.case, fate.text), []).append(fate)
    lost = [_lost_fact(all_) for all_ in by_text.values() if not all(f.survived for f in all_)]
    return sorted(lost, key=rank)[:count]
