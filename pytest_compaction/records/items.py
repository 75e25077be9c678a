"""The items of a run as objects and as flat rows, whatever keys an older record lacks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics import further, loss, reading_of
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.text import printable

Scalar = str | int | float | bool | None
TEXTS: Final = ("reason", "error")
"""The columns that hold sentences."""
NOT_A_NUMBER: Final = "a score in the record is not a finite number"


def finite(value: Any) -> Any:
    """A JSON value with ``None`` in place of every NaN and infinity in it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list | tuple) else value


def finite_record(record: Record) -> Record:
    """A record without NaN: one of them would make every mean NaN.

    An item whose overall score is no number is unscored, and its reason says so; one with a
    count of tokens that is none has no counts.
    """
    found: Record = finite(record)
    if record.get("overall") is not None and found["overall"] is None:
        found |= {"status": "unscored", "reason": NOT_A_NUMBER, "dimensions": {}}
    tokens = found.get("tokens")
    if isinstance(tokens, dict) and None in tokens.values():
        found["tokens"] = {}
    return found


@dataclass(frozen=True, slots=True)
class ItemFact:
    """The outcome of one fact of an item.

    ``survived``: the view states it. ``used``: the answer states it, ``None`` where none was made.
    ``loss`` is ``dropped``, ``unused`` or ``None``. ``recoverable`` is ``None`` unless the fact was
    dropped, or found by the search of an archive. ``group`` is its class, such as ``path``. What an
    older record does not hold is empty or ``None``.
    """

    text: str
    type: str
    group: str | None
    survived: bool
    used: bool | None
    loss: str | None
    recoverable: bool | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Item:
    """One item of a run: a probe, or a dialogue, with one strategy and trial.

    ``overall`` and ``dimensions`` are from 0 to 5; a dimension that does not apply is absent.
    ``record`` is the whole record, for what has no attribute here.
    """

    id: str
    type: str
    case: str
    task: str
    kind: str
    probe: str
    compactor: str
    budget: int | str | None
    trial: int
    status: str
    reason: str
    overall: float | None
    dimensions: dict[str, float]
    facts: tuple[ItemFact, ...]
    question: str
    response: str
    record: Record

    @property
    def passed(self) -> bool:
        """Whether the item reached its pass score and nothing went wrong afterwards."""
        return self.status == "passed" and "error" not in self.record

    def __repr__(self) -> str:
        score = self.status if self.overall is None else f"{self.overall:.2f} {self.status}"
        name = f"{self.case}-{self.probe}" if self.probe else self.case
        return printable(f"<Item {self.compactor} {name}: {score}>", 200)


def item_of(record: Record) -> Item:
    """The item of a record. A NaN in it counts as no score."""
    record = finite_record(record)
    scores = record.get("dimensions") or {}
    return Item(
        *(record["item"], type_of(record), record["case"]),
        *(record.get("task") or "", record.get("kind") or "", record["probe"]),
        *(record["compactor"], record.get("budget"), record["trial"]),
        *(record.get("status") or "", record.get("reason") or "", record.get("overall")),
        dimensions={name: score for name in DIMENSIONS if (score := scores.get(name)) is not None},
        facts=tuple(_facts(record)),
        question=record.get("question") or "",
        response=record.get("response") or "",
        record=record,
    )


def _facts(record: Record) -> Iterator[ItemFact]:
    leads = reading_of(record)
    for fact in record.get("facts") or ():
        survived, used = bool(fact.get("survived")), fact.get("used", False)
        yield ItemFact(
            text=str(fact.get("text") or ""),
            type=str(fact.get("type") or ""),
            group=fact.get("class"),
            survived=survived,
            used=None if used is None else bool(used),
            loss=fact["loss"] if "loss" in fact else loss(survived, used, leads),
            recoverable=fact.get("recoverable"),
            evidence=tuple(map(str, fact.get("evidence") or ())),
        )


def row_of(record: Record) -> dict[str, Scalar]:
    """A record as one flat row: scalars alone, ``None`` where there is none. A NaN is no score."""
    item = item_of(record)
    record, facts, overall = item.record, item.facts, item.overall
    traps, tokens = record.get("traps") or (), record.get("tokens") or {}
    measured = bool(facts) and overall is not None
    answered = measured and any(fact.used is not None for fact in facts)
    dropped = [fact for fact in facts if fact.loss == "dropped"]
    known = [fact.recoverable for fact in facts if fact.recoverable is not None]
    costs = list((record.get("usd") or {}).values())
    paid = [cost for cost in costs if cost is not None]
    probe = item.type == "probe"
    return {
        "item": item.id,
        "type": item.type,
        "case": item.case,
        "task": item.task,
        "kind": item.kind,
        "probe": item.probe,
        "point": (record.get("point") or {}).get("id"),
        "origin": record.get("origin"),
        "compactor": item.compactor,
        "budget": item.budget,
        "trial": item.trial,
        "status": item.status,
        "overall": overall,
        **{name: item.dimensions.get(name) for name in DIMENSIONS},
        "facts": len(facts),
        "stated": sum(fact.survived for fact in facts) if measured else None,
        "dropped": len(dropped) if measured else None,
        "unused": sum(fact.loss == "unused" for fact in facts) if answered else None,
        "recoverable": known.count(True) if known else None,
        "gone": known.count(False) if known else None,
        "traps": len(traps),
        "traps_hit": sum(bool(trap.get("hit")) for trap in traps) if measured else None,
        "consistency": record.get("consistency"),
        "retention": record.get("retention"),
        "savings": record.get("savings"),
        "log_tokens": tokens.get("log"),
        "view_tokens": tokens.get("view"),
        "case_budget": (record.get("compaction") or {}).get("budget"),
        "usd": math.fsum(paid) if paid and len(paid) == len(costs) else None,
        "reason": item.reason,
        "error": (record.get("error") or {}).get("reason"),
        # New columns come at the end.
        **{f.name: f.of(record) if f.of and probe else None for f in further("csv")},
    }


def columns() -> tuple[str, ...]:
    """The columns of a row, in their order."""
    nothing: Record = {"item": "", "case": "", "probe": "", "compactor": "", "trial": 1}
    return tuple(row_of({**nothing, "type": "dialogue"}))
