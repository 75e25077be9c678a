"""Loss in production: facts that survive there, beside those of other strategies.

Only probes asked right after a compaction on record count, where the agent went on with the view of
``recorded``; and only items that every strategy has a score for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from pytest_compaction.case import FactType
from pytest_compaction.metrics.aggregates import by_arm, is_stated
from pytest_compaction.metrics.intervals import Mean, case_key, clustered, counts_of, mean_over
from pytest_compaction.record import Record
from pytest_compaction.settings import CONTROL, RECORDED

ALL_TYPES: Final = "overall"


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """A strategy: the share of facts of each type, and of all, that its views state."""

    compactor: str
    shares: Mapping[str, Mean]
    tokens: float
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class ProductionLoss:
    """The strategies, ``recorded`` first, then the best; ``absent`` ones have no score at all.

    ``items`` of ``asked`` were scored for all. With ``equal_tokens`` views had the room of the
    record.
    """

    columns: tuple[KeptFacts, ...]
    facts: Mapping[str, int]
    cases: int
    units: int
    items: int
    asked: int
    absent: tuple[str, ...]
    equal_tokens: bool


def production_loss(records: Iterable[Record]) -> ProductionLoss | None:
    """The comparison with what is on record; ``None`` for a run without ``recorded`` or record."""
    asking = [r for r in records if r["facts"] or r["status"] != "skipped"]
    after = [r for r in asking if (r.get("point") or {}).get("recorded")]
    arms = {
        name: {(r["case"], r["probe"], r["trial"]): r for r in group}
        for name, group in by_arm(after).items()
    }
    measured = {
        name: {key for key, record in items.items() if record["overall"] is not None}
        for name, items in arms.items()
    }
    absent = tuple(name for name, keys in measured.items() if not keys)
    names = {r["compactor"]: name for name, items in arms.items() for r in items.values()}
    production = names.get(RECORDED)
    if production is None or production in absent:
        return None
    shared = sorted(set.intersection(*filter(None, measured.values())))
    common = {name: [arms[name][key] for key in shared] for name in arms if name not in absent}
    if not any(record["facts"] for record in common[production]):
        return None
    items = len({key for found in arms.values() for key in found})
    columns = [_kept(name, group, items - len(measured[name])) for name, group in common.items()]

    def rank(column: KeptFacts) -> tuple[bool, bool, float, str]:
        """Production first and the control last; in between, the best first."""
        name = column.compactor
        return name != production, name == CONTROL, -column.shares[ALL_TYPES].value, name

    once = {(r["case"], r["probe"]): r["facts"] for r in common[production]}
    counts = Counter(fact["type"] for facts in once.values() for fact in facts)
    types = [*get_args(FactType), *sorted(counts.keys() - set(get_args(FactType)))]
    cases, units = counts_of(common[production])
    return ProductionLoss(
        columns=tuple(sorted(columns, key=rank)),
        facts={**{type: counts[type] for type in types if counts[type]}, ALL_TYPES: counts.total()},
        cases=cases,
        units=units,
        items=len(shared),
        asked=items,
        absent=absent,
        equal_tokens=all(
            r.get("budget") == RECORDED for r in after if r["compactor"] not in {CONTROL, RECORDED}
        ),
    )


def _kept(compactor: str, records: Sequence[Record], unscored: int) -> KeptFacts:
    stated = [
        (case_key(r), fact["type"], float(is_stated(fact))) for r in records for fact in r["facts"]
    ]
    shares = {
        type: mean_over(clustered((c, value) for c, of, value in stated if type in (ALL_TYPES, of)))
        for type in (ALL_TYPES, *dict.fromkeys(of for _, of, _ in stated))
    }
    # A view that is read per question counts with its mean.
    views = clustered(
        (f"{record['case']} {record['trial']} {record['point']['id']}", record["tokens"]["view"])
        for record in records
    )
    means = [sum(tokens) / len(tokens) for tokens in views.values()]
    return KeptFacts(
        compactor,
        {type: share for type, share in shares.items() if share is not None},
        sum(means) / len(means),
        unscored,
    )
