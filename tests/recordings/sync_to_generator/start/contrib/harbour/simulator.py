"""Plays a day in the harbour against raftline: many ferries, few berths.

Belongs to the simulator people (Tormod Vik); kept here so that a break shows early.
"""

from __future__ import annotations

import io
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from raftline.counters import Counters
from raftline.errors import ShipError
from raftline.pipeline import run_pipeline
from raftline.settings import load

BERTHS = 6
RETRY_LIMIT = 4
SETTLE_TICKS = 15


@dataclass
class Berth:
    """A place at the quay, and what was shipped from there."""

    number: int
    ferry: str = ""
    failures: list[str] = field(default_factory=list)
    sent: int = 0


def moor(berth: Berth, ferry: str, folder: Path) -> int:
    """Ship what a ferry has brought. Returns the exit code of the run."""
    berth.ferry = ferry
    counters, stderr = Counters(), io.StringIO()
    for _ in range(RETRY_LIMIT):
        try:
            run_pipeline(load(folder / "raftline.ini"), stderr, counters)
        except ShipError as error:
            berth.failures.append(f"{ferry}: {error}")
            if error.code != "R507":
                return error.exit_code
            (folder / "shore.out").unlink(missing_ok=True)
        else:
            berth.sent += counters.sent
            return 0
    return 73


def cast_off(berth: Berth, folder: Path) -> None:
    """The ferry leaves and takes its spool folder along."""
    shutil.rmtree(folder)
    berth.ferry = ""


def play_day(folders: dict[str, Path], berths: int = BERTHS) -> dict[str, int]:
    """Moor and cast off every ferry once. Returns the exit codes by ferry."""
    quay = [Berth(number) for number in range(1, berths + 1)]
    codes: dict[str, int] = {}
    for turn, (ferry, folder) in enumerate(sorted(folders.items())):
        berth = quay[turn % berths]
        codes[ferry] = moor(berth, ferry, folder)
        cast_off(berth, folder)
    return codes
