"""Runs pytest in this process and profiles its engine: ``profiled_run.py FILE [ARGUMENT …]``.

The engine works in a thread of its own, which a profiler of the main thread does not see.
"""

import cProfile
import io
import pstats
import sys
import threading
from pathlib import Path

import pytest

ENGINE = "compaction-engine"
"""The name of the thread on whose loop cases run."""
SHOWN = 20
"""Functions that are listed."""


def profiled(arguments: list[str]) -> tuple[int, cProfile.Profile]:
    """The exit code of pytest, and the profile of the first thread of the engine."""
    profile = cProfile.Profile()
    ran: list[str] = []
    run = threading.Thread.run

    def profiled_run(thread: threading.Thread) -> None:
        # From Python 3.12 on a process has one profiler at a time.
        if ran or thread.name != ENGINE:
            run(thread)
        else:
            ran.append(thread.name)
            profile.runcall(run, thread)

    threading.Thread.run = profiled_run  # type: ignore[assignment, method-assign]
    try:
        code = pytest.main(arguments)
    finally:
        threading.Thread.run = run  # type: ignore[method-assign]
    return int(code), profile


def report(profile: cProfile.Profile) -> str:
    """The functions with most time of their own, of all packages and of this one."""
    text = io.StringIO()
    stats = pstats.Stats(profile, stream=text).sort_stats("tottime")
    stats.print_stats(SHOWN)
    stats.print_stats("pytest_compaction/", SHOWN)
    return f"{text.getvalue().strip()}\n"


if __name__ == "__main__":
    code, profile = profiled(sys.argv[2:])
    if not profile.getstats():
        sys.stderr.write(f"no thread was started whose name is {ENGINE}\n")
        sys.exit(code or 3)
    Path(sys.argv[1]).write_text(report(profile), "utf-8")
    sys.exit(code)
