"""Changes between two sets of records: scores, facts, items that pass, tokens removed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pytest_compaction.metrics.aggregates import is_needed, is_stated, token_totals
from pytest_compaction.metrics.changed_facts import (
    FactChange,
    FactChanges,
    fact_changes,
    probe_key,
)
from pytest_compaction.metrics.comparisons import TIE, Paired, holm
from pytest_compaction.metrics.figures import compared
from pytest_compaction.metrics.intervals import case_key, unit_of
from pytest_compaction.metrics.strategies import (
    differences_by_case,
    figures_by_item,
    pair_items,
    paired_difference,
)
from pytest_compaction.record import FactRecord, Record

_K = TypeVar("_K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One item in two sets, and the facts of its probe that are newly gone or regained."""

    first: Record
    second: Record
    gone: tuple[FactChange, ...] = ()
    regained: tuple[FactChange, ...] = ()

    @property
    def difference(self) -> float:
        return (self.second["overall"] or 0.0) - (self.first["overall"] or 0.0)


@dataclass(frozen=True, slots=True)
class BothMeans:
    """A figure in two sets over the items that have it in both: both means, and the difference."""

    first: float
    second: float
    paired: Paired

    @property
    def value(self) -> float:
        return self.paired.difference.value

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.paired.difference.interval


@dataclass(frozen=True, slots=True)
class RunChanges:
    """The changes from a first set of records to a second, each pair in this order.

    ``items`` have a score in both, the largest loss first. ``kept`` is the share of their facts
    that views state. ``new`` and ``vanished`` are probes of one set alone. Nothing is compared of
    ``changed_cases``, whose log changed, and no score of ``changed_probes``.
    """

    figures: Mapping[str, BothMeans]
    items: tuple[ItemChange, ...]
    kept: Mapping[str, tuple[float, float]]
    removed: tuple[float | None, float | None]
    new: tuple[tuple[str, str], ...] = ()
    vanished: tuple[tuple[str, str], ...] = ()
    unscored: int = 0
    facts: FactChanges = FactChanges()
    changed_cases: tuple[str, ...] = ()
    changed_probes: tuple[tuple[str, str], ...] = ()

    def differences(self, metric: str) -> dict[str, list[float]]:
        """The difference of a metric in each item that has it in both sets, by case."""
        first, second = [item.first for item in self.items], [item.second for item in self.items]
        return differences_by_case(first, second, metric)

    @property
    def cases(self) -> int:
        return len({item.first["case"] for item in self.items})

    @property
    def units(self) -> int:
        """These values, with cases of one project counted as one."""
        return len({unit_of(case_key(item.second)) for item in self.items})

    @property
    def below(self) -> tuple[ItemChange, ...]:
        moved = "passed", "failed"
        return tuple(i for i in self.items if (i.first["status"], i.second["status"]) == moved)

    @property
    def recovered(self) -> tuple[ItemChange, ...]:
        moved = "failed", "passed"
        return tuple(i for i in self.items if (i.first["status"], i.second["status"]) == moved)

    @property
    def losses(self) -> tuple[ItemChange, ...]:
        """Items whose score fell, the largest loss first."""
        return tuple(item for item in self.items if item.difference < -TIE)


