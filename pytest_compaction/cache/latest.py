"""What was made last, for callers that ask for the same several times in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Makes a value of a thing, and has it as long as an equal thing comes again.

    Views of the same messages are compared faster than hashed. Things must not change. Threads
    may share it.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        self._make = make
        self._last: tuple[K, V] | None = None

    def of(self, thing: K) -> V:
        """The value of a thing."""
        last = self._last
        if last is None or last[0] != thing:
            last = self._last = thing, self._make(thing)
        return last[1]
