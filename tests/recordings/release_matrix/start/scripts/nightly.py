"""Runs the matrix: rows side by side, the suites of a row one after the other."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from scripts.common import NIGHTLY, ROOT, Cell, Settings, SettingsError, cells, read_settings

BASE_CODE = 60
TIMEOUT_CODE = 124


@dataclass(frozen=True)
class Outcome:
    """How a cell ended."""

    cell: Cell
    code: int
    attempts: int

    @property
    def status(self) -> str:
        """passed, failed or timeout."""
        return {0: "passed", TIMEOUT_CODE: "timeout"}.get(self.code, "failed")

    @property
    def line(self) -> str:
        """The line that the mail job and the board read."""
        parts = (self.cell.row, self.cell.suite, self.status, str(self.code), str(self.attempts))
        return "|".join(("CELL", *parts))


def attempt(cell: Cell, timeout: int) -> int:
    """Run the suite once and append its output to the log. Returns the exit code."""
    cell.scratch.mkdir(parents=True, exist_ok=True)
    cell.log.parent.mkdir(parents=True, exist_ok=True)
    environment = os.environ | dict(cell.environment) | {"TIDEBOOK_SCRATCH": str(cell.scratch)}
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", cell.path]
    with cell.log.open("ab") as log:
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TIMEOUT_CODE
    return done.returncode


def run_cell(cell: Cell, settings: Settings) -> Outcome:
    """Try a cell until it passes or the limit is reached."""
    code = 0
    for number in range(1, settings.retry_limit + 1):
        code = attempt(cell, settings.cell_timeout)
        if code == 0:
            return Outcome(cell, 0, number)
    return Outcome(cell, code, settings.retry_limit)


def run_row(row: list[Cell], settings: Settings) -> list[Outcome]:
    """The cells of a row in order."""
    return [run_cell(cell, settings) for cell in row]


def run_matrix(chosen: list[Cell], settings: Settings, workers: int) -> list[Outcome]:
    """All rows, several at a time. Outcomes are in the order of tasks.toml."""
    rows: dict[str, list[Cell]] = {}
    for cell in chosen:
        rows.setdefault(cell.row, []).append(cell)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        finished = pool.map(lambda row: run_row(row, settings), rows.values())
        return [outcome for row in finished for outcome in row]


def exit_code(outcomes: list[Outcome]) -> int:
    """60 plus the number of failed cells, or 0."""
    failed = sum(outcome.code != 0 for outcome in outcomes)
    return BASE_CODE + failed if failed else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the matrix or a part of it."""
    parser = argparse.ArgumentParser(prog="nightly")
    parser.add_argument("--only", help="a row or a cell such as desk/unit")
    parser.add_argument("--workers", type=int, help="rows at a time")
    options = parser.parse_args(arguments)
    try:
        settings = read_settings()
        chosen = cells(settings, options.only)
    except SettingsError as error:
        print(f"nightly: {error}", file=sys.stderr)
        return 2
    shutil.rmtree(NIGHTLY, ignore_errors=True)
    outcomes = run_matrix(chosen, settings, options.workers or settings.workers)
    for outcome in outcomes:
        print(outcome.line)
    return exit_code(outcomes)


if __name__ == "__main__":
    raise SystemExit(main())
