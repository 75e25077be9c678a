"""The figures of the overview: scores, size of the views, loss by class, survival, cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from pytest_compaction.metrics.aggregate import Aggregate, Mean, aggregate, mean_of
from pytest_compaction.records.record import Record
from pytest_compaction.reports.page.arms import Arm
from pytest_compaction.reports.page.items import fate
from pytest_compaction.settings import CONTROL

CLASSES: Final = (
    *("path", "number", "value", "identifier", "error", "command"),
    *("decision", "reason", "instruction", "constraint", "state", "next_step"),
)
"""Classes of facts in the order of the page; older records have types instead."""
_FEWEST_CASES: Final = 3
"""Cases that a point of the survival plot needs."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Facts of one class, and how many were used, left unused or dropped."""

    facts: int
    used: int
    unused: int
    dropped: int

    @property
    def survived(self) -> float | None:
        """The share (0 to 1) that the views state."""
        return (self.used + self.unused) / self.facts if self.facts else None


@dataclass(frozen=True, slots=True)
class Cost:
    """What the compactions of a strategy took; ``None`` where the records do not tell."""

    calls: int
    read: int
    written: int
    dollars: float | None
    prefix: float | None
    """Mean share (0 to 1) of the view after a compaction that the request before began with."""
    until_next: float | None
    """Median messages until the view was as large again."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one strategy on the page."""

    label: str
    control: bool
    whole: Aggregate
    classes: Mapping[str, Shares]
    recoverable: int
    gone: int
    survival: tuple[Mean, ...]
    """Share of facts stated after the first, second, … compaction since the log stated them."""
    cost: Cost


def figures_of_arm(arm: Arm) -> Figures:
    """The figures of one strategy from its records."""
    scored = [record for record in arm.records if record["overall"] is not None]
    facts = [fact for record in scored for fact in record["facts"]]
    return Figures(
        label=arm.label,
        control=any(record["compactor"] == CONTROL for record in arm.records[:1]),
        whole=aggregate(arm.label, list(arm.records)),
        classes=classes_of(facts),
        recoverable=sum(fact.get("recoverable") is True for fact in facts),
        gone=sum(fact.get("recoverable") is False for fact in facts),
        survival=survival_by_compaction(scored),
        cost=cost_of(arm.records),
    )


def classes_of(facts: Iterable[Mapping[str, Any]]) -> dict[str, Shares]:
    """What became of the facts of each class, in the order of the page."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for fact in facts:
        counts[str(fact.get("class") or fact.get("type") or "value")][fate(fact)] += 1
    known = {name: number for number, name in enumerate(CLASSES)}
    return {
        name: Shares(found.total(), found["s"], found["u"], found["d"])
        for name, found in sorted(
            counts.items(), key=lambda pair: (known.get(pair[0], len(known)), pair[0])
        )
    }


def survival_by_compaction(records: Sequence[Record]) -> tuple[Mean, ...]:
    """The share of facts that a view states after their ``n``-th compaction, from the first.

    A fact counts at each compaction that its log has. One that several probes ask for counts
    once, with the longest history. It goes as far as three cases go, or all if there are fewer.
    """
    longest: dict[tuple[str, str, int], list[bool]] = {}
    for record in records:
        for fact in record["facts"]:
            held = [bool(state) for _, state in fact.get("stated_after") or ()]
            key = (record["case"], str(fact.get("text")), record["trial"])
            if len(held) > len(longest.get(key, ())):
                longest[key] = held
    means: list[Mean] = []
    for number in range(max(map(len, longest.values()), default=0)):
        rows = [
            {"case": case, "held": float(held[number])}
            for (case, _, _), held in sorted(longest.items())
            if len(held) > number
        ]
        mean = mean_of(rows, lambda row: row["held"])
        if mean is None or (means and mean.cases < min(_FEWEST_CASES, means[0].cases)):
            break
        means.append(mean)
    return tuple(means)


def cost_of(records: Iterable[Record]) -> Cost:
    """What the compactions took, each case and trial once."""
    last: dict[tuple[str, int], Record] = {}
    for record in records:
        key = (record["case"], record["trial"])
        if record["compaction"] and _size(record) >= _size(last.get(key)):
            last[key] = record
    usage = [record["usage"].get("compaction") or {} for record in last.values()]
    dollars = [record["usd"].get("compaction") for record in last.values()]
    events = [
        event for record in last.values() for event in record["compaction"].get("events") or ()
    ]
    shares = [
        event["prefix"] / event["after"]
        for event in events
        if event.get("prefix") is not None and event.get("after")
    ]
    waits = [event["until_next"] for event in events if event.get("until_next") is not None]
    known = [value for value in dollars if value is not None]
    return Cost(
        calls=sum(each.get("calls", 0) for each in usage),
        read=sum(each.get("input_tokens", 0) for each in usage),
        written=sum(each.get("output_tokens", 0) for each in usage),
        dollars=sum(known) if known and len(known) == len(dollars) else None,
        prefix=sum(shares) / len(shares) if shares else None,
        until_next=median(waits) if waits else None,
    )


def _size(record: Record | None) -> int:
    return int(record["tokens"].get("log", 0)) if record else -1


def frontier(figures: Sequence[Figures]) -> list[str]:
    """Labels of strategies that no other beats with as few tokens; the smallest views first."""
    points = [
        (item.whole.view_tokens, item.whole.overall.value, item.label)
        for item in figures
        if item.whole.overall is not None and item.whole.view_tokens is not None
    ]
    best = float("-inf")
    found = []
    for _, score, label in sorted(points, key=lambda p: (p[0], -p[1], p[2])):
        if score > best:
            best = score
            found.append(label)
    return found
