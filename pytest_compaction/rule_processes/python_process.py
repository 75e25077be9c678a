"""Further Python processes of a run: how they begin and how they end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.garbage import look_less_often

END_S: Final = 10.0
"""Seconds that a process has to end by itself."""
_START: Final = (
    "import sys; place, module = sys.argv[1:3]; place in sys.path or sys.path.insert(0, place); "
    "from importlib import import_module; import_module(module).main(*sys.argv[3:])"
)


def start_process(
    module: str, arguments: Sequence[str] = (), **how: Any
) -> subprocess.Popen[bytes] | None:
    """A fresh process that calls ``main`` of a module of this package with the arguments.

    ``how`` are more arguments of :class:`subprocess.Popen`. ``None`` if none can be started here.
    """
    place = str(Path(__file__).parents[2])
    try:
        # Not forked: this process has threads, and locks that they may hold. The session of its
        # own keeps Ctrl-C from it.
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _START, place, module, *arguments],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **how,
        )
    except OSError:
        return None


def begin_process() -> None:
    """What such a process does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, which then ends this one
    look_less_often()


def wait_for_end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended, which is killed if it takes longer than ``END_S``."""
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
