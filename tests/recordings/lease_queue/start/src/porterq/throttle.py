"""Letting things through at most once per interval."""

from __future__ import annotations

from porterq.clock import Clock


class TickGate:
    """Lets one tick through per key and interval; the first tick of a key passes."""

    def __init__(self, clock: Clock, interval: float) -> None:
        self._clock = clock
        self._interval = interval
        self._last: dict[str, float] = {}

    def ready(self, key: str) -> bool:
        """Whether the interval of this key is over; a yes starts the next one."""
        now = self._clock.now()
        last = self._last.get(key)
        if last is not None and now - last < self._interval:
            return False
        self._last[key] = now
        return True

    def forget(self, key: str) -> None:
        """The next tick of this key passes."""
        self._last.pop(key, None)
