"""What production compaction lost: facts that survive beside those of other strategies.

Only probes that are asked right after a compaction on record count. There the agent itself
went on with the view that ``recorded`` gives, so that what this view no longer states is
what production lost; and only items that every strategy has a score for, so that all of
them are measured by the same facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pytest_compaction.case.case import FactType
from pytest_compaction.metrics.aggregates import by_arm
from pytest_compaction.metrics.intervals import Mean, mean_over
from pytest_compaction.metrics.item_figures import Record, is_stated
from pytest_compaction.settings import CONTROL, RECORDED

ALL_TYPES: Final = "overall"
_Item = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """A strategy: the share of facts (0 to 1) of each type that its views state, and of all.

    ``shares`` has the types that are asked for, and ``overall``. ``tokens`` is the mean of its
    views, each once. ``unscored`` counts the items that it has no score for.
    """

    compactor: str
    shares: Mapping[str, Mean]
    tokens: float
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class ProductionLoss:
    """The strategies, ``recorded`` first, then the best; ``facts`` counts them by type.

    ``items`` of ``asked`` were scored for every strategy; ``absent`` are the strategies
    without any score. ``equal_tokens`` says that views could take as many tokens as those
    on record.
    """

    columns: tuple[KeptFacts, ...]
    facts: Mapping[str, int]
    cases: int
    items: int
    asked: int
    absent: tuple[str, ...]
    equal_tokens: bool


def production_loss(records: Iterable[Record]) -> ProductionLoss | None:
    """The comparison with what is on record; ``None`` for a run without ``recorded`` or record."""
    after = [r for r in records if (r.get("point") or {}).get("recorded")]
    arms = {name: _by_item(group) for name, group in by_arm(after).items()}
    production = next((name for name, items in arms.items() if _is_recorded(items)), None)
    measured = {name: found for name, items in arms.items() if (found := _scored(items))}
    if production is None or production not in measured:
        return None
    shared = set.intersection(*(set(items) for items in measured.values()))
    common = {name: [items[key] for key in sorted(shared)] for name, items in measured.items()}
    if not any(record["facts"] for record in common[production]):
        return None
    asked = {key for items in arms.values() for key in items}
    columns = [
        _kept(name, group, len(asked) - len(measured[name])) for name, group in common.items()
    ]
    return ProductionLoss(
        columns=tuple(sorted(columns, key=lambda column: _rank(column, production))),
        facts=_counted(common[production]),
        cases=len({case for case, _, _ in shared}),
        items=len(shared),
        asked=len(asked),
        absent=tuple(name for name in arms if name not in measured),
        equal_tokens=all(
            r.get("budget") == RECORDED for r in after if r["compactor"] not in {CONTROL, RECORDED}
        ),
    )


def _is_recorded(items: Mapping[_Item, Record]) -> bool:
    return any(record["compactor"] == RECORDED for record in items.values())


def _by_item(records: Iterable[Record]) -> dict[_Item, Record]:
    return {(record["case"], record["probe"], record["trial"]): record for record in records}


def _scored(items: Mapping[_Item, Record]) -> dict[_Item, Record]:
    return {key: record for key, record in items.items() if record["overall"] is not None}


def _rank(column: KeptFacts, production: str) -> tuple[bool, bool, float, str]:
    """Production first and the control last; in between, whoever keeps most comes first."""
    share = column.shares[ALL_TYPES].value
    name = column.compactor
    return name != production, name == CONTROL, -share, name


def _kept(compactor: str, records: Sequence[Record], unscored: int) -> KeptFacts:
    states: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for fact in record["facts"]:
            for type in (ALL_TYPES, fact["type"]):
                states[type][record["case"]].append(float(is_stated(fact)))
    shares = {
        type: found
        for type, clusters in states.items()
        if (found := mean_over(clusters)) is not None
    }
    return KeptFacts(compactor, shares, _view_tokens(records), unscored)


def _view_tokens(records: Iterable[Record]) -> float:
    """The mean over the views; one that is read per question counts with its mean."""
    views: dict[Any, list[int]] = defaultdict(list)
    for record in records:
        key = (record["case"], record["trial"], record["point"]["id"])
        views[key].append(record["tokens"]["view"])
    means = [sum(tokens) / len(tokens) for tokens in views.values()]
    return sum(means) / len(means)


def _counted(records: Iterable[Record]) -> dict[str, int]:
    """Facts by type, each once however many trials; types in the order of the rubric's."""
    once = {(record["case"], record["probe"]): record["facts"] for record in records}
    found = Counter(fact["type"] for facts in once.values() for fact in facts)
    named = [*get_args(FactType), *sorted(found.keys() - set(get_args(FactType)))]
    counts = {type: found[type] for type in named if found[type]}
    return {**counts, ALL_TYPES: sum(found.values())}
