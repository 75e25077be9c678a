"""The event loop of a run, the limit of its requests, and the meter of what strategies ask."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import heapq
import inspect
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Final, Protocol, TypeVar

from pytest_compaction.compactors import FunctionCompactor, parts_of
from pytest_compaction.models import (
    AnswerReply,
    AnswerRequest,
    Caller,
    CompactReply,
    CompactRequest,
    EmbedReply,
    EmbedRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    ModelError,
    NoReplyError,
    NotAskedError,
    OwnCalls,
    Parameters,
    Place,
    RequestSlot,
    SummaryReply,
    SummaryRequest,
    Usage,
    asked_at,
    embedded,
    requests_in,
)

_T = TypeVar("_T")


class RequestLimit:
    """Lets ``most`` requests fly at a time, the lowest rank first. For coroutines of one loop.

    Before each request it is looked whether the run ``is_stopped``.
    """

    def __init__(self, most: int, is_stopped: Callable[[], bool] = bool) -> None:
        self.most = most
        self.flying = 0
        self._is_stopped = is_stopped
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._room = asyncio.Event()
        self._stopped = False

    def at(self, rank: int, asked: asyncio.Event | None = None) -> Turn:
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
            self._room.set()

    def _serve(self) -> None:
        while self._waiting and self.flying < self.most:
            served = heapq.heappop(self._waiting)[2]
            if not served.done():  # cancelled meanwhile
                self.flying += 1
                served.set_result(None)

    @property
    def has_room(self) -> bool:
        """Whether a further request would fly at once, or soon."""
        return self.flying + sum(not one[2].done() for one in self._waiting) < 2 * self.most

    async def room(self) -> None:
        """Wait until there :attr:`has_room`."""
        while not self.has_room:
            self._room.clear()
            await self._room.wait()

    def stop(self) -> None:
        """Let no request fly any more: a strategy may ask for one that was cancelled before."""
        self._stopped = True


class Turn:
    """``async with`` it while a request flies; several coroutines may do so at once."""

    def __init__(self, limit: RequestLimit, rank: int, asked: asyncio.Event | None) -> None:
        self._limit = limit
        self._rank = rank
        self._asked = asked

    def announce(self) -> None:
        if self._asked is not None:
            self._asked.set()

    async def __aenter__(self) -> None:
        await self._limit.acquire(self._rank)

    async def __aexit__(self, *error: object) -> None:
        self._limit.release()


@dataclass
class _Clock:
    """How long requests waited to be sent. Changed on the loop of the model alone."""

    waited: float = 0.0
    waiting: int = 0
    since: float = 0.0

    def step(self, step: int) -> float:
        """Seconds up to now; a request begins (1) or ceases (-1) to wait."""
        now = time.monotonic()
        if self.waiting:
            self.waited += now - self.since
        self.waiting += step
        self.since = now
        return self.waited


class _TimedTurn:
    """A turn of a request, and the time until it comes."""

    def __init__(self, turn: RequestSlot, clock: _Clock) -> None:
        self._turn = turn
        self._clock = clock
        self._waits = False

    def announce(self) -> None:
        self._turn.announce()
        self.wait(True)

    async def __aenter__(self) -> None:
        self.wait(True)
        await self._turn.__aenter__()
        self.wait(False)

    async def __aexit__(self, *error: Any) -> None:
        await self._turn.__aexit__(*error)

    def wait(self, waits: bool) -> None:
        if waits != self._waits:
            self._waits = waits
            self._clock.step(1 if waits else -1)


@dataclass
class _Account:
    """Usage, and the first failure. Changed on the loop of the model alone."""

    usage: Usage = Usage()
    own: OwnCalls = OwnCalls()
    seconds: float | None = None
    flaws: Counter[str] = field(default_factory=Counter)
    error: ModelError | None = None
    clock: _Clock = field(default_factory=_Clock)
    place: Place | None = None


class MeteredModel:
    """A model for one strategy in one ``trial``, which counts what it is asked.

    Requests from threads of their own are forwarded to the loop on which the model lives,
    within one limit. Usage is booked on that loop.
    """

    def __init__(
        self,
        model: Model,
        loop: asyncio.AbstractEventLoop,
        turn: RequestSlot,
        trial: int = 1,
        account: _Account | None = None,
    ) -> None:
        self.trial = trial
        self._model = model
        self._loop = loop
        self._turn = turn
        self._account = account or _Account()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def usage(self) -> Usage:
        return self._account.usage

    @property
    def seconds(self) -> float | None:
        """How long replies of endpoints took; ``None`` if none came from one."""
        return self._account.seconds

    @property
    def flaws(self) -> Counter[str]:
        """How many summaries were refused, cut, empty or misformed."""
        return Counter(self._account.flaws)

    @property
    def own(self) -> OwnCalls:
        return self._account.own

    @property
    def error(self) -> ModelError | None:
        """The first failure; a call that was not made (:class:`NotAskedError`) takes precedence."""
        return self._account.error

    @property
    def unasked(self) -> NotAskedError | None:
        """The failure of a call that was not made, if there was one."""
        error = self._account.error
        return error if isinstance(error, NotAskedError) else None

    def compacts_at(self, place: Place) -> None:
        """What is asked from now on is asked at this place, until the next one is named."""
        self._account.place = place

    @property
    def place(self) -> Place | None:
        """Where the model is asked; ``None`` if nobody said."""
        return self._account.place

    def waited(self) -> float:
        """Seconds in which a request waited for others before it was sent. For its loop."""
        return self._account.clock.step(0)

    def at_trial(self, trial: int) -> MeteredModel:
        return MeteredModel(self._model, self._loop, self._turn, trial, self._account)

    def apart(self) -> MeteredModel:
        """The model on a meter that begins at nothing; what waits there counts here too."""
        other = copy.copy(self)
        other._account = _Account(clock=self._account.clock)
        return other

    @cached_property
    def _asked(self) -> Model:
        """The model of the trial; one for all calls, because it may keep state."""
        return self._model.at_trial(self.trial)

    def refuses(self, parameters: Parameters) -> str | None:
        """``None``: request parameters go with answers, and the responder is asked about them."""
        return None

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        return await self._forward(lambda model: model.summarize(request))

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        return await self._forward(lambda model: model.answer(request))

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        return await self._forward(lambda model: model.judge(request))

    async def compact(self, request: CompactRequest) -> CompactReply:
        return await self._forward(lambda model: model.compact(request))

    async def embed(self, request: EmbedRequest) -> EmbedReply:
        return await self._forward(lambda model: embedded(model, request))

    async def carried(self, call: Callable[[], Coroutine[Any, Any, tuple[_T, OwnCalls]]]) -> _T:
        """Make and book a call of the strategy's own client. For the loop of the model."""
        account = self._account
        try:
            reply, used = await self._in_turn(call)
        except ModelError as error:
            if isinstance(error, NotAskedError):
                account.error = error
            raise
        account.usage += used.usage
        account.own += used
        return reply

    async def _forward(self, call: Callable[[Model], Coroutine[Any, Any, _T]]) -> _T:
        work = self._booked(call)
        if asyncio.get_running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(_begun_on(self._loop, work))

    async def _booked(self, call: Callable[[Model], Coroutine[Any, Any, _T]]) -> _T:
        account = self._account
        try:
            reply = await self._in_turn(lambda: call(self._asked))
        except ModelError as error:
            account.usage = sum(error.spent.values(), account.usage)
            account.flaws.update([error.flaw] if isinstance(error, NoReplyError) else [])
            if account.error is None or isinstance(error, NotAskedError):
                account.error = error
            raise
        account.usage += getattr(reply, "usage", Usage())
        account.flaws.update(getattr(reply, "flaws", ()))
        latency = getattr(reply, "latency_s", None)
        if latency is not None:
            account.seconds = (account.seconds or 0.0) + latency
        return reply

    async def _in_turn(self, call: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        turn = _TimedTurn(self._turn, self._account.clock)
        try:
            with requests_in(turn), asked_at(self._account.place):
                return await call()
        finally:
            turn.wait(False)


def _begun_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, _T]) -> Future[_T]:
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()  # Python warns of a coroutine that never ran
        raise


