"""Whose turn it is: a request waits for it right before it is sent, and not earlier.

To prepare a request, to look for it in the store and to read its reply takes time in which the
endpoint has nothing to do. If a request held a place among those in flight all that time, fewer
would fly than may.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol


class RequestTurn(AbstractAsyncContextManager[None], Protocol):
    """The place of somebody's requests in the order of all; ``async with`` it while one flies."""

    def announce(self) -> None:
        """Tell that a request is about to be prepared; may be called again."""
        ...


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


def turn_of_context() -> AbstractAsyncContextManager[None]:
    """The turn of requests that are made in this context; without one they may fly at once."""
    return _TURN.get() or nullcontext()
