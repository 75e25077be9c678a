"""A thread in which the code of one strategy runs, with one event loop and a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import threading
import traceback
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.compactors.protocol import CompactorError
from pytest_compaction.run import shared_loop
from pytest_compaction.run.shared_loop import SharedLoop
from pytest_compaction.text.words import printable

T = TypeVar("T")


class TimeLimitError(Exception):
    """A call did not return in time; the text says how long was waited."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call to make; ``deliver`` is given what it returned and what it raised."""

    function: Callable[[], Any]
    deliver: Callable[[Any, BaseException | None], None]


_Calls = queue.SimpleQueue[_Call | None]


class StrategyThread:
    """Runs calls one after the other in one daemon thread, each within a time limit.

    Coroutines run on one event loop that lives as long as the thread, so that a
    strategy may keep what belongs to a loop: an HTTP client, a semaphore, a task.
    With ``shared`` they run on that loop instead, and this thread waits for them.

    A call that takes too long is left behind in its thread, and the next call gets a
    new one. The thread ends when :meth:`close` is called or nobody refers to this
    object any more; a call after that has a thread of its own.
    """

    def __init__(self, name: str, shared: SharedLoop | None = None) -> None:
        self._name = name
        self._shared = shared
        self._calls: _Calls = queue.SimpleQueue()
        self._end: Callable[[], object] | None = None
        self._closed = False
        self._turn = asyncio.Lock()

    async def call(self, function: Callable[[], Any], seconds: float, what: str) -> Any:
        """Make a call and wait for it at most ``seconds`` from the time when it begins.

        Whatever it raises, even ``SystemExit``, becomes a :class:`CompactorError` that
        says ``what`` raised it; so does a call that takes too long.
        """
        async with self._turn:
            loop = asyncio.get_running_loop()
            done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

            def settle(value: Any, error: BaseException | None) -> None:
                if not done.done():
                    done.set_result((value, error))

            def deliver(value: Any, error: BaseException | None) -> None:
                # Asking is_closed() first would not do: the loop can close in between.
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(settle, value, error)

            self._put(_Call(function, deliver))
            try:
                value, error = await asyncio.wait_for(done, seconds)
            except TimeoutError:
                self._stop()
                if self._shared is not None:
                    self._shared.leave()
                raise CompactorError(f"{what} {_too_long(seconds)}") from None
            except asyncio.CancelledError:
                self._stop()
                raise
            if self._closed:
                self._stop()
        if error is None:
            return value
        if isinstance(error, CompactorError):
            raise error
        said = f"{type(error).__name__}: {_said(error)}{_raised_at(error)}"
        raise CompactorError(f"{what} raised {said}") from error

    def wait(self, function: Callable[[], T], seconds: float) -> Any:
        """Make a call and block until it returns; a coroutine is awaited.

        Raises what it raises, and :class:`TimeLimitError` after ``seconds``. Not for
        several threads at once.
        """
        answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._put(_Call(function, lambda value, error: answers.put((value, error))))
        try:
            value, error = answers.get(timeout=seconds)
        except queue.Empty:
            self._stop()
            raise TimeLimitError(_too_long(seconds)) from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Let the thread end, after the call under way if there is one. Does not wait for it."""
        self._closed = True
        if not self._turn.locked():
            self._stop()

    def _put(self, call: _Call) -> None:
        if self._end is None:
            self._calls = queue.SimpleQueue()
            thread = threading.Thread(
                target=_work, args=(self._calls, self._shared), name=self._name, daemon=True
            )
            thread.start()
            end = weakref.finalize(self, self._calls.put, None)
            end.atexit = False  # at the end of the process daemon threads just stop
            self._end = end
        self._calls.put(call)

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
            self._end = None


def _work(calls: _Calls, shared: SharedLoop | None) -> None:
    """Make calls until ``None`` comes. Must not refer to the object that sends them."""
    with contextlib.closing(asyncio.Runner()) as runner:
        while True:
            call = calls.get()
            if call is None:
                return
            value: Any = None
            error: BaseException | None = None
            try:
                value = call.function()
                if inspect.isawaitable(value) and shared is not None:
                    value = shared.run(value)
                elif inspect.isawaitable(value):
                    value = runner.run(_awaited(value))
            except BaseException as raised:  # even SystemExit: it is a strategy's, not ours
                value, error = None, raised
            call.deliver(value, error)
            del call, value, error  # while the thread waits it holds nothing of the strategy


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _too_long(seconds: float) -> str:
    return f"did not return within {seconds:g} s (--compaction-timeout)"


def _said(error: BaseException) -> str:
    try:
        return printable(str(error), 300)
    except Exception:
        return "(its text cannot be shown)"


_OURS: Final = frozenset({__file__, shared_loop.__file__})


def _raised_at(error: BaseException) -> str:
    """File, line and function where it was raised, for whoever has to fix it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename not in _OURS]
    if not own:
        return ""
    return f" [{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}]"
