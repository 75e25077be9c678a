"""The limit of requests in flight: who waits is served in the order of the items."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from types import TracebackType


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
