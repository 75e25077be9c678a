"""A thread in which the code of one strategy runs, with one event loop and a time limit.

The async functions of modules share one loop over all cases that they compact.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import queue
import sysconfig
import threading
import traceback
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.compactors.composition import parts_of
from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.compactors.protocol import CompactorError
from pytest_compaction.text import printable


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


T = TypeVar("T")

GRACE: Final = 1.0
"""Seconds in which a coroutine that was cancelled may end before it is left behind."""


class TimeLimitError(Exception):
    """A call did not return in time; the text says how long was waited."""


class _ThreadCall:
    """A function to call on the thread; ``deliver`` is given what it returned and what it raised.

    Another thread may cancel its coroutine.
    """

    def __init__(
        self,
        function: Callable[[], Any],
        deliver: Callable[[Any, BaseException | None], None],
    ) -> None:
        self.function = function
        self.deliver = deliver
        self.reacted = threading.Event()
        """Whether the loop of the coroutine still turned after :meth:`cancel`."""
        self._lock = threading.Lock()
        self._cancelled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def cancel(self) -> asyncio.AbstractEventLoop | None:
        """Cancel the coroutine, or keep it from being begun. Returns the loop it runs on."""
        with self._lock:
            self._cancelled, loop = True, self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it may have ended by itself
                loop.call_soon_threadsafe(self._cancel_on, loop)
        return loop

    def enter(self, loop: asyncio.AbstractEventLoop) -> None:
        """Say on which loop the coroutine will run."""
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

    def _cancel_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._task is not None:
            self._task.cancel()
        # Later, because the coroutine may block the loop when it is cancelled.
        loop.call_later(GRACE / 2, self.reacted.set)


_ThreadCalls = queue.SimpleQueue[_ThreadCall | None]


class StrategyThread:
    """Runs calls one after the other in one daemon thread, each within a time limit.

    Coroutines run on one event loop that lives as long as the thread, so that a
    strategy may keep what belongs to a loop: an HTTP client, a semaphore, a task.
    With ``shared`` they run on that loop instead, and this thread waits for them.

    The coroutine of a call that takes too long is cancelled. A call that does not end
    even then, because it blocks, is left behind in its thread, and the next call gets a
    new one; a shared loop is left only if it is blocked. The thread ends when
    :meth:`close` is called or nobody refers to this object any more; a call after that
    has a thread of its own. ``waited`` tells for how many seconds the strategy had to wait
    so far for requests of others, which does not count.
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

            call = _ThreadCall(function, deliver)
            self._put(call)
            try:
                await self._end_of(done, seconds)
                if not done.done():
                    entered = call.cancel()
                    if entered is not None:
                        await asyncio.wait([done], timeout=GRACE)
                    if not done.done():
                        self._leave(call, entered)
                    elif self._closed:
                        self._stop()
                    raise CompactorError(f"{what} {_too_long(seconds)}")
            except asyncio.CancelledError:
                call.cancel()
                self._stop()
                raise
            value, error = done.result()
            if self._closed:
                self._stop()
        if error is None:
            return value
        if isinstance(error, CompactorError):
            raise error
        said = f"{type(error).__name__}: {_said(error)}{_raised_at(error)}"
        raise CompactorError(f"{what} raised {said}") from error

    async def _end_of(self, done: asyncio.Future[Any], seconds: float) -> None:
        """Wait until the call is done, or has had its time."""
        loop = asyncio.get_running_loop()
        end, before = loop.time() + seconds, self._waited()
        left = seconds
        while left > 0 and not done.done():
            await asyncio.wait([done], timeout=left)
            left = end + self._waited() - before - loop.time()

    def wait(self, function: Callable[[], T], seconds: float) -> Any:
        """Make a call and block until it returns; a coroutine is awaited.

        Raises what it raises, and :class:`TimeLimitError` after ``seconds``. Not for
        several threads at once.
        """
        value, error = self.ended(function, seconds)
        if error is not None:
            raise error
        return value

    def ended(
        self, function: Callable[[], Any], seconds: float
    ) -> tuple[Any, BaseException | None]:
        """As :meth:`wait`, but returns what the call returned and what it raised."""
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
                self._leave(call, loop)
            raise TimeLimitError(_too_long(seconds)) from None
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

    def _leave(self, call: _ThreadCall, loop: asyncio.AbstractEventLoop | None) -> None:
        """Leave a call behind that did not end, and the shared loop if that is blocked too."""
        self._stop()
        if self._shared is not None and loop is not None and not call.reacted.is_set():
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
                    value = _awaited(call, value, runner, shared)
            except BaseException as raised:  # even SystemExit: it is a strategy's, not ours
                value, error = None, raised
            call.deliver(value, error)
            del call, value, error  # while the thread waits it holds nothing of the strategy


def _awaited(
    call: _ThreadCall, value: Awaitable[Any], runner: asyncio.Runner, shared: SharedLoop | None
) -> Any:
    loop = runner.get_loop() if shared is None else shared.current()
    call.enter(loop)
    work = call.awaited(value)
    return runner.run(work) if shared is None else run_on(loop, work)


def _too_long(seconds: float) -> str:
    return f"did not return within {seconds:g} s (--compaction-timeout)"


def _said(error: BaseException) -> str:
    try:
        return printable(str(error), 300)
    except Exception:
        return "(its text cannot be shown)"


_PACKAGE: Final = Path(__file__).parents[2]
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_STANDARD: Final = Path(sysconfig.get_paths()["stdlib"])


def _raised_at(error: BaseException) -> str:
    """File, line and function of the user's own code where it was raised, to be mended there.

    That is the last frame in no library; only if there is none, the last one of all.
    """
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if frame.filename != __file__]
    own = [frame for frame in others if is_users(frame.filename)] or others
    if not own:
        return ""
    return f" [{_shown(own[-1].filename)}:{own[-1].lineno} in {own[-1].name}]"


def is_users(file: str) -> bool:
    """Whether a source file is of neither this package, the standard library nor a library."""
    path = Path(file)
    if file.startswith("<") or path.is_relative_to(_PACKAGE):
        return False
    return not _INSTALLED.intersection(path.parts) and not path.is_relative_to(_STANDARD)


def _shown(file: str) -> str:
    """A path from the folder where pytest runs; of a file elsewhere the name."""
    path, folder = Path(file), Path.cwd()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
