"""The limit of requests in flight: who waits is served in the order of the items."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count
from types import TracebackType

from pytest_compaction.run.loops.slots import Slots


class RequestLimit:
    """Lets as many requests fly as there are slots. For coroutines of one event loop.

    Whoever waits with the lowest rank is served first, and those of one rank in the order in
    which they came. A request of the first item so never waits for one of the last.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._room: asyncio.Future[None] | None = None
        self._stopped = False

    def at(self, rank: int, asked: asyncio.Event | None = None) -> Turn:
        """The limit for the requests of a rank; ``asked`` is set once one of them is wanted."""
        return Turn(self, rank, asked)

    async def acquire(self, rank: int) -> None:
        """Wait for a slot and take it."""
        if self._stopped:
            raise asyncio.CancelledError
        if not self._waiting and self._slots.take():
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._order), turn))
        self._slots.watch(self._changed)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Let another request have the slot: one of this process while it holds its share.

        After :meth:`stop` the slot is kept: another process that has not heard of the stop yet
        would ask for something in the place of a cancelled request.
        """
        if self._stopped:
            return
        if self._slots.held <= self._slots.share:
            turn = self._first()
            if turn is not None:
                turn.set_result(None)
                self._tell_room()
                return
        self._slots.give()
        self._tell_room()

    @property
    def share(self) -> int:
        """How many requests of this process fly while other processes want slots too."""
        return self._slots.share

    @property
    def is_idle(self) -> bool:
        """Whether no request of this process flies or waits. Any thread may ask."""
        return not self._slots.held and not self._waiting

    @property
    def has_room(self) -> bool:
        """Whether a further request would fly at once, or this process has not its share."""
        self._drop_cancelled()
        wanted = self._slots.held + len(self._waiting)
        return wanted < self._slots.share or (not self._waiting and self._slots.are_left)

    async def room(self) -> None:
        """Wait until there :attr:`has_room`."""
        while not self.has_room:
            if self._room is None:
                self._room = asyncio.get_running_loop().create_future()
            self._slots.watch(self._changed)
            await asyncio.shield(self._room)

    def stop(self) -> None:
        """Give nobody a slot any more: a strategy may ask for one that was cancelled before."""
        self._stopped = True

    def close(self) -> None:
        """End the watch over the slots. Nobody may wait any more."""
        self._slots.unwatch()
        self._slots.close()

    def _changed(self) -> None:
        """Serve the first who waits, or tell that there is room."""
        self._drop_cancelled()
        if self._waiting and self._slots.take():
            heapq.heappop(self._waiting)[2].set_result(None)
        self._tell_room()
        if not self._waiting and self._room is None:
            self._slots.unwatch()

    def _tell_room(self) -> None:
        if self._room is not None and self.has_room:
            self._room.set_result(None)
            self._room = None

    def _first(self) -> asyncio.Future[None] | None:
        self._drop_cancelled()
        return heapq.heappop(self._waiting)[2] if self._waiting else None

    def _drop_cancelled(self) -> None:
        while self._waiting and self._waiting[0][2].done():
            heapq.heappop(self._waiting)


class Turn:
    """``async with`` it to hold a slot; several coroutines may do so at once.

    A :class:`~pytest_compaction.models.calls.turns.RequestTurn` for requests to models.
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
        """Wait for a slot."""
        await self._limit.acquire(self._rank)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the slot back."""
        self._limit.release()
