"""The runs of the page as plain data: strategies, cases, questions, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pytest_compaction.metrics import (
    by_arm,
    is_answered,
    reading_of,
    stale_summaries,
    words_in,
)
from pytest_compaction.records import Record, Run, finite, type_of
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL

_DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("task", "kind", "reason", "response"), ""),
    **{
        key: {} for key in ("dimensions", "tokens", "usage", "usd", "compaction", "hashes", "point")
    },
    **{key: [] for key in ("criteria", "facts", "traps")},
    "status": "unscored",
    "overall": None,
}
"""Keys that an old or damaged record may lack."""
_DETAILS: Final = (
    *("response", "reason", "criteria", "nuggets", "ordering"),
    *("answer", "view", "flags", "error", "compliance", "listed"),
)
_OF_FACT: Final = (
    *("view", "answer", "clause", "words", "why"),
    *("evidence", "stated_after", "source", "recoverable", "proved", "needed"),
)


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run to show: its name, its records, and the folder with its ``views`` and ``logs``."""

    name: str
    run: Run
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """One strategy of a run; ``label`` is unique on the page, ``name`` in run number ``run``."""

    label: str
    name: str
    run: int
    records: tuple[Record, ...]

    @property
    def control(self) -> bool:
        """Whether this is the control, which compacts nothing."""
        return any(record["compactor"] == CONTROL for record in self.records[:1])


def arms_of(runs: Sequence[PageRun]) -> list[Arm]:
    """All strategies of all runs. A name that occurs twice gets that of its run, or a number.

    Where words are told, the name says who wrote: a model once, whose words may be stale, or rules.
    """

    def whole(run: Run) -> list[Record]:
        """The records of probes, each with every key that the page reads, and no NaN."""
        kept = [record for record in map(finite, run.records) if type_of(record) == "probe"]
        told = ({key: each for key, each in r.items() if each is not None} for r in kept)
        return [cast(Record, _DEFAULTS | each) for each in told]

    found = [
        (name, number, tuple(records))
        for number, each in enumerate(runs)
        for name, records in by_arm(whole(each.run)).items()
    ]
    times = Counter(name for name, _, _ in found)
    seen: Counter[str] = Counter()
    arms = []
    for name, number, records in found:
        label = name if times[name] == 1 else f"{name} ({runs[number].name})"
        words = words_in(records) if runs[number].run.header.get("words") else None
        label += f" ({'stale' if stale_summaries(records) else words})" if words else ""
        seen[label] += 1
        label += f" #{seen[label]}" if seen[label] > 1 else ""
        arms.append(Arm(label, name, number, records))
    return arms


@dataclass
class Index:
    """All items of the page; cases and questions that several share stand there once."""

    cases: list[dict[str, Any]] = field(default_factory=list)
    probes: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    """The record of each item."""
    _known: dict[str, int] = field(default_factory=dict)

    def place(self, listed: list[dict[str, Any]], data: dict[str, Any]) -> int:
        number = self._known.setdefault(repr(data), len(listed))
        if number == len(listed):
            listed.append(data)
        return number


def index_of(arms: Sequence[Arm]) -> Index:
    index = Index()
    for number, record in ((n, record) for n, arm in enumerate(arms) for record in arm.records):
        digest = str(record["hashes"].get("case", ""))
        case = {"id": record["case"], "task": record["task"], "digest": digest}
        probe = {
            "case": index.place(index.cases, case),
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
        index.items.append(
            {
                "probe": index.place(index.probes, probe),
                "arm": number,
                "trial": record["trial"],
                "budget": record.get("budget"),
                "outcome": _outcome(record),
                "overall": record["overall"],
                "dimensions": [record["dimensions"].get(name) for name in DIMENSIONS],
                "facts": "".join(map(_fate, record["facts"])),
                "tokens": record["tokens"].get("view"),
                "view": record["hashes"].get("view"),
            }
        )
        index.records.append(record)
    return index


def _outcome(record: Record) -> str:
    if record["status"] == "error" or "error" in record:
        return "error"  # also if it failed after its verdict
    if record["overall"] is None:
        return "skipped" if record["status"] == "skipped" else "unscored"
    return "passed" if record["status"] == "passed" else "below"


def _fate(fact: Mapping[str, Any]) -> str:
    """``s``: survived and used, ``u``: unused, ``v``: no answer was made, ``d``: dropped."""
    if not fact.get("survived"):
        return "d"
    if not is_answered(fact):
        return "v"
    return "s" if fact.get("used") else "u"


def detail_of(record: Record) -> dict[str, Any]:
    compaction = record["compaction"]
    took = record.get("latency_s") or {}
    events = [
        {**event, **({"seconds": took[step]} if step in took else {})}
        for event in compaction.get("events") or ()
        for step in (f"compaction {event.get('point')}",)
    ]
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
            key: found
            for key in ("steps", "errors", "budget", "window", "events")
            if (found := events if key == "events" else compaction.get(key))
        },
    }
