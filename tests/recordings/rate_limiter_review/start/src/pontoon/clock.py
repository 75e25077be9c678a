"""Where time comes from. Nothing else in the package asks the ``time`` module."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from typing import Protocol


class Clock(Protocol):
    """Two kinds of time: the wall clock, which people set, and one that only runs forward."""

    def wall(self) -> float:
        """Seconds since 1970. The harbour's time server may set it back."""
        ...

    def millis(self) -> int:
        """Whole milliseconds since some moment. Never goes back."""
        ...


class SystemClock:
    """The clock of the machine."""

    def wall(self) -> float:
        return time.time()

    def millis(self) -> int:
        return time.monotonic_ns() // 1_000_000


class SteppedClock:
    """A clock for tests and replays that moves only when told to."""

    def __init__(self, wall: float = 1_750_000_000.0) -> None:
        self._wall = wall
        self._millis = 0

    def wall(self) -> float:
        return self._wall

    def millis(self) -> int:
        return self._millis

    def advance(self, seconds: float) -> None:
        """Time passes, for both kinds."""
        if seconds < 0:
            raise ValueError("time does not run backwards; use set_wall")
        self._wall += seconds
        self._millis += round(seconds * 1000)

    def set_wall(self, wall: float) -> None:
        """Somebody sets the wall clock; the other kind does not notice."""
        self._wall = wall


def today(clock: Clock) -> date:
    """The day on the wall clock, in UTC."""
    return datetime.fromtimestamp(clock.wall(), UTC).date()
