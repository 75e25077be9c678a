"""The limit of requests in flight: who waits is served in the order of the items."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from types import TracebackType
from typing import Final

from pytest_compaction.models.calls.turns import Place, in_place
from pytest_compaction.run.loops.slots import Slots

NEXT: Final = 4
"""Requests that may be next to fly. With none, a slot is empty while a reply goes to the run and a
request comes from it; 2, 4 and 8 did equally well, measured."""


@dataclass(frozen=True, slots=True, order=True)
class _Waiting:
    rank: int
    order: int
    place: asyncio.Future[Place] = field(compare=False)
    may_be_next: bool = field(compare=False)


class RequestLimit:
    """Lets as many requests fly as there are slots. For coroutines of one event loop.

    Whoever waits with the lowest rank is served first, and those of one rank in the order in
    which they came. A request of the first item so never waits for one of the last. Of those that
    wait where requests are sent, up to :data:`NEXT` are given a place before there is a slot.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._order = count()
        self._waiting: list[_Waiting] = []
        self._next: deque[Place] = deque()
        self._room: asyncio.Future[None] | None = None
        self._stopped = False

    def at(self, rank: int, asked: asyncio.Event | None = None) -> Turn:
        """The limit for the requests of a rank; ``asked`` is set once one of them is wanted."""
        return Turn(self, rank, asked)

    async def acquire(self, rank: int, may_be_next: bool = False) -> Place:
        """Wait for a slot and take it; or, if that will do, be one of those that are next."""
        if self._stopped:
            raise asyncio.CancelledError
        if not self._waiting and not self._next and self._slots.take():
            return Place()
        place: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, _Waiting(rank, next(self._order), place, may_be_next))
        self._choose_next()
        self._slots.watch(self._changed)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.release(place.result())
            raise

    def release(self, place: Place | None = None) -> None:
        """Let another request have the slot: one of this process while it holds its share.

        After :meth:`stop` the slot is kept: another process that has not heard of the stop yet
        would ask for something in the place of a cancelled request.
        """
        if place is not None and not place.is_held:
            place.leave_line()
        elif not self._stopped and not (place is not None and place.is_passed):
            self._pass_on()
        if not self._stopped:
            self._choose_next()
            self._tell_room()

    def _pass_on(self) -> None:
        if self._next:
            self._next[0].hold()
            return
        if self._slots.held <= self._slots.share:
            first = self._first()
            if first is not None:
                first.place.set_result(Place())
                return
        self._slots.give()

    def _choose_next(self) -> None:
        """Give places to the first who wait, as long as all slots of the share are held."""
        self._drop_cancelled()
        while (
            self._waiting
            and self._waiting[0].may_be_next
            and len(self._next) < NEXT
            and 0 < self._slots.held <= self._slots.share
        ):
            heapq.heappop(self._waiting).place.set_result(Place(self._next))

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
        """Whether a further request would fly at once, or soon.

        Soon means that less than its share waits in this process: what is prepared now takes a
        while until it asks.
        """
        self._drop_cancelled()
        wanted = self._slots.held + len(self._next) + len(self._waiting)
        is_clear = not self._waiting and not self._next
        return wanted < 2 * self._slots.share or (is_clear and self._slots.are_left)

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
        if (self._next or self._waiting) and self._slots.take():
            if self._next:
                self._next[0].hold()
            else:
                heapq.heappop(self._waiting).place.set_result(Place())
            self._choose_next()
        self._tell_room()
        if not self._next and not self._waiting and self._room is None:
            self._slots.unwatch()

    def _tell_room(self) -> None:
        if self._room is not None and self.has_room:
            self._room.set_result(None)
            self._room = None

    def _first(self) -> _Waiting | None:
        self._drop_cancelled()
        return heapq.heappop(self._waiting) if self._waiting else None

    def _drop_cancelled(self) -> None:
        while self._waiting and self._waiting[0].place.done():
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

    @asynccontextmanager
    async def or_next(self) -> AsyncIterator[None]:
        """Hold a slot, or be next to get one."""
        place = await self._limit.acquire(self._rank, may_be_next=True)
        try:
            with in_place(place):
                yield
        finally:
            self._limit.release(place)

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
