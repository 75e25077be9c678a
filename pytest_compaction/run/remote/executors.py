"""Opening the executor that an address names: one function a scheme, in one table.

What is opened is a :class:`concurrent.futures.Executor`, of which nothing but the standard
interface is used, and the number of tasks that it does at a time.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from pytest_compaction.run.remote.address import ExecutorAddress
from pytest_compaction.text.words import printable

CONNECT_SECONDS: Final = 10
"""Seconds in which a scheduler must answer and have a worker."""
_LARGE_TASK: Final = "1GiB"
"""The size of a task from which Dask warns; a case of 50 MB is nothing unusual."""


class ExecutorError(Exception):
    """There is no executor to run cases on; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An executor. ``slots`` says how many tasks it does at a time, 0 if nobody is left to.

    ``close`` ends it without waiting for what it does.
    """

    executor: Executor
    slots: Callable[[], int]
    close: Callable[[], object]


Opener = Callable[[], Opened]
"""Opens an executor, each time a new one; raises :class:`ExecutorError`."""


def opener_for(address: ExecutorAddress) -> Opener:
    """What opens the executor of an address."""
    return partial(SCHEMES[address.scheme], address.place)


def processes(place: str) -> Opened:
    """As many fresh processes of this machine as ``place`` says."""
    count = int(place)
    # Not forked: this process has threads, and locks that they may hold.
    executor = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))
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


SCHEMES: Final[Mapping[str, Callable[[str], Opened]]] = {"dask": dask, "processes": processes}
"""How to open the executor of each scheme of an address."""
