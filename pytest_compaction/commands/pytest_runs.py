"""Runs of pytest in a process of their own, which a command estimates first and then measures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final, TextIO

_SECONDS: Final = 10
"""How often a run says how many calls it has made."""
_PYTEST: Final = (sys.executable, "-m", "pytest")
_ESTIMATE: Final = "= compaction estimate ="
_FAILURES: Final = re.compile("= (FAILURES|ERRORS) =")
_SHOWN: Final = 15
"""Lines of a run that failed: so many from its first failure on, and so many at its end."""


class RunError(ValueError):
    """A run, or its estimate, failed; ``printed`` is its first failure and its end."""

    def __init__(self, code: int, printed: str, what: str = "the run") -> None:
        super().__init__(f"{what} ended with exit code {code}")
        self.printed = _excerpt(printed)


def estimate(
    arguments: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] = {}
) -> str:
    """Estimate that pytest prints for a run with these arguments. Asks no model.

    Raises :class:`RunError` if it cannot tell.
    """
    ended = subprocess.run(
        [*_PYTEST, *arguments, "--compaction-estimate", "-q"],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=folder,
        env={**os.environ, **environment},
    )
    lines = iter(ended.stdout.splitlines())
    found = any(_ESTIMATE in line for line in lines)  # the lines after it are left
    if ended.returncode or not found:
        raise RunError(ended.returncode, f"{ended.stdout}\n{ended.stderr}", "the estimate")
    said = takewhile(lambda line: not line.startswith(("=", "no tests")), lines)
    return "\n".join(said).strip()


def run_pytest(
    arguments: Sequence[str],
    store: Path,
    folder: Path | None = None,
    environment: Mapping[str, str] = {},
    progress: TextIO | None = None,
) -> tuple[int, str]:
    """Run pytest with these arguments; its exit code, and what it printed.

    The calls in the ``store`` tell ``progress`` (the standard output by default) how far it is. The
    process does not outlive this call.
    """
    before, began = calls_in(store), time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*_PYTEST, *arguments],
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **environment},
        )
        while True:
            try:
                code = process.wait(_SECONDS)
                break
            except subprocess.TimeoutExpired:
                new = calls_in(store) - before
                told = f"  {time.monotonic() - began:.0f} s, {new:,} calls recorded"
                print(told, file=progress, flush=True)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        said.seek(0)
        return code, said.read().decode("utf-8", "replace")


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
