"""The items of a run as objects and as flat rows, whatever keys an older record lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics import further, loss, reading_of
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS

Scalar = str | int | float | bool | None

_COLUMNS: Final = (
    *("item", "type", "case", "task", "kind", "probe", "point", "origin"),
    *("compactor", "budget", "trial", "status", "overall"),
    *DIMENSIONS,
    *("facts", "stated", "dropped", "unused", "recoverable", "gone", "traps", "traps_hit"),
    *("consistency", "retention", "savings"),
    *("log_tokens", "view_tokens", "case_budget", "usd", "reason", "error"),
)

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


TEXTS: Final = ("reason", "error")
"""The columns that hold sentences."""


def columns() -> tuple[str, ...]:
    """The columns of a row, in their order; new ones come at the end."""
    return (*_COLUMNS, *(figure.name for figure in further("csv")))


@dataclass(frozen=True, slots=True)
class ItemFact:
    """The outcome of one fact of an item.

    ``survived``: the view states it. ``used``: the answer states it, ``None`` where none was made.
    ``loss`` is ``dropped``, ``unused`` or ``None``. ``view`` and ``answer`` are the outcomes read
    there: ``stated``, ``contradicted``, ``uncertain`` or ``absent``. ``recoverable`` is ``None``
    unless the fact was dropped. ``group`` is its class, such as ``path`` or ``decision``.
    ``needed`` says why the fact is asked; empty for one that is stated only. What an older record
    does not hold is empty or ``None``.
    """

    text: str
    type: str
    group: str | None
    survived: bool
    used: bool | None
    loss: str | None
    view: str | None
    answer: str | None
    recoverable: bool | None
    evidence: tuple[str, ...]
    why: str
    needed: str


@dataclass(frozen=True, slots=True)
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
    point: str | None
    compactor: str
    budget: int | str | None
    trial: int
    status: str
    reason: str
    overall: float | None
    dimensions: Mapping[str, float]
    facts: tuple[ItemFact, ...]
    question: str
    response: str
    log_tokens: int | None
    view_tokens: int | None
    record: Record

    @property
    def passed(self) -> bool:
        """Whether the item reached its pass score and nothing went wrong afterwards."""
        return self.status == "passed" and "error" not in self.record

    def __repr__(self) -> str:
        score = self.status if self.overall is None else f"{self.overall:.2f} {self.status}"
        name = f"{self.case}-{self.probe}" if self.probe else self.case
        return f"<Item {self.compactor} {name}: {score}>"


def item_of(record: Record) -> Item:
    """The item of a record. A NaN in it counts as no score."""
    record = finite_record(record)
    tokens, dimensions = record.get("tokens") or {}, record.get("dimensions") or {}
    scores = {name: dimensions.get(name) for name in DIMENSIONS}
    return Item(
        id=record["item"],
        type=type_of(record),
        case=record["case"],
        task=record.get("task") or "",
        kind=record.get("kind") or "",
        probe=record["probe"],
        point=(record.get("point") or {}).get("id"),
        compactor=record["compactor"],
        budget=record.get("budget"),
        trial=record["trial"],
        status=record.get("status") or "",
        reason=record.get("reason") or "",
        overall=record.get("overall"),
        dimensions={name: score for name, score in scores.items() if score is not None},
        facts=tuple(_fact(fact, record) for fact in record.get("facts") or ()),
        question=record.get("question") or "",
        response=record.get("response") or "",
        log_tokens=tokens.get("log"),
        view_tokens=tokens.get("view"),
        record=record,
    )


def row_of(record: Record) -> dict[str, Scalar]:
    """A record as one flat row of :func:`columns`: scalars alone, ``None`` where there is none."""
    item = item_of(record)
    record = item.record
    facts, traps = item.facts, record.get("traps") or ()
    measured = bool(facts) and item.overall is not None
    answered = measured and any(fact.used is not None for fact in facts)
    lost = [fact for fact in facts if fact.loss == "dropped"]
    costs = list((record.get("usd") or {}).values())
    paid = [cost for cost in costs if cost is not None]
    values: dict[str, Scalar] = {
        "item": item.id,
        "type": item.type,
        "case": item.case,
        "task": item.task,
        "kind": item.kind,
        "probe": item.probe,
        "point": item.point,
        "origin": record.get("origin"),
        "compactor": item.compactor,
        "budget": item.budget,
        "trial": item.trial,
        "status": item.status,
        "overall": item.overall,
        **{name: item.dimensions.get(name) for name in DIMENSIONS},
        "facts": len(facts),
        "stated": sum(fact.survived for fact in facts) if measured else None,
        "dropped": len(lost) if measured else None,
        "unused": sum(fact.loss == "unused" for fact in facts) if answered else None,
        "recoverable": _counted(lost, True),
        "gone": _counted(lost, False),
        "traps": len(traps),
        "traps_hit": sum(bool(trap.get("hit")) for trap in traps) if measured else None,
        "consistency": record.get("consistency"),
        "retention": record.get("retention"),
        "savings": record.get("savings"),
        "log_tokens": item.log_tokens,
        "view_tokens": item.view_tokens,
        "case_budget": (record.get("compaction") or {}).get("budget"),
        "usd": math.fsum(paid) if paid and len(paid) == len(costs) else None,
        "reason": item.reason,
        "error": (record.get("error") or {}).get("reason"),
    }
    of_items = type_of(record) == "probe"
    values |= {f.name: f.of(record) if f.of and of_items else None for f in further("csv")}
    return {name: values[name] for name in columns()}


def _fact(fact: Mapping[str, Any], record: Record) -> ItemFact:
    survived, used = bool(fact.get("survived")), fact.get("used", False)
    used = None if used is None else bool(used)
    return ItemFact(
        text=str(fact.get("text") or ""),
        type=str(fact.get("type") or ""),
        group=fact.get("class"),
        survived=survived,
        used=used,
        loss=fact["loss"] if "loss" in fact else loss(survived, used, reading_of(record)),
        view=fact.get("view"),
        answer=fact.get("answer"),
        recoverable=fact.get("recoverable"),
        evidence=tuple(map(str, fact.get("evidence") or ())),
        why=str(fact.get("why") or ""),
        needed=str((fact.get("needed") or {}).get("why") or ""),
    )


def _counted(lost: Sequence[ItemFact], recoverable: bool) -> int | None:
    """How many of the dropped facts are so; ``None`` if the record does not say it of any."""
    known = [fact.recoverable for fact in lost if fact.recoverable is not None]
    return known.count(recoverable) if known else None
