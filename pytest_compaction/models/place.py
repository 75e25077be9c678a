"""Where a request is made: the place in a run, by which recorded words are found, and the slot.

A request holds one of the slots for requests in flight only while it is sent. To prepare it, to
look for it in the store and to read its reply takes time in which the endpoint has nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class Place:
    """A compaction of a case by a strategy. ``strategy`` is its canonical text.

    ``point`` is the id of a compaction point, or of the message after which a trigger fired;
    ``budget`` is the tokens that the view may take.
    """

    case: str
    strategy: str
    trial: int
    trigger: str
    point: str = ""
    budget: int = 0


_PLACE: Final[ContextVar[Place | None]] = ContextVar("place", default=None)


@contextmanager
def asked_at(place: Place | None) -> Iterator[None]:
    """Have each request that is made in this context asked at this place."""
    before = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(before)


def current_place() -> Place | None:
    """Where a request that is made in this context is asked; ``None`` outside a compaction."""
    return _PLACE.get()


class RequestSlot(AbstractAsyncContextManager[None], Protocol):
    """A slot for requests of somebody; ``async with`` it while one is in flight."""

    def announce(self) -> None:
        """Tell that a request is about to be prepared; may be called again."""
        ...


_SLOT: Final[ContextVar[RequestSlot | None]] = ContextVar("slot", default=None)


@contextmanager
def requests_in(slot: RequestSlot) -> Iterator[None]:
    """Have each request that is made in this context sent in this slot."""
    slot.announce()
    before = _SLOT.set(slot)
    try:
        yield
    finally:
        _SLOT.reset(before)


def current_slot() -> AbstractAsyncContextManager[None]:
    """The slot of requests that are made in this context; without one they are sent at once."""
    return _SLOT.get() or nullcontext()
