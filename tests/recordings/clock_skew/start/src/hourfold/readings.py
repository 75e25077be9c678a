"""A reading and an ordered series of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """A level at a time. ``bridged`` readings were interpolated over a gap."""

    time: datetime
    level_cm: float
    sensor: str = "a"
    bridged: bool = False

    def at(self, time: datetime) -> Reading:
        """The same reading at another time."""
        return replace(self, time=time)


class Series:
    """The readings of one station, in order of time."""

    def __init__(self, station: str, readings: Iterable[Reading]) -> None:
        self.station = station
        self.readings = sorted(readings, key=lambda reading: (reading.time, reading.sensor))
        self.times = [reading.time for reading in self.readings]

    def __len__(self) -> int:
        return len(self.readings)

    def __iter__(self) -> Iterator[Reading]:
        return iter(self.readings)

    def bridged_count(self) -> int:
        """How many readings were interpolated."""
        return sum(reading.bridged for reading in self.readings)
