"""A run in a child process, whose parent does nothing but wait and tell the shell how it ended.

Code in the same process can end it in ways that nothing in the process sees: ``os._exit``,
``exec``, ``quick_exit`` of the C library. So what the shell sees is the exit code of the parent,
which is 0 only if the child said that pytest came to its own end.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

_FORWARDED: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
"""Signals that are sent to the parent alone when someone wants to reach the run."""
_FROM_KERNEL: Final = 0x80
"""``si_code`` of a signal from the terminal, which goes to the child too."""
_INTERRUPT_S: Final = 0.5
"""Within that time the child notices an interrupt that its whole group was sent."""
_USAGE_ERROR: Final = 4
"""The exit code of a pytest that says itself why it did not begin."""
_LOOK_S: Final = 0.01
_DIE_WITH_PARENT: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux."""
_ENDED, _CODE, _INTERRUPTED, _LENGTH, _ITEM = 0, 1, 2, 3, 5
"""Where each value lies in the memory that both processes see."""
_MEMORY: Final = 4096


class Progress:
    """What the child says of its run, in memory that the parent sees.

    Further processes that the child forks see it too, and can say nothing.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MEMORY)
        self._speaker: int | None = None

    def speak(self) -> None:
        """Let the process that calls this be the one that says something."""
        self._speaker = os.getpid()

    def begin(self, item: str) -> None:
        """Say which item runs."""
        text = item.encode("utf-8", "replace")[: _MEMORY - _ITEM]
        if self._speaks:
            self._memory[_ITEM : _ITEM + len(text)] = text
            self._memory[_LENGTH:_ITEM] = len(text).to_bytes(_ITEM - _LENGTH, "little")

    def interrupt(self) -> None:
        """Say that the run noticed an interrupt."""
        if self._speaks:
            self._memory[_INTERRUPTED] = 1

    def end(self, code: int) -> None:
        """Say that pytest came to its end, with this exit code."""
        if self._speaks:
            self._memory[_CODE] = code & 0xFF
            self._memory[_ENDED] = 1

    @property
    def item(self) -> str:
        """The item that ran last; empty before the first."""
        length = int.from_bytes(self._memory[_LENGTH:_ITEM], "little")
        return self._memory[_ITEM : _ITEM + length].decode("utf-8", "replace")

    @property
    def is_interrupted(self) -> bool:
        """Whether the run noticed an interrupt."""
        return bool(self._memory[_INTERRUPTED])

    @property
    def code(self) -> int | None:
        """The exit code of pytest; ``None`` if it did not come to its end."""
        return self._memory[_CODE] if self._memory[_ENDED] else None

    @property
    def _speaks(self) -> bool:
        return self._speaker == os.getpid()


@dataclass(frozen=True, slots=True)
class End:
    """How the child ended: its exit code, or minus the number of the signal that ended it.

    ``said`` is the exit code of pytest, ``None`` if pytest did not come to its end while ``item``
    ran, which is empty before the first one.
    """

    code: int
    said: int | None
    item: str

    @property
    def shown(self) -> int:
        """What the shell is to see; 0 only if child and pytest both ended with 0."""
        return self.code or (1 if self.said is None else self.said)


def can_run_in_child() -> bool:
    """Whether the system offers what this needs, and no thread would be missing in a child."""
    return sys.platform == "linux" and threading.active_count() == 1


def run_in_child(explain: Callable[[End], str]) -> Progress:
    """Go on in a child process, which says here how far it is.

    The parent never returns: it passes signals on, waits, and ends as the child did; ``explain``
    is what it prints if pytest did not come to its end.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    progress, parent = Progress(), os.getpid()
    awaited = {signal.SIGCHLD, *(getattr(signal, name) for name in _FORWARDED)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    with warnings.catch_warnings():
        # Threads that Python does not know of, such as those of a library for matrices.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(_status_of(child, awaited, progress))
        _end(End(code, progress.code, progress.item), explain)
    _die_with(parent)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    progress.speak()
    return progress


def _status_of(child: int, awaited: set[signal.Signals], progress: Progress) -> int:
    """Wait for the child, and pass on what others send to this process."""
    while True:
        came = signal.sigwaitinfo(awaited)
        if came.si_signo == signal.SIGCHLD:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return status
        elif came.si_code != _FROM_KERNEL and not _knows(came.si_signo, progress):
            os.kill(child, came.si_signo)


def _knows(number: int, progress: Progress) -> bool:
    """Whether the child had an interrupt too; a second one would cut its end short."""
    if number != signal.SIGINT:
        return False
    end = time.monotonic() + _INTERRUPT_S
    while not progress.is_interrupted and progress.code is None and time.monotonic() < end:
        time.sleep(_LOOK_S)
    return progress.is_interrupted or progress.code is not None


def _end(end: End, explain: Callable[[End], str]) -> NoReturn:
    """End this process as the child ended, without what else is done at the end of a process."""
    try:
        if end.said is None and (end.item or end.code != _USAGE_ERROR):
            os.write(2, f"\n{explain(end)}\n".encode("utf-8", "replace"))
    finally:
        if end.code < 0:
            _die_of(-end.code)
        os._exit(end.shown)


def _die_of(number: int) -> None:
    """Let the signal that ended the child end this process, without an image of its memory."""
    import resource

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def _die_with(parent: int) -> None:
    """Let the child be killed with its parent, as the one process was that they stand for."""
    with contextlib.suppress(Exception):  # a system without it lets the child run to its end
        import ctypes

        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
