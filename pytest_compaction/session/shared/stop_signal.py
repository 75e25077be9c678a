"""How workers learn that the run was stopped: by a named pipe that only the controller has open.

A worker of pytest-xdist that is told to end does all items first that it was sent. Here that
can be all items of the benchmark, each of which asks models.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

PIPE: Final = "running"
"""The name of the pipe in the folder that processes share."""


class StopSignal:
    """Makes the pipe in a folder and holds it open; for the controlling process."""

    def __init__(self, folder: Path) -> None:
        pipe = folder / PIPE
        os.mkfifo(pipe, 0o600)
        self._opened: int | None = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    @property
    def given(self) -> bool:
        """Whether workers were told to stop."""
        return self._opened is None

    def give(self) -> None:
        """Tell all workers to stop; so does the death of this process. May be called again."""
        if self._opened is not None:
            os.close(self._opened)
            self._opened = None


def on_stop(folder: Path, stop: Callable[[], object]) -> None:
    """Call ``stop`` in a thread of its own when the signal is given, or was given before."""
    with contextlib.suppress(OSError):
        # Without waiting for a writer: there is none any more if the run was stopped.
        reading = os.open(folder / PIPE, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reading, True)

        def wait() -> None:
            os.read(reading, 1)
            os.close(reading)
            stop()

        threading.Thread(target=wait, name="compaction-stop", daemon=True).start()
