"""One run of pytest in a process and a folder of its own, with its time and its CPU time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.checkouts import ROOT, Checkout

PLAIN_INI = "[pytest]\n"
INI = f"{PLAIN_INI}compaction_threshold = overall>=0\n"
"""A gate that always passes: items are measurements, and none prints a failure."""
NO_ITEMS = 5
"""The exit code of pytest where nothing was selected."""
SHOWN = 3000
"""Characters of output that the message on a failed run shows."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run took: wall time and CPU time of all its processes in seconds, memory in bytes.

    The memory is that of the largest process at its peak.
    """

    seconds: float
    cpu: float
    memory: int

    def sample(self) -> dict[str, float]:
        return {"seconds": self.seconds, "cpu": self.cpu}


@contextmanager
def fresh_folder(ini: str = INI) -> Iterator[Path]:
    """A root folder for runs: no cases, no cache, no store from an earlier one."""
    with tempfile.TemporaryDirectory(prefix="compaction-benchmark-") as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text(ini, "utf-8")
        yield folder


def run_pytest(
    checkout: Checkout,
    folder: Path,
    arguments: Sequence[str],
    more: Mapping[str, str] | None = None,
    command: Sequence[str] = ("-m", "pytest"),
    usual: Sequence[str] = ("-q", "--tb=no"),
) -> Run:
    """Run pytest with the plugin of a checkout; ``more`` is added to the environment.

    ``command`` is what Python runs in its place, with the arguments that are ``usual`` for it.

    Ends the benchmark if pytest could not do what it was asked for.
    """
    whole = [sys.executable, *command, *usual, *arguments]
    kept = {  # what does not change a run; modules are compiled once
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "OPENAI_", "COMPACTION_"))
        and name != "PYTHONDONTWRITEBYTECODE"
    }
    environment = {**kept, "PYTHONPATH": str(checkout.folder), **(more or {})}
    output = folder / "output.txt"
    sys.stderr.write(f"{checkout.commit}: {' '.join(arguments)}\n")
    with output.open("wb") as file:
        started = time.perf_counter()
        process = subprocess.Popen(
            whole, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        # Unlike ``process.wait`` this says what the process and its workers used.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, NO_ITEMS):
        text = output.read_text("utf-8", "replace")[-SHOWN:]
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}:\n{text}")
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def run_module(module: str, *arguments: str) -> str:
    """What a module of these benchmarks prints, run in a process of its own."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    sys.stderr.write(f"{' '.join(command[2:])}\n")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:])} failed:\n{done.stderr[-SHOWN:]}")
    return done.stdout
