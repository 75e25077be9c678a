"""The items of the page as plain data: what all strategies are asked, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pytest_compaction.metrics import is_answered, reading_of
from pytest_compaction.records import Record
from pytest_compaction.reports.page.arms import Arm
from pytest_compaction.rubric import DIMENSIONS

Outcome = Literal["passed", "below", "unscored", "skipped", "error"]
"""What became of an item; ``below`` is a score under the pass score."""

_DETAILS: Final = (
    "response",
    "reason",
    "criteria",
    "nuggets",
    "ordering",
    "answer",
    "view",
    "flags",
    "error",
    "compliance",
)
_OF_FACT: Final = (
    *("view", "answer", "clause", "words", "why"),
    *("evidence", "stated_after", "source", "recoverable"),
)


@dataclass
class Index:
    """What the page knows of all items at once; an item refers to the rest by numbers."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    probes: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    """The record of each item."""


def index_of(arms: Sequence[Arm]) -> Index:
    """All items of all strategies; a case or a probe that several share stands there once."""
    index = Index()
    cases: dict[tuple[str, str], int] = {}
    probes: dict[str, int] = {}
    for number, arm in enumerate(arms):
        for record in arm.records:
            case = _case(record, cases, index)
            probe = _probe(record, case, probes, index)
            index.items.append(_item(record, probe, number))
            index.records.append(record)
    return index


def outcome_of_item(record: Record) -> Outcome:
    """What became of an item; one that failed after its verdict is an error."""
    if record["status"] == "error" or "error" in record:
        return "error"
    if record["overall"] is None:
        return "skipped" if record["status"] == "skipped" else "unscored"
    return "passed" if record["status"] == "passed" else "below"


def fate(fact: Mapping[str, Any]) -> str:
    """``s``: survived and used, ``u``: in the view and unused, ``d``: dropped from the view.

    ``v``: in the view, where no answer was made.
    """
    if not fact.get("survived"):
        return "d"
    if not is_answered(fact):
        return "v"
    return "s" if fact.get("used") else "u"


def detail_of(record: Record) -> dict[str, Any]:
    """What the page shows of an item alone, without what it shares with others."""
    compaction = record["compaction"]
    return {
        **{key: record[key] for key in _DETAILS if record.get(key)},
        "reading": reading_of(record),
        "facts": [
            {key: fact[key] for key in _OF_FACT if fact.get(key) not in (None, "", [])}
            for fact in record["facts"]
        ],
        "hit": [bool(trap.get("hit")) for trap in record["traps"]],
        "tokens": record["tokens"],
        "compaction": {
            key: compaction[key]
            for key in ("steps", "errors", "budget", "window", "events")
            if compaction.get(key)
        },
    }


def _case(record: Record, known: dict[tuple[str, str], int], index: Index) -> int:
    key = (record["case"], str(record["hashes"].get("case", "")))
    if key not in known:
        known[key] = len(index.cases)
        index.cases.append({"id": key[0], "task": record["task"], "digest": key[1]})
    return known[key]


def _probe(record: Record, case: int, known: dict[str, int], index: Index) -> int:
    data = {
        "case": case,
        "id": record["probe"],
        "kind": record["kind"],
        "point": record["point"].get("id"),
        "question": record.get("question", ""),
        "facts": [
            {"text": fact.get("text", ""), "class": fact.get("class") or fact.get("type", "")}
            for fact in record["facts"]
        ],
        "traps": [trap.get("text", "") for trap in record["traps"]],
    }
    key = repr(data)
    if key not in known:
        known[key] = len(index.probes)
        index.probes.append(data)
    return known[key]


def _item(record: Record, probe: int, arm: int) -> dict[str, Any]:
    return {
        "probe": probe,
        "arm": arm,
        "trial": record["trial"],
        "budget": record.get("budget"),
        "outcome": outcome_of_item(record),
        "overall": record["overall"],
        "dimensions": [record["dimensions"].get(name) for name in DIMENSIONS],
        "facts": "".join(map(fate, record["facts"])),
        "tokens": record["tokens"].get("view"),
        "view": record["hashes"].get("view"),
    }
