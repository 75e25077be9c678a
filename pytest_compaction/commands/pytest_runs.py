"""Runs of pytest in a process of their own, which a command estimates first and then measures."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import CommandError, add_number, add_repeatable
from pytest_compaction.text import Range

WITHOUT_GATE: Final = (
    "--compaction-threshold=overall>=0",
    "--compaction-baseline=none",
    "--compaction-max-unscored=1000000",
    "--compaction-show=0",
)
"""The arguments of a run on which no gate decides, whatever its configuration says."""
_SECONDS: Final = 10
_POLL: Final = 0.05
_ESTIMATE: Final = "= compaction estimate ="
_FAILURES: Final = re.compile("= (FAILURES|ERRORS) =")
_SHOWN: Final = 15
"""Lines of a run that failed: so many from its first failure on, and so many at its end."""


class RunError(CommandError):
    """A run, or its estimate, failed; the text is its first failure and its end."""

    def __init__(self, code: int | None, printed: str, what: str = "the run") -> None:
        lines = printed.strip().splitlines()
        said = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        end = max(len(lines) - _SHOWN, 0)
        first = next((i for i, line in enumerate(lines[:end]) if _FAILURES.search(line)), end)
        left_out = ["…"] if end > first + _SHOWN else []
        shown = [*lines[first:end][:_SHOWN], *left_out, *lines[end:]]
        super().__init__("\n".join(said or [*shown, f"{what} ended with exit code {code}"]))


def add_run_options(parser: argparse.ArgumentParser, trials: str) -> None:
    """Add the options of a command that measures; ``trials`` is the help of ``--trials``."""
    add_repeatable(parser, "--cases", "PATH", "cases; repeatable")
    add_repeatable(parser, "--pytest", "ARG", "one more argument of pytest")
    add_number(parser, "--trials", Range(1, 1000, True), trials)
    parser.add_argument("--store", type=Path, metavar="DIR", help="where model calls are kept")
    parser.add_argument("--replay", action="store_true", help="take calls from the store alone")
    export = "write the next requests as batch files instead"
    parser.add_argument("--export", metavar="FOLDER", help=export)
    parser.add_argument("-y", "--yes", action="store_true", help="call models without asking you")


def estimate(arguments: Sequence[str], **place: Any) -> str:
    """Estimate that pytest prints for a run with these arguments. Asks no model."""
    code, printed = run_pytest([*arguments, "--compaction-estimate", "-q"], **place)
    lines = iter(printed.splitlines())
    found = any(_ESTIMATE in line for line in lines)  # the lines after it are left
    if code or not found:
        raise RunError(code, printed, "the estimate")
    said = takewhile(lambda line: not line.startswith(("=", "no tests")), lines)
    return "\n".join(said).strip()


def run_pytest(
    arguments: Sequence[str], store: Path | None = None, **place: Any
) -> tuple[int, str]:
    """Run pytest with these arguments; its exit code, and what it printed.

    With a ``store`` the calls in it are counted for the user meanwhile.
    """
    with started(arguments, **place) as run:
        wait_for([run], store)
    return run.code or 0, run.printed


@dataclass
class PytestRun:
    """A run of pytest in a process of its own; ``printed`` is known when it has ended."""

    process: subprocess.Popen[bytes]
    printed: str = ""

    @property
    def code(self) -> int | None:
        return self.process.poll()


@contextmanager
def started(
    arguments: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] = {}
) -> Iterator[PytestRun]:
    """Run pytest with these arguments; the process ends with the ``with``."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **environment},
        )
        run = PytestRun(process)
        try:
            yield run
        finally:
            if run.code is None:
                process.terminate()
                process.wait()
            said.seek(0)
            run.printed = said.read().decode("utf-8", "replace")


def wait_for(runs: Sequence[PytestRun], store: Path | None) -> None:
    """Wait until all runs have ended, or one of them with another code than 0 and 1."""
    before, told = calls_in(store) if store else 0, time.monotonic()
    began = told
    while None in (codes := {run.code for run in runs}) and codes <= {None, 0, 1}:
        time.sleep(_POLL)
        now = time.monotonic()
        if store and now - told >= _SECONDS:
            new = calls_in(store) - before
            print(f"  {now - began:.0f} s, {new:,} calls recorded", file=sys.stderr, flush=True)
            told = now


def agreed(question: str) -> bool:
    """Whether the user says yes; where nobody can be asked, only ``--yes`` says so."""
    if not sys.stdin.isatty():
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def calls_in(store: Path) -> int:
    return sum(1 for _ in store.rglob("*.json"))
