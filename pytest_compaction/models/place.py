"""The place in a run at which a model is asked to compact, by which recorded words are found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


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
