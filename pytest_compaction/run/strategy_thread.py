"""A thread for the code of one strategy of a user, with an event loop and a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import sysconfig
import threading
import traceback
import weakref
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.compactors import CompactorError
from pytest_compaction.run.loop import MeteredModel, SharedLoop, has_ended, run_on
from pytest_compaction.text import printable

_T = TypeVar("_T")

AT_WORK: Final[ContextVar[MeteredModel | None]] = ContextVar("compaction_at_work", default=None)
"""The meter of the case that the running code of a strategy compacts."""


def at_work(model: object, call: Callable[..., _T], *arguments: Any) -> _T:
    """Call code of a strategy for the case whose meter is ``model``.

    The thread belongs to the case from then on, so that coroutines do too.
    """
    AT_WORK.set(model if isinstance(model, MeteredModel) else None)
    return call(*arguments)


GRACE: Final = 1.0
"""Seconds in which a coroutine that was cancelled may end before it is left behind."""


class TimeLimitError(Exception):
    """A call did not return in time; the text says how long was waited."""


class _ThreadCall:
    """A function to call on the thread; ``deliver`` gets what it returned and what it raised."""

    def __init__(
        self,
        function: Callable[[], Any],
        deliver: Callable[[Any, BaseException | None], None],
    ) -> None:
        self.function = function
        self.deliver = deliver
        self._lock = threading.Lock()
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def cancel(self) -> asyncio.AbstractEventLoop | None:
        """Cancel the coroutine, or keep it from being begun. Returns the loop it runs on."""
        with self._lock:
            self._cancelled, loop = True, self._loop

        def cancel_on_loop() -> None:
            if self._task is not None:
                self._task.cancel()

        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it may have ended by itself
                loop.call_soon_threadsafe(cancel_on_loop)
        return loop

    def enter(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._loop = loop

    async def awaited(self, value: Awaitable[Any]) -> Any:
        """Await what the function returned, unless the call was cancelled by then."""
        with self._lock:
            self._task = asyncio.current_task()
            cancelled = self._cancelled
        if cancelled:
            if inspect.iscoroutine(value):
                value.close()
            raise asyncio.CancelledError
        return await value


_ThreadCalls = queue.SimpleQueue[_ThreadCall | None]


class StrategyThread:
    """Runs calls one after the other in one daemon thread, each within a time limit.

    Coroutines run on one event loop that lives as long as the thread, so that a strategy may keep
    what belongs to a loop, such as an HTTP client; with ``shared`` they run on that loop instead.
    The coroutine of a call that takes too long is cancelled; one that does not end even then is
    left behind with its thread and the shared loop. A call after :meth:`close` has a thread of its
    own. ``waited`` tells for how many seconds the strategy had to wait for requests of others.
    """

    def __init__(
        self,
        name: str,
        shared: SharedLoop | None = None,
        waited: Callable[[], float] = float,
    ) -> None:
        self._waited = waited
        self._name = name
        self._shared = shared
        self._calls: _ThreadCalls = queue.SimpleQueue()
        self._end: Callable[[], object] | None = None
        self._closed = False
        self._turn = asyncio.Lock()

    async def call(self, function: Callable[[], Any], seconds: float, what: str) -> Any:
        """Make a call and wait for it at most ``seconds`` from the time when it begins."""
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

            call = _ThreadCall(function, deliver)
            self._put(call)
            try:
                if not await has_ended(done, seconds, self._waited):
                    entered = call.cancel()
                    if entered is not None:
                        await asyncio.wait([done], timeout=GRACE)
                    if not done.done():
                        self._leave(entered)
                    elif self._closed:
                        self._stop()
                    raise CompactorError(f"{what} {too_long(seconds)}")
            except asyncio.CancelledError:
                call.cancel()
                self._stop()
                raise
            value, error = done.result()
            if self._closed:
                self._stop()
        if error is None:
            return value
        raise refused(what, error) from error

    def ended(
        self, function: Callable[[], Any], seconds: float
    ) -> tuple[Any, BaseException | None]:
        """Make a call, block until it returns, and give the value and the error that it raised."""
        answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        call = _ThreadCall(function, lambda value, error: answers.put((value, error)))
        self._put(call)
        try:
            return answers.get(timeout=seconds)
        except queue.Empty:
            loop = call.cancel()
            try:
                answers.get(timeout=0 if loop is None else GRACE)
            except queue.Empty:
                self._leave(loop)
            raise TimeLimitError(too_long(seconds)) from None
        except BaseException:  # Ctrl-C in the thread that waits
            call.cancel()
            self._stop()
            raise

    def close(self) -> None:
        """Let the thread end, after the call under way if there is one. Does not wait for it."""
        self._closed = True
        if not self._turn.locked():
            self._stop()

    def _put(self, call: _ThreadCall) -> None:
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

    def _leave(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Leave a call behind that did not end, and the shared loop that it may block."""
        self._stop()
        if self._shared is not None and loop is not None:
            self._shared.leave(loop)

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
            self._end = None


def _work(calls: _ThreadCalls, shared: SharedLoop | None) -> None:
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
                if inspect.isawaitable(value):
                    loop = runner.get_loop() if shared is None else shared.current()
                    call.enter(loop)
                    work = call.awaited(value)
                    value = runner.run(work) if shared is None else run_on(loop, work)
            except BaseException as raised:  # even SystemExit: it is a strategy's, not ours
                value, error = None, raised
            call.deliver(value, error)
            del call, value, error  # while the thread waits it holds nothing of the strategy


def too_long(seconds: float) -> str:
    """The end of a sentence on a call that took longer than it may."""
    return f"did not return within {seconds:g} s (--compaction-timeout)"


def refused(what: str, error: BaseException) -> CompactorError:
    """The error that says ``what`` raised another one, and where; one of the contract stays."""
    if isinstance(error, CompactorError):
        return error
    try:
        said = printable(str(error), 300)
    except Exception:
        said = "(its text cannot be shown)"
    return CompactorError(f"{what} raised {type(error).__name__}: {said}{_raised_at(error)}")


_PACKAGE: Final = Path(__file__).parents[1]
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_STANDARD: Final = Path(sysconfig.get_paths()["stdlib"])


def _raised_at(error: BaseException) -> str:
    """File, line and function of the user's own code where it was raised, to be mended there."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    own = [frame for frame in others if is_users(frame.filename)] or others
    if not own:
        return ""
    path, folder = Path(own[-1].filename), Path.cwd()
    near = path.is_relative_to(folder)
    shown = path.relative_to(folder).as_posix() if near else path.name
    return f" [{shown}:{own[-1].lineno} in {own[-1].name}]"


def is_users(file: str) -> bool:
    """Whether a source file is of neither this package, the standard library nor a library."""
    path = Path(file)
    if file.startswith("<") or path.is_relative_to(_PACKAGE):
        return False
    return not _INSTALLED.intersection(path.parts) and not path.is_relative_to(_STANDARD)