class SharedLoop:
    """An event loop in a daemon thread, on which coroutines of several threads run at once.

    The async functions of modules get one for the whole run: their HTTP client or semaphore is a
    global, and the second case would find it bound to the loop of the first.
    """

    def __init__(self, name: str = "compaction-function") -> None:
        self._name = name
        self._lock = threading.Lock()
        self._running: list[asyncio.AbstractEventLoop] = []
        self._current: asyncio.AbstractEventLoop | None = None

    def of(self, compactor: object) -> SharedLoop | None:
        """This loop, if the strategy or a part of it is such a function; else ``None``."""
        has_function = any(
            isinstance(part, FunctionCompactor) and part.module_coroutine is not None
            for part in parts_of(compactor)
        )
        return self if has_function else None

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


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Await ``work`` on a loop of another thread and block this thread until it ends."""

    async def ended() -> tuple[Any, BaseException | None]:
        try:
            return await work, None
        except BaseException as error:  # SystemExit would end the loop, and all else on it
            return None, error

    try:
        waiting = _begun_on(loop, ended())
    except RuntimeError:  # the loop was closed since it was chosen
        work.close()
        raise
    value, error = waiting.result()
    if error is not None:
        raise error
    return value


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, also if a task of a strategy wants the process to end."""
    try:
        while True:
            with contextlib.suppress(SystemExit, KeyboardInterrupt):
                loop.run_forever()
                break
        loop.run_until_complete(cancel_all())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def has_ended(work: asyncio.Future[Any], seconds: float, waited: Callable[[], float]) -> bool:
    """Wait until the work is done, or has had its time: ``waited`` tells what does not count."""
    loop = asyncio.get_running_loop()
    end, left = loop.time() + seconds - waited(), seconds
    while left > 0 and not work.done():
        await asyncio.wait([work], timeout=left)
        left = end + waited() - loop.time()
    return work.done()


