"""A model that counts what is asked of it, and asks on one event loop within one limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from pytest_compaction.models.calls.in_flight import RequestSlot, requests_in
from pytest_compaction.models.parameters import Parameters
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    ModelError,
    NotAskedError,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.usage import OwnCalls, Usage


class _Reply(Protocol):
    @property
    def usage(self) -> Usage: ...


R = TypeVar("R", bound=_Reply)
T = TypeVar("T")


@dataclass
class _Clock:
    """How long requests waited. Changed on the loop of the model alone."""

    waited: float = 0.0
    """Seconds in which a request waited to be sent, up to the last such time."""
    _waiting: int = 0
    _since: float = 0.0

    def wait(self, step: int) -> None:
        """A request begins (1) or ceases (-1) to wait."""
        now = time.monotonic()
        if self._waiting:
            self.waited += now - self._since
        self._waiting += step
        self._since = now


class _TimedTurn:
    """A turn of a request, and the time until it comes: what the loop does for others counts too.

    A request may be sent more than once, one time after the other.
    """

    def __init__(self, turn: RequestSlot, clock: _Clock) -> None:
        self._turn = turn
        self._clock = clock
        self._waits = False

    def announce(self) -> None:
        self._turn.announce()
        self._wait(True)

    def end(self) -> None:
        """The request is over, whether it was sent or not."""
        self._wait(False)

    async def __aenter__(self) -> None:
        self._wait(True)
        await self._turn.__aenter__()
        self._wait(False)

    async def __aexit__(self, *error: Any) -> None:
        await self._turn.__aexit__(*error)

    def _wait(self, waits: bool) -> None:
        if waits != self._waits:
            self._waits = waits
            self._clock.wait(1 if waits else -1)


@dataclass
class _Account:
    """What was used, and the first failure. Changed on the loop of the model alone."""

    usage: Usage = Usage()
    own: OwnCalls = OwnCalls()
    seconds: float | None = None
    error: ModelError | None = None
    clock: _Clock = field(default_factory=_Clock)


class MeteredModel:
    """Wraps a model for one strategy at work.

    Strategies run in threads of their own; their requests are forwarded to the loop
    on which the model lives, within one limit. What they use is booked on
    that loop, so that a coroutine there never reads a figure that is half booked.
    """

    def __init__(
        self,
        model: Model,
        loop: asyncio.AbstractEventLoop,
        turn: RequestSlot,
        account: _Account | None = None,
        trial: int = 1,
    ) -> None:
        self.trial = trial
        self._model = model
        self._loop = loop
        self._turn = turn
        self._account = account or _Account()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def usage(self) -> Usage:
        """What was used so far, over all trials."""
        return self._account.usage

    @property
    def seconds(self) -> float | None:
        """How long replies of endpoints took so far; ``None`` if none came from one."""
        return self._account.seconds

    @property
    def own(self) -> OwnCalls:
        """The part of the usage that the strategy's own client asked for."""
        return self._account.own

    @property
    def error(self) -> ModelError | None:
        """The first failure; a call that was not made (:class:`NotAskedError`) takes precedence."""
        return self._account.error

    def waited(self) -> float:
        """Seconds in which a request waited for others before it was sent. For its loop."""
        self._account.clock.wait(0)
        return self._account.clock.waited

    @property
    def unasked(self) -> NotAskedError | None:
        """The failure of a call that was not made, if there was one."""
        error = self._account.error
        return error if isinstance(error, NotAskedError) else None

    def at_trial(self, trial: int) -> MeteredModel:
        """The model of that trial, on the same meter."""
        model = self._model.at_trial(trial)
        return MeteredModel(model, self._loop, self._turn, self._account, trial)

    def apart(self) -> MeteredModel:
        """The same model on a meter that begins at nothing; what waits there counts here too."""
        account = _Account(clock=self._account.clock)
        return MeteredModel(self._model, self._loop, self._turn, account, self.trial)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Forward the request and count its usage."""
        return await self._forward(partial(self._model.summarize, request))

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """Forward the request and count its usage."""
        return await self._forward(partial(self._model.answer, request))

    def refuses(self, parameters: Parameters) -> str | None:
        """``None``: request parameters go with answers, and the responder is asked about them."""
        return None

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """Forward the request and count its usage."""
        return await self._forward(partial(self._model.judge, request))

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Forward the request and count its usage."""
        return await self._forward(partial(self._model.compact, request))

    async def carried(self, call: Callable[[], Coroutine[Any, Any, tuple[T, OwnCalls]]]) -> T:
        """Make a call of the strategy's own client, in turn and booked. For the loop of the model.

        Its result is the first of what ``call`` returns, its cost the second.
        """
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

    async def _forward(self, call: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Make a call on the loop of the model. Raises ``RuntimeError`` once that is closed."""
        work = self._booked(call)
        try:
            waiting = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()  # Python warns of a coroutine that never ran
            raise
        return await asyncio.wrap_future(waiting)

    async def _booked(self, call: Callable[[], Coroutine[Any, Any, R]]) -> R:
        account = self._account
        try:
            reply = await self._in_turn(call)
        except ModelError as error:
            account.usage = sum(error.spent.values(), account.usage)
            if account.error is None or isinstance(error, NotAskedError):
                account.error = error
            raise
        account.usage += reply.usage
        latency = getattr(reply, "latency_s", None)
        if latency is not None:
            account.seconds = (account.seconds or 0.0) + latency
        return reply

    async def _in_turn(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        turn = _TimedTurn(self._turn, self._account.clock)
        try:
            with requests_in(turn):
                return await call()
        finally:
            turn.end()
