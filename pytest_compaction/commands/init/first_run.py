"""The first run of a project: its baseline, and the limits that its score and its noise give."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_compaction.metrics import by_compactor, newly_gone_bound, run_changes
from pytest_compaction.records import (
    Record,
    Run,
    is_sampled,
    load_run,
    view_file,
    write_baseline_file,
)

_STEPS: Final = 10
"""A threshold is a whole number of tenths of a point."""
_FAILURES: Final = re.compile("=+ (FAILURES|ERRORS) =+")
_SHOWN: Final = 15
"""Lines of a run that failed: so many from its first failure on, and so many at its end."""


class FirstRunError(ValueError):
    """The first run gave no score; ``printed`` is its first failure and its end."""

    def __init__(self, code: int, printed: str) -> None:
        super().__init__(f"the first run ended with exit code {code}")
        self.printed = printed


@dataclass(frozen=True, slots=True)
class FirstScore:
    """The mean overall score of a run, from 0 to 5, on a number of items and cases.

    ``interval`` is the 95 % interval over cases, ``None`` with fewer than six.
    """

    overall: float
    interval: tuple[float, float] | None
    items: int
    cases: int

    @property
    def threshold(self) -> float:
        """The lower end of the interval, or the score of few cases, rounded down to a tenth."""
        least = self.overall if self.interval is None else self.interval[0]
        # A score of 2.3 may be a hair below it as a binary number.
        return max(math.floor(least * _STEPS + 1e-9), 0) / _STEPS

    def __str__(self) -> str:
        measured = f"{self.items} items of {self.cases} case{'' if self.cases == 1 else 's'}"
        if self.interval is None:
            return f"overall {self.overall:.2f} on {measured}, no interval"
        low, high = self.interval
        return f"overall {self.overall:.2f} [{low:.2f}, {high:.2f}] on {measured}"


@dataclass(frozen=True, slots=True)
class FirstRun:
    """A run in a ``folder`` of its own, with its score.

    ``sampled`` says that a model wrote the views, which may write others the next time.
    """

    run: Run
    folder: Path
    score: FirstScore
    sampled: bool

    @property
    def calls(self) -> int:
        """The model calls that the run took, also those that a store answered."""
        usage = (used for r in self.run.records for used in (r.get("usage") or {}).values())
        return sum(int(used.get("calls") or 0) for used in usage) if self.sampled else 0

    def accept(self, path: Path) -> None:
        """Write the run as a baseline file. Raises ``OSError``."""
        groups = by_compactor(self.run.records)

        def view_of(record: Record) -> bytes | None:
            return view_file(self.folder, str((record.get("hashes") or {}).get("view")))

        write_baseline_file(path, self.run.header, groups, view_of)


def newly_gone_between(first: FirstRun, second: FirstRun) -> int:
    """What two runs of the same prompt lose at most, with 95 % probability."""
    changes = run_changes(first.run.records, second.run.records)
    return newly_gone_bound(changes.facts, changes.cases)


def measure(root: Path, arguments: Sequence[str], runs: Path) -> FirstRun:
    """Run pytest in ``root`` with these arguments; only what it scored decides.

    The run is kept in the folder ``runs``, which must be empty. Raises :class:`FirstRunError` if
    an item failed for another reason than its score, or nothing was scored.
    """
    gate = ["--compaction-threshold=overall>=0", "--compaction-baseline=none"]
    brief = ["-q", "--compaction-show=0", f"--compaction-runs={runs}"]
    command = [sys.executable, "-m", "pytest", *arguments, *gate, *brief]
    ended = subprocess.run(
        command, cwd=root, capture_output=True, text=True, errors="replace", check=False
    )
    files = sorted(runs.glob("*.jsonl"))
    found = load_run(files[-1]) if ended.returncode == 0 and files else None
    mean = found.mean("overall") if found is not None else None
    if found is None or mean is None:
        raise FirstRunError(ended.returncode, _excerpt(f"{ended.stdout}\n{ended.stderr}"))
    score = FirstScore(mean.value, mean.interval, mean.count, mean.cases)
    return FirstRun(found, runs, score, is_sampled(found.header, found.records))


def _excerpt(printed: str) -> str:
    """What a run printed from its first failure on, and at its end."""
    lines = printed.strip().splitlines()
    end = max(len(lines) - _SHOWN, 0)
    first = next((i for i, line in enumerate(lines[:end]) if _FAILURES.fullmatch(line)), end)
    left_out = ["…"] if end > first + _SHOWN else []
    return "\n".join([*lines[first:end][:_SHOWN], *left_out, *lines[end:]])
