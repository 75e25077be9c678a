"""Handing parcels to an executor, and what to do when one does not come back."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from pytest_compaction.run.remote.executors import ExecutorError, Opened, Opener
from pytest_compaction.run.remote.task import Parcel
from pytest_compaction.run.remote.worker import perform
from pytest_compaction.text import printable

K = TypeVar("K", bound=Hashable)

ATTEMPTS: Final = 2
"""How often a parcel is handed out in all, if it is lost with its worker."""
LOOK_SECONDS: float = 10.0
"""How often it is looked whether there still are workers, while nothing comes back."""
_OF_THE_EXECUTOR: Final = (BrokenExecutor, CancelledError, asyncio.CancelledError, RuntimeError)
"""Errors after which the executor itself may be of no use any more."""
PATIENCE: Final = 6
"""Looks without any worker after which none is expected any more."""


@dataclass(frozen=True, slots=True)
class _Sent(Generic[K]):
    key: K
    parcel: Parcel
    attempt: int = 1


Outcome = bytes | str
"""The encoded result of a parcel, or the sentence on why there is none."""


class Dispatcher(Generic[K]):
    """Hands out parcels, each under a key, and gives back what became of them.

    A parcel that is lost with its worker is handed out once more, and alone: if it killed
    that worker, it takes no other parcel with it this time. ``shown`` names the executor.
    Not for several threads.
    """

    def __init__(self, opener: Opener, shown: str) -> None:
        self._opener = opener
        self._shown = shown
        self._opened: Opened | None = None
        self._running: dict[Future[Outcome], _Sent[K]] = {}
        self._suspects: list[_Sent[K]] = []
        self._ended: list[tuple[K, Outcome]] = []
        self._gone: str | None = None
        self._lonely = 0

    def connect(self) -> int:
        """Open the executor; the number of tasks it does at a time.

        Raises :class:`ExecutorError`.
        """
        return self._executor().slots()

    @property
    def under_way(self) -> int:
        """How many parcels have not been given back."""
        return len(self._running) + len(self._suspects) + len(self._ended)

    @property
    def is_careful(self) -> bool:
        """Whether nothing else may be handed out until a lost parcel has had its second attempt."""
        return bool(self._suspects) or any(sent.attempt > 1 for sent in self._running.values())

    def hand_out(self, key: K, parcel: Parcel) -> None:
        """Hand out a parcel."""
        self._send(_Sent(key, parcel))

    def finished(self, seconds: float | None = None) -> list[tuple[K, Outcome]]:
        """What has ended since the last call.

        If nothing has, waits until something ends, at most ``seconds``.
        """
        while True:
            self._take_in(0.0 if self._ended else seconds)
            if not self._running and self._suspects:
                self._send(self._suspects.pop(0))
            ended, self._ended = self._ended, []
            if ended or seconds is not None or not self._running:
                return ended

    def stop(self) -> None:
        """Hand out nothing any more; what is out may still end."""
        self._gone = self._gone or "the run was ended"

    def close(self) -> None:
        """Cancel what is out, and leave the executor."""
        for future in list(self._running):
            future.cancel()
        self._running.clear()
        self._suspects.clear()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _executor(self) -> Opened:
        if self._opened is None:
            self._opened = self._opener()
        return self._opened

    def _send(self, sent: _Sent[K]) -> None:
        if self._gone is not None:
            self._ended.append((sent.key, self._gone))
            return
        try:
            future = self._executor().executor.submit(perform, sent.parcel)
        except ExecutorError as error:
            self._give_up(str(error))
            self._ended.append((sent.key, str(error)))
        except Exception as error:
            self._lost(sent, error)
        else:
            self._running[future] = sent

    def _take_in(self, seconds: float | None) -> None:
        """Move what has ended out of what is running, after the first end or ``seconds``."""
        step = LOOK_SECONDS if seconds is None else max(0.0, seconds)
        done, _ = wait(self._running, step, FIRST_COMPLETED)
        while seconds is None and not done and self._running:
            self._look_for_workers()
            done, _ = wait(self._running, step, FIRST_COMPLETED)
        for future in [future for future in self._running if future in done]:
            self._end(self._running.pop(future), future)

    def _end(self, sent: _Sent[K], future: Future[Outcome]) -> None:
        self._lonely = 0
        try:
            self._ended.append((sent.key, future.result()))
        except (Exception, asyncio.CancelledError) as error:  # Dask may pass on its own
            self._lost(sent, error)

    def _lost(self, sent: _Sent[K], error: BaseException) -> None:
        """Keep a lost parcel for another attempt, or say what happened."""
        if isinstance(error, ModuleNotFoundError):
            said = (
                f"a worker of {self._shown} cannot import {error.name}; install the same version "
                "of pytest-compaction there"
            )
            self._ended.append((sent.key, said))
            return
        if isinstance(error, _OF_THE_EXECUTOR):
            self._leave()
        if sent.attempt < ATTEMPTS:
            self._suspects.append(replace(sent, attempt=sent.attempt + 1))
            return
        detail = f"{type(error).__name__}: {printable(str(error), 200)}".removesuffix(": ")
        said = (
            f"it was lost with its worker {ATTEMPTS} times at {self._shown} ({detail}); look at "
            "the memory and the log of the workers"
        )
        self._ended.append((sent.key, said))

    def _leave(self) -> None:
        """Close an executor that is broken, once nothing is out any more; the next is a new one."""
        if self._opened is not None and all(future.done() for future in self._running):
            with suppress(Exception):
                self._opened.close()
            self._opened = None

    def _look_for_workers(self) -> None:
        """Give up all that is out if there has been no worker for a while."""
        alive = self._opened is not None and self._opened.slots() > 0
        self._lonely = 0 if alive else self._lonely + 1
        if self._lonely >= PATIENCE:
            self._give_up(
                f"no worker of {self._shown} has been there for {PATIENCE * LOOK_SECONDS:g} s; "
                "start workers and run again (what was paid for is stored)"
            )

    def _give_up(self, sentence: str) -> None:
        """End all that is under way, and whatever is handed out from now on, with a sentence."""
        self._gone = sentence
        for sent in (*self._running.values(), *self._suspects):
            self._ended.append((sent.key, sentence))
        for future in list(self._running):
            future.cancel()
        self._running.clear()
        self._suspects.clear()
