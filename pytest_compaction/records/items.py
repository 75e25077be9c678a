"""The items of a run as flat rows, whatever keys an older record lacks."""

from __future__ import annotations

import math
from typing import Any, Final

from pytest_compaction.metrics import further, loss, reading_of
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS

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


def row_of(record: Record) -> dict[str, Scalar]:
    """A record as one flat row: scalars alone, ``None`` where there is none. A NaN is no score."""
    record = finite_record(record)
    facts, traps = record.get("facts") or (), record.get("traps") or ()
    tokens, dimensions = record.get("tokens") or {}, record.get("dimensions") or {}
    overall, leads = record.get("overall"), reading_of(record)
    fates = [
        fact["loss"]
        if "loss" in fact
        else loss(bool(fact.get("survived")), fact.get("used", False), leads)
        for fact in facts
    ]
    measured = bool(facts) and overall is not None
    answered = measured and any(fact.get("used", False) is not None for fact in facts)
    dropped = [fact for fact, fate in zip(facts, fates, strict=True) if fate == "dropped"]
    known = [fact["recoverable"] for fact in dropped if fact.get("recoverable") is not None]
    costs = list((record.get("usd") or {}).values())
    paid = [cost for cost in costs if cost is not None]
    probe = type_of(record) == "probe"
    return {
        "item": record["item"],
        "type": type_of(record),
        "case": record["case"],
        "task": record.get("task") or "",
        "kind": record.get("kind") or "",
        "probe": record["probe"],
        "point": (record.get("point") or {}).get("id"),
        "origin": record.get("origin"),
        "compactor": record["compactor"],
        "budget": record.get("budget"),
        "trial": record["trial"],
        "status": record.get("status") or "",
        "overall": overall,
        **{name: dimensions.get(name) for name in DIMENSIONS},
        "facts": len(facts),
        "stated": sum(bool(fact.get("survived")) for fact in facts) if measured else None,
        "dropped": len(dropped) if measured else None,
        "unused": fates.count("unused") if answered else None,
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
        "reason": record.get("reason") or "",
        "error": (record.get("error") or {}).get("reason"),
        # New columns come at the end.
        **{f.name: f.of(record) if f.of and probe else None for f in further("csv")},
    }


def columns() -> tuple[str, ...]:
    """The columns of a row, in their order."""
    nothing: Record = {"item": "", "case": "", "probe": "", "compactor": "", "trial": 1}
    return tuple(row_of({**nothing, "type": "dialogue"}))
