"""Whose turn it is: a request waits for it right before it is sent, and not earlier.

To prepare a request, to look for it in the store and to read its reply takes time in which the
endpoint has nothing to do. If a request held a place among those in flight all that time, fewer
would fly than may.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol


class Place:
    """The place of one request: among those in flight, or in the ``line`` of those that are next.

    Those in flight hold a slot. For coroutines of one event loop.
    """

    def __init__(self, line: deque[Place] | None = None) -> None:
        self.is_held = line is None
        """Whether the request may fly."""
        self.is_passed = False
        """Whether another place has got the slot of this one."""
        self._line = line
        self._told: list[Callable[[], object]] = []
        if line is not None:
            line.append(self)

    def when_held(self, told: Callable[[], object]) -> None:
        """Call ``told`` when a request that is next may fly."""
        self._told.append(told)

    def hold(self) -> None:
        """Take over a slot."""
        self.leave_line()
        self.is_held = True
        for told in self._told:
            told()

    def pass_to(self, following: Place) -> None:
        """Give the slot to a place that is next, whose request flies already."""
        if self.is_held and not self.is_passed and not following.is_held:
            self.is_passed = True
            following.hold()

    def leave_line(self) -> None:
        """Be next no more."""
        if self._line is not None:
            self._line.remove(self)
            self._line = None


class RequestTurn(AbstractAsyncContextManager[None], Protocol):
    """The place of somebody's requests in the order of all; ``async with`` it while one flies."""

    def announce(self) -> None:
        """Tell that a request is about to be prepared; may be called again."""
        ...

    def or_next(self) -> AbstractAsyncContextManager[None]:
        """The same for who sends a request on before it may fly: :func:`place_of_context` tells.

        So it flies as soon as another one ends, without anybody being asked.
        """
        ...


_PLACE: Final[ContextVar[Place | None]] = ContextVar("place", default=None)
_TURN: Final[ContextVar[RequestTurn | None]] = ContextVar("turn", default=None)


@contextmanager
def in_turn(turn: RequestTurn) -> Iterator[None]:
    """Have all requests that are made in this context sent in a turn."""
    turn.announce()
    before = _TURN.set(turn)
    try:
        yield
    finally:
        _TURN.reset(before)


def turn_of_context(or_next: bool = False) -> AbstractAsyncContextManager[None]:
    """The turn of requests that are made in this context; without one they may fly at once.

    With ``or_next`` it may begin before they may: see :meth:`RequestTurn.or_next`.
    """
    turn = _TURN.get()
    if turn is None:
        return nullcontext()
    return turn.or_next() if or_next else turn


@contextmanager
def in_place(place: Place) -> Iterator[None]:
    """Have the request that is made in this context sent from a place."""
    before = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(before)


def place_of_context() -> Place | None:
    """The place of the request that is made in this context; ``None`` if it has no turn."""
    return _PLACE.get()


def when_in_flight(told: Callable[[], object]) -> None:
    """Call ``told`` when the request that is made in this context may fly, or now."""
    place = place_of_context()
    if place is None or place.is_held:
        told()
    else:
        place.when_held(told)


async def until_in_flight() -> None:
    """Wait until the request that is made in this context may fly."""
    held = asyncio.Event()
    when_in_flight(held.set)
    await held.wait()
