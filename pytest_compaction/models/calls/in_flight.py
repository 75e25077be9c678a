"""Slots: a request holds one of those for requests in flight only while it is sent.

To prepare a request, to look for it in the store and to read its reply takes time in which the
endpoint has nothing to do. If a request held its slot all that time, fewer would be in flight than
may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol


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
