"""Where cases run: the executor that ``--compaction-executor`` names, and the tasks on it."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable

CONNECT_SECONDS: Final = 10
LOOK_SECONDS: float = 10.0
"""How often a task looks whether there still are workers, while it waits."""
PATIENCE: Final = 6
"""Looks without any worker after which none is expected any more."""
_LARGE_TASK: Final = "1GiB"
"""The size of a task from which Dask warns; a case of 50 MB is nothing unusual."""


class ExecutorError(Exception):
    """There is no executor to run cases on; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An executor. ``slots`` says how many tasks it does at a time, 0 if nobody is left to."""

    executor: Executor
    slots: Callable[[], int]
    close: Callable[[], object]


Opener = Callable[[], Opened]


def opener_for(text: str) -> Opener:
    """What opens ``dask://HOST:PORT`` or calls ``module:function`` for an executor."""
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", text):
        return partial(own, text)
    if "@" in text:
        raise OptionError(
            "--compaction-executor names a user or a password, which would be shown; let Dask take "
            "credentials from its own configuration"
        )
    place = re.fullmatch(r"dask://((?:\[[\da-fA-F:.]+\]|[^\s:/?#\[\]]+):\d{1,5})/?", text)
    if place is None or int(place[1].rpartition(":")[2]) > 65535:
        raise OptionError(
            f"--compaction-executor={printable(text, 100)} names no executor; write "
            "dask://HOST:PORT, the address of the scheduler of a Dask cluster, or "
            "module:function, which returns a concurrent.futures.Executor"
        )
    return partial(dask, place[1])


def own(target: str) -> Opened:
    """The executor that a function of the user returns."""
    module, _, name = target.partition(":")
    try:
        executor = getattr(importlib.import_module(module), name)()
    except Exception as error:
        raise ExecutorError(
            f"--compaction-executor={target} could not be called "
            f"({type(error).__name__}: {printable(str(error), 200)})"
        ) from error
    if not isinstance(executor, Executor):
        raise ExecutorError(
            f"--compaction-executor={target} returned {printable(type(executor).__name__, 60)}, "
            "which is no concurrent.futures.Executor"
        )
    count = int(getattr(executor, "_max_workers", 0) or os.cpu_count() or 1)
    return Opened(
        executor, lambda: count, partial(executor.shutdown, wait=False, cancel_futures=True)
    )


def dask(place: str) -> Opened:
    """The workers of the Dask scheduler at ``host:port``."""
    try:
        from dask import config
        from distributed import Client
    except ImportError as error:
        raise ExecutorError(
            f"--compaction-executor=dask://{place} needs the packages dask and distributed "
            f"({printable(str(error), 100)}): python -m pip install 'pytest-compaction[dask]'"
        ) from None
    config.set({"distributed.admin.large-graph-warning-threshold": _LARGE_TASK})
    try:
        client = Client(f"tcp://{place}", timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise ExecutorError(
            f"--compaction-executor=dask://{place}: no Dask scheduler answered there within "
            f"{CONNECT_SECONDS} s ({type(error).__name__}: {printable(str(error), 200)}); start "
            "one with `dask scheduler`, or correct the address"
        ) from None

    def slots() -> int:
        try:
            return sum(client.nthreads().values())
        except Exception:  # the scheduler is gone
            return 0

    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except Exception:
        client.close()
        raise ExecutorError(
            f"--compaction-executor=dask://{place}: the scheduler has no worker; start one with "
            f"`dask worker tcp://{place} --nthreads 1`"
        ) from None
    # Two equal tasks are two tasks: the second may come with replies that the first lacked.
    return Opened(client.get_executor(pure=False), slots, client.close)


Outcome = bytes | str


class Tasks:
    """Hands out tasks to an executor, and waits for their outcomes.

    ``shown`` names the executor. ``most`` bounds the tasks under way; 0 allows a second one for
    each slot, which is there when the first has ended. Except for :meth:`connect` for the
    coroutines of one loop.
    """

    def __init__(self, opener: Opener, shown: str, most: int = 0) -> None:
        self._opener = opener
        self._shown = shown
        self._bound = most
        self.most = 1
        self._opened: Opened | None = None
        self._room = asyncio.Semaphore(1)
        self._out: set[Future[Outcome]] = set()
        self._gone = ""

    def connect(self) -> None:
        """Open the executor. Raises :class:`ExecutorError`."""
        self._opened = self._opener()
        slots = max(1, self._opened.slots())
        self.most = min(slots, self._bound) if self._bound else 2 * slots
        self._room = asyncio.Semaphore(self.most)

    async def outcome(self, perform: Callable[..., Outcome], make: Callable[[], object]) -> Outcome:
        error: BaseException | None
        async with self._room:
            opened = self._opened
            if self._gone or opened is None:
                return self._gone
            try:
                future = opened.executor.submit(perform, make())
                error = await self._error(future, opened)
                if error is None:
                    return future.result()
            except Exception as failed:
                error = failed
        if isinstance(error, ModuleNotFoundError):
            return (
                f"a worker of {self._shown} cannot import {error.name}; install the same "
                "version of pytest-compaction there"
            )
        detail = f"{type(error).__name__}: {printable(str(error), 200)}".removesuffix(": ")
        return self._gone or (
            f"it was lost with its worker at {self._shown} ({detail}); look at the memory and the "
            "log of the workers, and run again (what was paid for is stored)"
        )

    def stop(self) -> None:
        """Hand out nothing any more; what is out may still end."""
        self._gone = self._gone or "the run was ended"

    def close(self) -> None:
        """Cancel what is out, and leave the executor. May be called again."""
        self.stop()
        for future in list(self._out):
            future.cancel()
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(Exception):
                opened.close()

    async def _error(self, future: Future[Outcome], opened: Opened) -> BaseException | None:
        """The error that a task ends with; gives up if there has been no worker for a while."""
        self._out.add(future)
        ended, lonely = asyncio.wrap_future(future), 0
        try:
            while not ended.done() and lonely < PATIENCE:
                await asyncio.wait([ended], timeout=LOOK_SECONDS)
                if not ended.done():
                    lonely = 0 if await asyncio.to_thread(opened.slots) else lonely + 1
        finally:
            self._out.discard(future)
            ended.cancel()  # and with it a task that has not ended
        if lonely == PATIENCE:
            self._gone = self._gone or (
                f"no worker of {self._shown} has been there for {PATIENCE * LOOK_SECONDS:g} s; "
                "start workers and run again (what was paid for is stored)"
            )
        return CancelledError() if ended.cancelled() else ended.exception()
