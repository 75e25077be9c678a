"""The first run of a project: its baseline, and the limits that its score and its noise give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_compaction.commands.pytest_runs import RunError, run_pytest
from pytest_compaction.metrics import by_compactor, newly_gone_bound, run_changes
from pytest_compaction.records import (
    Record,
    Run,
    is_sampled,
    load_run,
    uses,
    view_file,
    write_accepted,
    write_baseline_file,
)

_LOWER: Final = 0.95
_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class FirstScore:
    """The mean overall score of a run, from 0 to 5, on a number of items and cases."""

    overall: float
    interval: tuple[float, float] | None
    items: int
    cases: int

    @staticmethod
    def threshold(overall: float) -> float:
        """Five per cent below a score, rounded down to a twentieth of a point."""
        # A score of 2.3 may be a hair below it as a binary number.
        return max(math.floor(overall * _LOWER * _STEPS + 1e-9), 0) / _STEPS

    def __str__(self) -> str:
        measured = f"{self.items} items of {self.cases} case{'' if self.cases == 1 else 's'}"
        if self.interval is None:
            return f"overall {self.overall:.2f} on {measured}, no interval"
        low, high = self.interval
        return f"overall {self.overall:.2f} [{low:.2f}, {high:.2f}] on {measured}"


@dataclass(frozen=True, slots=True)
class FirstRun:
    """A run in a ``folder`` of its own, with its score."""

    run: Run
    folder: Path
    score: FirstScore
    sampled: bool

    @property
    def calls(self) -> int:
        """The model calls that the run took, also those that a store answered."""
        return sum(use.usage.calls for use in uses(self.run.records).values())

    def accept(self, path: Path, accepted: Path | None) -> None:
        """Write the run as a baseline file, and the hash of that file as ``accepted``."""
        groups = by_compactor(self.run.records)

        def view_of(record: Record) -> bytes | None:
            return view_file(self.folder, str((record.get("hashes") or {}).get("view")))

        write_baseline_file(path, self.run.header, groups, view_of)
        if accepted is not None:
            write_accepted(accepted, path)


def newly_gone_between(first: FirstRun, second: FirstRun) -> int:
    """What two runs of the same prompt lose at most, with 95 % probability."""
    changes = run_changes(first.run.records, second.run.records)
    return newly_gone_bound(changes.facts, changes.cases)


def measure(arguments: Sequence[str], runs: Path, store: Path) -> FirstRun:
    """Run pytest with these arguments, and say how far it is; only what it scored decides."""
    gate = ["--compaction-threshold=overall>=0", "--compaction-baseline=none"]
    brief = ["-q", "--compaction-show=0", f"--compaction-runs={runs}"]
    code, printed = run_pytest([*arguments, *gate, *brief], store)
    files = sorted(runs.glob("*.jsonl"))
    found = load_run(files[-1]) if code == 0 and files else None
    mean = found.mean("overall") if found is not None else None
    if found is None or mean is None:
        raise RunError(code, printed, "the first run")
    score = FirstScore(mean.value, mean.interval, mean.count, mean.cases)
    return FirstRun(found, runs, score, is_sampled(found.header, found.records))
