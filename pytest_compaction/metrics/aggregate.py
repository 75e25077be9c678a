"""Aggregates of a run, from its records alone; the summary shows them, the gate uses them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compaction.metrics.intervals import cluster_interval
from pytest_compaction.metrics.pass_k import mean_pass_hat_k
from pytest_compaction.metrics.savings import kept_share, removed_share
from pytest_compaction.metrics.survival import loss
from pytest_compaction.rubric import DIMENSIONS

Record = dict[str, Any]
"""One item of a run as plain JSON: the ``Record`` of ``records``, a room above this one."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % cluster interval (``None`` with one case) and the number of items."""

    value: float
    interval: tuple[float, float] | None
    count: int


@dataclass(frozen=True, slots=True)
class Losses:
    """Facts asked for, and how many of them were dropped from the view or left unused."""

    facts: int
    dropped: int
    unused: int
    traps: int
    hit: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of all logs and of the views that replaced them, summed over cases and trials."""

    before: int
    after: int

    @property
    def removed(self) -> float:
        """Share removed; see :func:`~pytest_compaction.metrics.savings.removed_share`."""
        return removed_share(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All figures of one strategy."""

    compactor: str
    statuses: Mapping[str, int]
    overall: Mean | None
    dimensions: Mapping[str, Mean]
    passes: Mapping[int, float]
    tokens: Tokens
    losses: Losses
    steps: Mapping[str, int]
    over_budget: int
    compactions: int

    @property
    def items(self) -> int:
        """All items, whatever their status."""
        return sum(self.statuses.values())

    @property
    def scored(self) -> int:
        """Items with a score."""
        return self.statuses.get("passed", 0) + self.statuses.get("failed", 0)


def mean_of(records: Iterable[Record], value: Callable[[Record], float | None]) -> Mean | None:
    """Mean of a figure over the records that have it, clustered by case, or ``None``."""
    clusters: dict[str, list[float]] = defaultdict(list)
    for record in records:
        found = value(record)
        if found is not None:
            clusters[record["case"]].append(found)
    values = [x for group in clusters.values() for x in group]
    if not values:
        return None
    return Mean(sum(values) / len(values), cluster_interval(clusters), len(values))


def scored(records: Iterable[Record]) -> list[Record]:
    """The records that have an overall score."""
    return [record for record in records if record["overall"] is not None]


def dimension_mean(records: Sequence[Record], dimension: str) -> Mean | None:
    """Mean of one dimension over the records."""
    return mean_of(records, lambda record: record["dimensions"].get(dimension))


def overall_mean(records: Sequence[Record]) -> Mean | None:
    """Mean of the overall score over the records."""
    return mean_of(records, lambda record: record["overall"])


def pass_estimates(records: Iterable[Record]) -> dict[int, float]:
    """pass^k for every k up to the number of trials; unscored items are left out."""
    outcomes: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for record in scored(records):
        key = (record["case"], record["probe"], record["item"].partition("[")[0])
        outcomes[key].append(record["status"] == "passed")
    counts = [(len(values), sum(values)) for values in outcomes.values()]
    estimates: dict[int, float] = {}
    for k in range(1, max((n for n, _ in counts), default=0) + 1):
        value = mean_pass_hat_k(counts, k)
        if value is not None:
            estimates[k] = value
    return estimates


def token_totals(records: Iterable[Record]) -> Tokens:
    """Log and view tokens at the last point with a probe, summed over cases and trials."""
    last: dict[tuple[str, int], tuple[int, int]] = {}
    for record in records:
        tokens = record["tokens"]
        if tokens:
            key = (record["case"], record["trial"])
            last[key] = max(last.get(key, (0, 0)), (tokens["log"], tokens["view"]))
    return Tokens(sum(log for log, _ in last.values()), sum(view for _, view in last.values()))


def loss_counts(records: Iterable[Record]) -> Losses:
    """Facts and traps over all scored records: how many were dropped, unused or hit."""
    facts = [fact for record in scored(records) for fact in record["facts"]]
    traps = [trap for record in scored(records) for trap in record["traps"]]
    kinds = Counter(loss(fact["survived"], fact["used"]) for fact in facts)
    hit = sum(trap["hit"] for trap in traps)
    return Losses(len(facts), kinds["dropped"], kinds["unused"], len(traps), hit)


def aggregate(compactor: str, records: Sequence[Record]) -> Aggregate:
    """All figures of one strategy from its records."""
    per_compaction: dict[tuple[str, int], Record] = {}
    for record in records:
        if record["compaction"]:
            per_compaction[record["case"], record["trial"]] = record
    steps: Counter[str] = Counter()
    for record in per_compaction.values():
        steps.update(record["compaction"]["steps"])
    overall = overall_mean(records)
    dimensions = {name: dimension_mean(records, name) for name in DIMENSIONS}
    return Aggregate(
        compactor=compactor,
        statuses=Counter(record["status"] for record in records),
        overall=overall,
        dimensions={name: mean for name, mean in dimensions.items() if mean is not None},
        passes=pass_estimates(records),
        tokens=token_totals(records),
        losses=loss_counts(records),
        steps=dict(sorted(steps.items())),
        over_budget=_over_budget(records),
        compactions=len(per_compaction),
    )


def _over_budget(records: Iterable[Record]) -> int:
    """How many case-and-trial pairs had a view above the budget at some probe."""
    return len(
        {
            (record["case"], record["trial"])
            for record in records
            if record["tokens"] and record["tokens"]["view"] > record["compaction"]["budget"]
        }
    )


def kept_by_dimension(
    records: Sequence[Record], control: Sequence[Record]
) -> dict[str, tuple[float, float | None]]:
    """For overall and each dimension: the control's mean on the same items, and the share kept.

    Only items with a score on both sides are compared.
    """
    key = _item_key
    theirs = {key(record): record for record in scored(control)}
    pairs = [(r, theirs[key(r)]) for r in scored(records) if key(r) in theirs]
    result: dict[str, tuple[float, float | None]] = {}
    for name in ("overall", *DIMENSIONS):
        values = [
            (_figure(mine, name), _figure(other, name))
            for mine, other in pairs
            if _figure(mine, name) is not None and _figure(other, name) is not None
        ]
        if values:
            mine = sum(a for a, _ in values if a is not None) / len(values)
            other = sum(b for _, b in values if b is not None) / len(values)
            result[name] = (other, kept_share(mine, other))
    return result


def _item_key(record: Record) -> tuple[str, str, int]:
    return (record["case"], record["probe"], record["trial"])


def _figure(record: Record, name: str) -> float | None:
    value: float | None = record["overall"] if name == "overall" else record["dimensions"].get(name)
    return value


def by_compactor(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records by strategy, in order of first occurrence."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["compactor"], []).append(record)
    return groups
