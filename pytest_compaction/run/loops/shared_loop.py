"""The event loop of the async functions of modules: one for all cases that they compact."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from typing import Any

from pytest_compaction.compactors.composition import parts_of
from pytest_compaction.compactors.function.compactor import FunctionCompactor


@dataclass(frozen=True, slots=True)
class _Ended:
    value: Any = None
    error: BaseException | None = None


class SharedLoop:
    """An event loop in a daemon thread, on which coroutines of several threads run at once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._running: list[asyncio.AbstractEventLoop] = []
        self._current: asyncio.AbstractEventLoop | None = None

    def current(self) -> asyncio.AbstractEventLoop:
        """The loop for the next call; it is started if there is none."""
        with self._lock:
            if self._current is None:
                self._current = asyncio.new_event_loop()
                self._running.append(self._current)
                threading.Thread(
                    target=_serve, args=(self._current,), name=self._name, daemon=True
                ).start()
            return self._current

    def leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a new loop for the next call, unless ``loop`` was left already."""
        with self._lock:
            if self._current is loop:
                self._current = None

    def close(self) -> None:
        """Let all loops end, with what still runs on them. Does not wait for them."""
        with self._lock:
            loops, self._running, self._current = self._running, [], None
        for loop in loops:
            with contextlib.suppress(RuntimeError):  # it may have ended by itself
                loop.call_soon_threadsafe(loop.stop)


class FunctionLoops:
    """Gives all async functions of modules one loop for the whole run.

    Such a function has no instance: its HTTP client or semaphore is a global too, and
    the second case would find it bound to the loop of the first. Two functions may share
    that global, even across modules, so one loop serves all of them.
    """

    def __init__(self) -> None:
        self._loop = SharedLoop("compaction-function")

    def of(self, compactor: object) -> SharedLoop | None:
        """The loop, if the strategy or a part of it is such a function; else ``None``."""
        has_function = any(
            isinstance(part, FunctionCompactor) and part.module_coroutine is not None
            for part in parts_of(compactor)
        )
        return self._loop if has_function else None

    def close(self) -> None:
        """Let the loop end."""
        self._loop.close()


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Await ``work`` on a loop of another thread and block this thread until it ends."""
    ending = _ended(work)
    try:
        waiting = asyncio.run_coroutine_threadsafe(ending, loop)
    except RuntimeError:  # the loop was closed since it was chosen
        ending.close()
        work.close()  # Python warns of a coroutine that never ran
        raise
    ended = waiting.result()
    if ended.error is not None:
        raise ended.error
    return ended.value


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        while _was_interrupted(loop):
            pass
        loop.run_until_complete(cancel_all())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _was_interrupted(loop: asyncio.AbstractEventLoop) -> bool:
    """Run the loop until it is stopped, or until a task of a strategy wants the process to end."""
    try:
        loop.run_forever()
    except (SystemExit, KeyboardInterrupt):
        return True
    return False


async def cancel_all() -> None:
    """Cancel every other task of the loop that runs, and wait for their ends."""
    under_way = asyncio.all_tasks() - {asyncio.current_task()}
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)


async def _ended(work: Awaitable[Any]) -> _Ended:
    try:
        return _Ended(await work)
    except BaseException as error:  # SystemExit would end the loop, and all else that runs on it
        return _Ended(error=error)
