"""Where cases run: the value of ``--compaction-executor``, and the executor that it names.

What is opened is a :class:`concurrent.futures.Executor`, of which nothing but the standard
interface is used, and the number of tasks that it does at a time.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable

CONNECT_SECONDS: Final = 10
"""Seconds in which a scheduler must answer and have a worker."""
_LARGE_TASK: Final = "1GiB"
"""The size of a task from which Dask warns; a case of 50 MB is nothing unusual."""
_SHOWN: Final = 100


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


def opener_for(text: str) -> Opener:
    """What opens ``dask://HOST:PORT`` or calls ``module:function`` for an executor.

    Nothing is connected to yet. Raises :class:`OptionError` for another text.
    """
    module, _, name = text.partition(":")
    if all(part.isidentifier() for part in (*module.split("."), name)):
        return partial(own, text)
    shown = printable(text, _SHOWN)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _unusable(shown, f"is no address ({printable(str(error), _SHOWN)})") from None
    if parts.username is not None or parts.password is not None:
        raise OptionError(
            "--compaction-executor names a user or a password, which would be shown; let Dask take "
            "credentials from its own configuration"
        )
    if parts.scheme != "dask":
        raise _unusable(shown, "names no known kind of executor")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise _unusable(shown, "has more than a host and a port")
    if not parts.hostname or port is None:
        raise _unusable(shown, "lacks the host or the port of the scheduler")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return partial(dask, f"{host}:{port}")


def _unusable(shown: str, why: str) -> OptionError:
    return OptionError(
        f"--compaction-executor={shown} {why}; write dask://HOST:PORT, the address of the "
        "scheduler of a Dask cluster, or module:function, which returns a "
        "concurrent.futures.Executor"
    )


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
