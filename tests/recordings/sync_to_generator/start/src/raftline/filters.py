"""Drops what the shore does not want."""

from __future__ import annotations

from collections.abc import Callable

from raftline.counters import Counters
from raftline.records import LEVELS, Record


class LevelFilter:
    """Passes records of a level or above."""

    def __init__(
        self,
        level: str,
        counters: Counters,
        on_record: Callable[[Record], None],
        on_end: Callable[[], None],
    ) -> None:
        self.least = LEVELS.index(level)
        self.counters = counters
        self.on_record = on_record
        self.on_end = on_end

    def feed(self, record: Record) -> None:
        """Pass the record on or drop it."""
        if LEVELS.index(record.level) >= self.least:
            self.on_record(record)
        else:
            self.counters.dropped += 1

    def end(self) -> None:
        """No more records in this file."""
        self.on_end()


class DuplicateFilter:
    """Drops a record that repeats the preceding one (time stamps aside)."""

    def __init__(
        self,
        counters: Counters,
        on_record: Callable[[Record], None],
        on_end: Callable[[], None],
    ) -> None:
        self.counters = counters
        self.on_record = on_record
        self.on_end = on_end
        self.last: tuple[str, str, str] | None = None

    def feed(self, record: Record) -> None:
        """Pass the record on or drop it."""
        key = (record.level, record.device, record.message)
        if key == self.last:
            self.counters.dropped += 1
        else:
            self.last = key
            self.on_record(record)

    def end(self) -> None:
        """No more records in this file."""
        self.on_end()
