"""The first run of a project: its baseline, and the limits that its score and its noise give."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

from pytest_compaction.metrics import by_compactor, newly_gone_bound, run_changes
from pytest_compaction.records import (
    Record,
    Run,
    is_sampled,
    load_run,
    view_file,
    write_accepted,
    write_baseline_file,
)
from pytest_compaction.reports import uses

_LOWER: Final = 0.95
_STEPS: Final = 20
"""A threshold is this share of the score, rounded down to a twentieth of a point."""
_SECONDS: Final = 10
"""How often a first run says how many calls it has made."""
_PYTEST: Final = (sys.executable, "-m", "pytest")
_ESTIMATE: Final = "= compaction estimate ="
_FAILURES: Final = re.compile("= (FAILURES|ERRORS) =")
_SHOWN: Final = 15
"""Lines of a run that failed: so many from its first failure on, and so many at its end."""


class FirstRunError(ValueError):
    """The first run, or its estimate, failed; ``printed`` is its first failure and its end."""

    def __init__(self, code: int, printed: str, what: str = "the first run") -> None:
        super().__init__(f"{what} ended with exit code {code}")
        self.printed = _excerpt(printed)


@dataclass(frozen=True, slots=True)
class FirstScore:
    """The mean overall score of a run, from 0 to 5, on a number of items and cases.

    ``interval`` is the 95 % interval over cases, ``None`` with fewer than six.
    """

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
        return sum(use.usage.calls for use in uses(self.run.records).values())

    def accept(self, path: Path, accepted: Path | None) -> None:
        """Write the run as a baseline file, and the hash of that file as ``accepted``.

        Raises ``OSError``.
        """
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


def estimate(arguments: Sequence[str]) -> str:
    """Estimate that pytest prints for a run with these arguments. Asks no model.

    Raises :class:`FirstRunError` if it cannot tell.
    """
    command = [*_PYTEST, *arguments, "--compaction-estimate", "-q"]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = iter(ended.stdout.splitlines())
    found = any(_ESTIMATE in line for line in lines)  # the lines after it are left
    if ended.returncode or not found:
        raise FirstRunError(ended.returncode, f"{ended.stdout}\n{ended.stderr}", "the estimate")
    said = takewhile(lambda line: not line.startswith(("=", "no tests")), lines)
    return "\n".join(said).strip()


def measure(arguments: Sequence[str], runs: Path, store: Path) -> FirstRun:
    """Run pytest with these arguments, and say how far it is; only what it scored decides.

    The run is kept in the folder ``runs``, which must be empty. Raises :class:`FirstRunError` if
    an item failed for another reason than its score, or nothing was scored.
    """
    gate = ["--compaction-threshold=overall>=0", "--compaction-baseline=none"]
    brief = ["-q", "--compaction-show=0", f"--compaction-runs={runs}"]
    before, began = calls_in(store), time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*_PYTEST, *arguments, *gate, *brief], stdout=said, stderr=subprocess.STDOUT
        )
        while True:
            try:
                code = process.wait(_SECONDS)
                break
            except subprocess.TimeoutExpired:
                new = calls_in(store) - before
                print(f"  {time.monotonic() - began:.0f} s, {new:,} calls recorded", flush=True)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        said.seek(0)
        printed = said.read().decode("utf-8", "replace")
    files = sorted(runs.glob("*.jsonl"))
    found = load_run(files[-1]) if code == 0 and files else None
    mean = found.mean("overall") if found is not None else None
    if found is None or mean is None:
        raise FirstRunError(code, printed)
    score = FirstScore(mean.value, mean.interval, mean.count, mean.cases)
    return FirstRun(found, runs, score, is_sampled(found.header, found.records))


def calls_in(store: Path) -> int:
    """How many calls a store holds."""
    return sum(1 for _ in store.rglob("*.json"))


def _excerpt(printed: str) -> str:
    """What a run printed from its first failure on, and at its end."""
    lines = printed.strip().splitlines()
    end = max(len(lines) - _SHOWN, 0)
    first = next((i for i, line in enumerate(lines[:end]) if _FAILURES.search(line)), end)
    left_out = ["…"] if end > first + _SHOWN else []
    return "\n".join([*lines[first:end][:_SHOWN], *left_out, *lines[end:]])
