"""Slots for requests in flight: of one process, or shared by the processes of a run.

Shared slots are the bytes in a named pipe: whoever takes one reads a byte, whoever gives one
back writes it. So no process waits for another one, and what one leaves idle another takes. Each
process notes in a file of its own how many it holds, so that those of an ended one can be given
back.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

PIPE: Final = "slots"
"""The name of the pipe in the folder that processes share."""
_BYTE: Final = b"."
_HELD: Final = struct.Struct("<I")
_CHUNK: Final = 512
"""The most bytes that a pipe takes at once for sure (``PIPE_BUF`` of POSIX)."""


class Slots(Protocol):
    """So many requests may be in flight. For one event loop."""

    @property
    def share(self) -> int:
        """How many this process keeps while other processes want some too."""
        ...

    @property
    def held(self) -> int:
        """How many this process holds."""
        ...

    @property
    def are_left(self) -> bool:
        """Whether one could be taken now."""
        ...

    def take(self) -> bool:
        """Take one; false if there is none."""
        ...

    def give(self) -> None:
        """Give one back."""
        ...

    def watch(self, changed: Callable[[], object]) -> None:
        """Call ``changed`` whenever one may be left, until :meth:`unwatch`."""
        ...

    def unwatch(self) -> None:
        """Call nobody any more."""
        ...

    def close(self) -> None:
        """Close what is open. What is held is not given back."""
        ...


class OwnSlots:
    """The slots of one process that shares them with nobody."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.held = 0

    @property
    def share(self) -> int:
        """All of them."""
        return self._count

    @property
    def are_left(self) -> bool:
        """Whether fewer than all are held."""
        return self.held < self._count

    def take(self) -> bool:
        """Take one; false if there is none."""
        taken = self.are_left
        self.held += taken
        return taken

    def give(self) -> None:
        """Give one back."""
        self.held -= 1

    def watch(self, changed: Callable[[], object]) -> None:
        """Nothing changes but through this process, which knows."""

    def unwatch(self) -> None:
        """There is nothing to end."""

    def close(self) -> None:
        """There is nothing to close."""


class SharedSlots:
    """The slots in a pipe that a :class:`SlotPool` made; ``owner`` is the name of this process."""

    def __init__(self, pipe: Path, owner: str, count: int, processes: int) -> None:
        self.share = max(1, -(-count // processes))
        self.held = 0
        self._pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self._noted = os.open(_note(pipe, owner), os.O_RDWR | os.O_CREAT, 0o600)
        self._watching: asyncio.AbstractEventLoop | None = None

    @property
    def are_left(self) -> bool:
        """Whether there is a byte in the pipe."""
        import fcntl
        import termios

        count = array.array("i", [0])
        fcntl.ioctl(self._pipe, termios.FIONREAD, count)
        return count[0] > 0

    def take(self) -> bool:
        """Take one; false if there is none."""
        # Noted first: if this process is killed in between, one slot too many is given back.
        # The other way round one would be lost, and if it was the only one, the run would hang.
        self._note(self.held + 1)
        try:
            taken = bool(os.read(self._pipe, 1))
        except BlockingIOError:
            taken = False
        if not taken:
            self._note(self.held)
        self.held += taken
        return taken

    def give(self) -> None:
        """Give one back."""
        os.write(self._pipe, _BYTE)
        self.held -= 1
        self._note(self.held)

    def watch(self, changed: Callable[[], object]) -> None:
        """Call ``changed`` whenever there is a byte in the pipe, until :meth:`unwatch`."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop()
            self._watching.add_reader(self._pipe, changed)

    def unwatch(self) -> None:
        """Call nobody any more."""
        if self._watching is not None:
            self._watching.remove_reader(self._pipe)
            self._watching = None

    def close(self) -> None:
        """Close the files. :meth:`SlotPool.restore` gives back what is held, unless all stop."""
        os.close(self._pipe)
        os.close(self._noted)

    def _note(self, held: int) -> None:
        os.pwrite(self._noted, _HELD.pack(held), 0)


class SlotPool:
    """Makes the pipe with ``count`` slots in a folder, and gives back those of ended processes."""

    def __init__(self, folder: Path, count: int) -> None:
        self.pipe = folder / PIPE
        os.mkfifo(self.pipe, 0o600)
        # Open as long as the run lasts: a pipe that nobody has open forgets its bytes.
        self._opened = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)
        self._fill(count)

    def restore(self, owner: str) -> None:
        """Give back what a process held when it ended."""
        with contextlib.suppress(OSError, struct.error):
            (held,) = _HELD.unpack(_note(self.pipe, owner).read_bytes())
            _note(self.pipe, owner).unlink()
            self._fill(held)

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._opened)

    def _fill(self, count: int) -> None:
        for begin in range(0, count, _CHUNK):
            os.write(self._opened, _BYTE * min(_CHUNK, count - begin))


def can_share() -> bool:
    """Whether this system has named pipes."""
    return hasattr(os, "mkfifo")


def _note(pipe: Path, owner: str) -> Path:
    return pipe.with_name(f"held-{owner}")
