"""An event loop in a thread, on which the items of a session share what is made for them.

Requests to models fly within one limit. Who waits is served in the order of the items.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import inspect
import threading
import time
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import CancelledError
from itertools import count
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

from pytest_compaction.models.protocol import Model
from pytest_compaction.models.wire.call import Caller
from pytest_compaction.run.metered_model import MeteredModel
from pytest_compaction.run.strategy_thread import FunctionLoops, cancel_all


class RequestLimit:
    """Lets ``most`` requests fly at a time. For coroutines of one event loop.

    Whoever waits with the lowest rank is served first, and those of one rank in the order in
    which they came. A request of the first item so never waits for one of the last. Before each
    request it is looked whether the run ``is_stopped``.
    """

    def __init__(self, most: int, is_stopped: Callable[[], bool] = bool) -> None:
        self.most = most
        self.flying = 0
        self._is_stopped = is_stopped
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._room: asyncio.Future[None] | None = None
        self._stopped = False

    def at(self, rank: int, asked: asyncio.Event | None = None) -> Turn:
        """The limit for the requests of a rank; ``asked`` is set once one of them is wanted."""
        return Turn(self, rank, asked)

    async def acquire(self, rank: int) -> None:
        """Wait until a request may fly. Raises ``CancelledError`` once the run is stopped."""
        if self._stopped:
            raise asyncio.CancelledError
        if self.flying >= self.most:
            served = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (rank, next(self._order), served))
            try:
                await served
            except asyncio.CancelledError:
                if served.done() and not served.cancelled():
                    self.release()
                raise
        else:
            self.flying += 1
        if self._is_stopped():
            self.release()
            raise asyncio.CancelledError

    def release(self) -> None:
        """A request has ended: let the next one fly, unless the limit was told to :meth:`stop`."""
        self.flying -= 1
        if not self._stopped:
            self._serve()
            self._tell_room()

    def _serve(self) -> None:
        while self._waiting and self.flying < self.most:
            served = heapq.heappop(self._waiting)[2]
            if not served.done():  # cancelled meanwhile
                self.flying += 1
                served.set_result(None)

    @property
    def has_room(self) -> bool:
        """Whether a further request would fly at once, or soon.

        Soon means that fewer wait than may fly: what is prepared now takes a while until it asks.
        """
        return self.flying + sum(not one[2].done() for one in self._waiting) < 2 * self.most

    async def room(self) -> None:
        """Wait until there :attr:`has_room`."""
        while not self.has_room:
            if self._room is None:
                self._room = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._room)

    def _tell_room(self) -> None:
        if self._room is not None and self.has_room:
            self._room.set_result(None)
            self._room = None

    def stop(self) -> None:
        """Let no request fly any more: a strategy may ask for one that was cancelled before."""
        self._stopped = True


class Turn:
    """``async with`` it while a request flies; several coroutines may do so at once.

    A :class:`~pytest_compaction.models.calls.in_flight.RequestSlot` for requests to models.
    """

    def __init__(self, limit: RequestLimit, rank: int, asked: asyncio.Event | None) -> None:
        self._limit = limit
        self._rank = rank
        self._asked = asked

    def announce(self) -> None:
        """Tell that a request is wanted."""
        if self._asked is not None:
            self._asked.set()

    async def __aenter__(self) -> None:
        """Wait until a request may fly."""
        await self._limit.acquire(self._rank)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """The request has ended."""
        self._limit.release()


T = TypeVar("T")

BUSY_S: Final = 0.003
_REST_S: Final = 0.02
"""Seconds until the next look whether the loop is busy; a look takes time of the loop."""
_LONGEST_WAIT_S: Final = 1.0


class RunStoppedError(Exception):
    """The run was stopped, so that nothing is asked any more."""

    def __init__(self) -> None:
        super().__init__("the run was stopped before this was asked or answered")


class _Closing(Protocol):
    async def close(self) -> None: ...


class OnceTasks:
    """Work by key, each made once. For coroutines on one loop."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result for a key; made now if nobody has asked for it.

        Whoever stops waiting does not stop the work: others may wait for it.
        """
        return await asyncio.shield(self.begin(key, make))

    def begin(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> asyncio.Task[T]:
        """Start work for a key without waiting; its error is raised where :meth:`once` asks."""
        task: asyncio.Task[T] | None = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.ensure_future(make())
            task.add_done_callback(_mark_error_as_seen)
        return task

    def drop(self) -> None:
        """Forget what was made, and cancel what is under way."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()