async def cancel_all() -> None:
    """Cancel every other task of the loop that runs, and wait for their ends."""
    under_way = asyncio.all_tasks() - {asyncio.current_task()}
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)


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
        self.tasks: dict[Hashable, asyncio.Task[Any]] = {}

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """The result for a key; made now if nobody has asked for it."""
        return await asyncio.shield(self.begin(key, make))

    def begin(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, _T]]) -> asyncio.Task[_T]:
        """Start work for a key without waiting; its error is raised where :meth:`once` asks."""
        task: asyncio.Task[_T] | None = self.tasks.get(key)
        if task is None:
            task = self.tasks[key] = asyncio.ensure_future(make())
            task.add_done_callback(_mark_error_as_seen)
        return task

    def drop(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        self.tasks.clear()


def _mark_error_as_seen(task: asyncio.Task[Any]) -> None:
    """Keep asyncio from logging an error that no item has asked for yet, or ever will."""
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()


class WorkLoop(OnceTasks):
    """Makes each piece of work once, under a key, and shares it with all who ask for it."""

    def __init__(
        self, most: int, caller: Caller | None = None, is_stopped: Callable[[], bool] = bool
    ) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._is_told = is_stopped
        self.limit = RequestLimit(most, self._sees_stop)
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._closed_too: list[_Closing] = [] if caller is None else [caller]
        self._ending = threading.Lock()
        self.function_loop = SharedLoop()

    def metered(self, model: Model, turn: Turn, trial: int = 1) -> MeteredModel:
        """The model of a trial, metered, on this loop, each request in a ``turn`` of the limit."""
        self._start()
        return MeteredModel(model, self._loop, turn, trial)

    def wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the loop and block until it ends."""
        self._start()
        try:
            return asyncio.run_coroutine_threadsafe(self._unless_stopped(work), self._loop).result()
        except CancelledError:
            if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
                work.close()  # cancelled before its first step; Python warns of such a coroutine
            if self._stopped:
                raise RunStoppedError from None
            raise

    async def _unless_stopped(self, work: Coroutine[Any, Any, _T]) -> _T:
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
        """Cancel what is under way, keep replies that came, and begin nothing more."""
        self._stopped = True
        with self._ending:  # two at a time would cancel each other
            self.limit.stop()
            self._do(cancel_all())

    def close(self) -> None:
        """:meth:`stop`, and end the loop. May be called again."""
        self.stop()
        with self._ending:
            try:
                while self._closed_too:
                    self._do(self._closed_too.pop().close())
            finally:
                if self._thread is not None:
                    self._loop.call_soon_threadsafe(self._loop.stop)
                    self._thread.join()
                    self._thread = None
                self.function_loop.close()
                if not self._loop.is_closed():
                    # What a strategy asked for while its request was cancelled.
                    self._loop.run_until_complete(cancel_all())
                    self._loop.close()

    def close_too(self, what: _Closing) -> None:
        """Close this with the loop, on it, before what is closed already."""
        self._closed_too.append(what)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        if self._thread is None:
            work.close()  # Python warns of a coroutine that never ran
        else:
            asyncio.run_coroutine_threadsafe(work, self._loop).result()