def run_changes(first: Sequence[Record], second: Sequence[Record]) -> RunChanges:
    """Compare the items that two sets of records, each of one strategy, have in common."""
    changed_cases = _changed(
        *(first, second, lambda record: record["case"]),
        lambda record: _digest(record, "log") or _digest(record, "case"),  # older ones have no log
    )
    first = [record for record in first if record["case"] not in changed_cases]
    second = [record for record in second if record["case"] not in changed_cases]
    facts = fact_changes(first, second)
    changed_probes = _changed(first, second, _probe, lambda record: _digest(record, "probe"))
    pairs = pair_items(
        [record for record in first if _probe(record) not in changed_probes],
        [record for record in second if _probe(record) not in changed_probes],
    )
    both = [
        (one, other)
        for one, other in pairs
        if one["overall"] is not None and other["overall"] is not None
    ]
    sides = [one for one, _ in both], [other for _, other in both]
    tokens = list(map(token_totals, sides))
    known, now = set(map(_probe, first)), set(map(_probe, second))
    items = []
    for one, other in both:
        gone, regained = (
            tuple(f for f in moved if (f.case, f.probe, f.budget) == probe_key(other))
            for moved in (facts.gone, facts.regained)
        )
        items.append(ItemChange(one, other, gone, regained))
    return RunChanges(
        figures={n: found for n in compared() if (found := _compared(*sides, n))},
        items=tuple(sorted(items, key=_by_loss)),
        kept=_kept(*sides),
        removed=(
            tokens[0].removed if tokens[0].before else None,
            tokens[1].removed if tokens[1].before else None,
        ),
        new=tuple(sorted(now - known)),
        vanished=tuple(sorted(known - now)),
        unscored=len(pairs) - len(both),
        facts=facts,
        changed_cases=tuple(sorted(changed_cases)),
        changed_probes=tuple(sorted(changed_probes)),
    )


def _changed(
    first: Sequence[Record],
    second: Sequence[Record],
    key: Callable[[Record], _K],
    content: Callable[[Record], str | None],
) -> set[_K]:
    """Keys of both sets whose contents differ, as far as both records name their content."""
    before = {key(record): record for record in first}
    found = set()
    for record in second:
        known = before.get(key(record))
        if known is None or _digest(known, "case") == _digest(record, "case"):
            continue
        contents = content(known), content(record)
        if None not in contents and contents[0] != contents[1]:
            found.add(key(record))
    return found


def _digest(record: Record, name: str) -> str | None:
    found: str | None = (record.get("hashes") or {}).get(name)
    return found


def _probe(record: Record) -> tuple[str, str]:
    return record["case"], record["probe"]


def _compared(firsts: Sequence[Record], seconds: Sequence[Record], metric: str) -> BothMeans | None:
    paired = paired_difference(firsts, seconds, metric)
    if paired is None:
        return None
    one, other = figures_by_item(firsts, metric), figures_by_item(seconds, metric)
    both = [key for key in one if key in other]
    before, after = (sum(side[key] for key in both) / len(both) for side in (one, other))
    return BothMeans(before, after, paired)


def _kept(firsts: Sequence[Record], seconds: Sequence[Record]) -> dict[str, tuple[float, float]]:
    """The shares of facts that both sides' views state, by need where both sides tell it."""
    sides = [[f for record in side for f in record["facts"]] for side in (firsts, seconds)]
    groups = [{"facts kept": facts} for facts in sides]
    if all(any(map(is_needed, facts)) for facts in sides):
        groups = [
            {
                "needed facts": [fact for fact in facts if is_needed(fact)],
                "stated only": [fact for fact in facts if not is_needed(fact)],
            }
            for facts in sides
        ]

    def share(facts: Sequence[FactRecord]) -> float:
        return sum(map(is_stated, facts)) / len(facts)

    return {
        name: (share(facts), share(groups[1][name]))
        for name, facts in groups[0].items()
        if facts and groups[1][name]
    }


def _by_loss(item: ItemChange) -> tuple[float, int, str, str, int, str]:
    record = item.second
    return (
        *(item.difference, len(item.regained) - len(item.gone)),
        *(record["case"], record["probe"], record["trial"], str(record.get("budget"))),
    )


def adjusted_p(changes: Sequence[RunChanges]) -> list[dict[str, float | None]]:
    """The p value of each figure after Holm's correction, overall scores and others apart."""
    found: list[dict[str, float | None]] = [{} for _ in changes]
    for family in (compared()[:1], compared()[1:]):
        tests = [
            (number, name, each.figures[name].paired.p)
            for number, each in enumerate(changes)
            for name in family
            if name in each.figures
        ]
        for (number, name, _), p in zip(tests, holm([p for *_, p in tests]), strict=True):
            found[number][name] = p
    return found