def _mark_error_as_seen(task: asyncio.Task[Any]) -> None:
    """Keep asyncio from logging an error that no item has asked for yet, or ever will."""
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()


class WorkLoop(OnceTasks):
    """Makes each piece of work once, under a key, and shares it with all who ask for it.

    One loop in a daemon thread does all the waiting, and one limit holds for all
    requests to models, of which ``most`` may be in flight; ``caller`` is closed with the loop.
    ``is_stopped`` is asked before each request whether the run was stopped.
    """

    def __init__(
        self, most: int, caller: Caller | None = None, is_stopped: Callable[[], bool] = bool
    ) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._is_told = is_stopped
        self._limit = RequestLimit(most, self._sees_stop)
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._closed_too: list[_Closing] = [] if caller is None else [caller]
        self._ending = threading.Lock()
        self.function_loops = FunctionLoops()
        """The loops of async functions, which end with this one."""

    @property
    def limit(self) -> RequestLimit:
        """The limit of requests in flight, shared by everything on this loop."""
        return self._limit

    def metered(self, model: Model, turn: Turn, trial: int = 1) -> MeteredModel:
        """A meter over a model whose requests run on this loop, each in a ``turn`` of the limit.

        The model is one of that ``trial``.
        """
        self._start()
        return MeteredModel(model, self._loop, turn, trial=trial)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and block until it ends.

        Raises :class:`RunStoppedError` if the loop is told to :meth:`stop` before that.
        """
        self._start()
        try:
            return asyncio.run_coroutine_threadsafe(self._unless_stopped(work), self._loop).result()
        except CancelledError:
            if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
                work.close()  # cancelled before its first step; Python warns of such a coroutine
            if self._stopped:
                raise RunStoppedError from None
            raise

    async def _unless_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        if self._stopped:
            work.close()  # Python warns of a coroutine that never ran
            raise RunStoppedError
        return await work

    def tell(self, what: Callable[[], object]) -> None:
        """Have a function called on the loop, if that has begun. Does not wait."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(what)

    def give_way(self) -> None:
        """Block while the loop is busy, so that requests and replies go before other work.

        It is busy if it takes longer than ``BUSY_S`` to do what it is told. Where replies take
        seconds it never is.
        """
        while self._thread is not None and self._thread.is_alive():
            told = threading.Event()
            began = time.perf_counter()
            self._loop.call_soon_threadsafe(told.set)
            told.wait(_LONGEST_WAIT_S)
            if time.perf_counter() - began < BUSY_S:
                return
            time.sleep(_REST_S)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="compaction-engine", daemon=True
            )
            self._thread.start()

    def _sees_stop(self) -> bool:
        self._stopped = self._stopped or self._is_told()
        return self._stopped

    def stop(self) -> None:
        """Cancel what is under way, keep replies that came, and begin nothing more.

        Any thread may call it, again too. Returns when nothing is under way any more.
        """
        self._stopped = True
        with self._ending:  # two at a time would cancel each other
            self._do(self._cancel())

    def close(self) -> None:
        """:meth:`stop`, and end the loop. May be called again.

        All loops end even if the caller cannot be closed; its error is raised after that.
        """
        self.stop()
        with self._ending:
            try:
                while self._closed_too:
                    self._do(self._closed_too.pop().close())
            finally:
                self._end()

    def close_too(self, what: _Closing) -> None:
        """Close this with the loop, on it, before what is closed already."""
        self._closed_too.append(what)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine on the loop, if that has begun, and block until it ends."""
        if self._thread is None:
            work.close()  # Python warns of a coroutine that never ran
        else:
            asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._thread = None
        self.function_loops.close()
        if not self._loop.is_closed():
            # What a strategy asked for while its request was cancelled.
            self._loop.run_until_complete(cancel_all())
            self._loop.close()

    async def _cancel(self) -> None:
        self._limit.stop()
        await cancel_all()
