"""The columns of the page: each strategy of each run, with its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from pytest_compaction.metrics import by_arm
from pytest_compaction.records import Record, Run, finite, type_of
from pytest_compaction.settings import CONTROL

_DEFAULTS: Final[Mapping[str, Any]] = {
    "task": "",
    "kind": "",
    "status": "unscored",
    "reason": "",
    "overall": None,
    "dimensions": {},
    "criteria": [],
    "facts": [],
    "traps": [],
    "response": "",
    "tokens": {},
    "usage": {},
    "usd": {},
    "compaction": {},
    "hashes": {},
    "point": {},
}
"""What an old or damaged record may lack."""


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run to show: its name, its records, and the folder with its ``views`` and ``logs``.

    Without a folder the page has no texts.
    """

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
    """All strategies of all runs; one that several runs have is told apart by the run's name."""
    found = [
        (name, number, tuple(records))
        for number, each in enumerate(runs)
        for name, records in by_arm(probes_of(each.run)).items()
    ]
    times = Counter(name for name, _, _ in found)
    labels = [name if times[name] == 1 else f"{name} ({runs[n].name})" for name, n, _ in found]
    return [
        Arm(label, name, number, records)
        for label, (name, number, records) in zip(_distinct(labels), found, strict=True)
    ]


def probes_of(run: Run) -> list[Record]:
    """The records of probes, each with every key that the page reads, and no NaN."""
    return [
        cast(
            Record, {**_DEFAULTS, **{k: value for k, value in record.items() if value is not None}}
        )
        for record in map(finite, run.records)
        if type_of(record) == "probe"
    ]


def _distinct(labels: Sequence[str]) -> list[str]:
    """The labels, numbered where runs of one name have a strategy of one name."""
    seen: Counter[str] = Counter()
    result = []
    for label in labels:
        seen[label] += 1
        result.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return result
