"""What changed between two sets of records: scores, facts, items that pass, what was removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from pytest_compaction.metrics.aggregate import token_totals
from pytest_compaction.metrics.differences.item_pairs import pair_items, paired_difference
from pytest_compaction.metrics.item_figures import Record, figure_of, is_stated
from pytest_compaction.metrics.statistics.holm import holm
from pytest_compaction.metrics.statistics.paired import TIE, Paired
from pytest_compaction.rubric import DIMENSIONS

METRICS: Final = ("overall", *DIMENSIONS)
"""The figures that are compared; each from 0 to 5."""


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that one of two views states: its text, the item that asked for it, and its class.

    ``point`` is the compaction point of the probe and ``kind`` the class of the fact; both are
    empty where a record does not say them.
    """

    text: str
    case: str
    probe: str
    point: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One item in two sets, and the facts that only one of its two views states."""

    first: Record
    second: Record
    gone: tuple[FactChange, ...] = ()
    regained: tuple[FactChange, ...] = ()

    @property
    def difference(self) -> float:
        """The second score less the first (-5 to 5)."""
        return float(self.second["overall"] - self.first["overall"])

    @property
    def facts(self) -> int:
        """How many facts the item asks for."""
        return len(self.second["facts"])


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure in two sets over the items that have it in both: both means, and the difference."""

    first: float
    second: float
    paired: Paired

    @property
    def value(self) -> float:
        """The mean difference, second less first."""
        return self.paired.difference.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the difference over cases, ``None`` with one case."""
        return self.paired.difference.interval


@dataclass(frozen=True, slots=True)
class RunChanges:
    """What changed from a first set of records to a second.

    ``figures`` has those of :data:`METRICS` that both sets have. ``items`` are all items with a
    score in both sets, the largest loss first. ``stated`` is the share of the facts of these
    items that the views state, ``removed`` the share of tokens that was removed, each first and
    second. ``new`` and ``vanished`` are probes that only one set has, as (case, probe);
    ``unscored`` counts items without a score in one of the sets.
    """

    figures: Mapping[str, Compared]
    items: tuple[ItemChange, ...]
    stated: tuple[float, float] | None
    removed: tuple[float | None, float | None]
    new: tuple[tuple[str, str], ...] = ()
    vanished: tuple[tuple[str, str], ...] = ()
    unscored: int = 0

    @property
    def cases(self) -> int:
        """The number of cases of the items that were compared."""
        return len({item.first["case"] for item in self.items})

    @property
    def gone(self) -> tuple[FactChange, ...]:
        """Facts that the first views state and the second do not, in the order of ``items``."""
        return tuple(chain.from_iterable(item.gone for item in self.items))

    @property
    def regained(self) -> tuple[FactChange, ...]:
        """Facts that only the second views state."""
        return tuple(chain.from_iterable(item.regained for item in self.items))

    @property
    def below(self) -> tuple[ItemChange, ...]:
        """Items that passed and are now below the pass score."""
        return tuple(item for item in self.items if _statuses(item) == ("passed", "failed"))

    @property
    def recovered(self) -> tuple[ItemChange, ...]:
        """Items that were below the pass score and now pass."""
        return tuple(item for item in self.items if _statuses(item) == ("failed", "passed"))

    @property
    def losses(self) -> tuple[ItemChange, ...]:
        """Items whose score fell, the largest loss first."""
        return tuple(item for item in self.items if item.difference < -TIE)

    @property
    def gains(self) -> tuple[ItemChange, ...]:
        """Items whose score rose, the largest gain first."""
        return tuple(item for item in reversed(self.items) if item.difference > TIE)


def run_changes(first: Sequence[Record], second: Sequence[Record]) -> RunChanges:
    """Compare the items that two sets of records of probes have in common.

    Items are the same if case, probe, trial and budget are. Each set should be of one strategy.
    """
    paired = pair_items(first, second)
    both = [
        (one, other)
        for one, other in paired.pairs
        if one["overall"] is not None and other["overall"] is not None
    ]
    firsts, seconds = [one for one, _ in both], [other for _, other in both]
    items = sorted((_item_change(one, other) for one, other in both), key=_by_loss)
    known, now = set(map(_probe, first)), set(map(_probe, second))
    return RunChanges(
        figures={name: found for name in METRICS if (found := _compared(firsts, seconds, name))},
        items=tuple(items),
        stated=_both_stated(firsts, seconds),
        removed=(_removed(firsts), _removed(seconds)),
        new=tuple(sorted(now - known)),
        vanished=tuple(sorted(known - now)),
        unscored=len(paired.pairs) - len(both),
    )


def adjusted_p(changes: Sequence[RunChanges]) -> list[dict[str, float | None]]:
    """The p value of each figure of several comparisons after Holm's correction.

    The overall scores of all comparisons are one family of tests, and their dimensions another.
    """
    found: list[dict[str, float | None]] = [{} for _ in changes]
    for family in (METRICS[:1], METRICS[1:]):
        tests = [
            (number, name, each.figures[name].paired.p)
            for number, each in enumerate(changes)
            for name in family
            if name in each.figures
        ]
        for (number, name, _), p in zip(tests, holm([p for *_, p in tests]), strict=True):
            found[number][name] = p
    return found


def differences_by_case(changes: RunChanges, metric: str) -> dict[str, list[float]]:
    """The difference of a metric in each item that has it in both sets, by case."""
    found: dict[str, list[float]] = defaultdict(list)
    for item in changes.items:
        one, other = figure_of(item.first, metric), figure_of(item.second, metric)
        if one is not None and other is not None:
            found[item.first["case"]].append(other - one)
    return dict(sorted(found.items()))


def _compared(firsts: Sequence[Record], seconds: Sequence[Record], metric: str) -> Compared | None:
    paired = paired_difference(firsts, seconds, metric)
    if paired is None:
        return None
    values = [
        (one, other)
        for one, other in zip(
            (figure_of(record, metric) for record in firsts),
            (figure_of(record, metric) for record in seconds),
            strict=True,
        )
        if one is not None and other is not None
    ]
    return Compared(
        sum(one for one, _ in values) / len(values),
        sum(other for _, other in values) / len(values),
        paired,
    )


def _item_change(first: Record, second: Record) -> ItemChange:
    """The facts are matched by their text; those that only one record has say nothing."""
    before, after = dict(named_facts(first["facts"])), dict(named_facts(second["facts"]))
    gone: list[FactChange] = []
    regained: list[FactChange] = []
    for name, fact in after.items():
        if name not in before or is_stated(fact) == is_stated(before[name]):
            continue
        kind = str(fact.get("class") or fact.get("type") or "")
        point = str((second.get("point") or {}).get("id") or "")
        change = FactChange(name, second["case"], second["probe"], point, kind)
        (regained if is_stated(fact) else gone).append(change)
    return ItemChange(first, second, tuple(gone), tuple(regained))


def named_facts(facts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The facts of an item by their text; a second one of the same text has a number."""
    seen: set[str] = set()
    for fact in facts:
        name = text = str(fact["text"])
        number = 1
        while name in seen:
            number += 1
            name = f"{text} ({number})"
        seen.add(name)
        yield name, fact


def _by_loss(item: ItemChange) -> tuple[float, int, str, str, int, str]:
    record = item.second
    return (
        item.difference,
        len(item.regained) - len(item.gone),
        record["case"],
        record["probe"],
        record["trial"],
        str(record.get("budget")),
    )


def _statuses(item: ItemChange) -> tuple[str, str]:
    return item.first["status"], item.second["status"]


def _probe(record: Record) -> tuple[str, str]:
    return record["case"], record["probe"]


def _both_stated(firsts: Sequence[Record], seconds: Sequence[Record]) -> tuple[float, float] | None:
    one, other = _stated(firsts), _stated(seconds)
    return None if one is None or other is None else (one, other)


def _stated(records: Sequence[Record]) -> float | None:
    """The share of all facts of these items that their views state (0 to 1)."""
    facts = [fact for record in records for fact in record["facts"]]
    return sum(map(is_stated, facts)) / len(facts) if facts else None


def _removed(records: Sequence[Record]) -> float | None:
    tokens = token_totals(records)
    return tokens.removed if tokens.before else None
