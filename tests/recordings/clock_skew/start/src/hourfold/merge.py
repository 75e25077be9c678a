"""From the raw readings of a station to one series on the UTC line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise

from hourfold.config import Config, Station
from hourfold.loaders import load_around
from hourfold.readings import Reading, Series
from hourfold.timeutil import ZoneTable, to_utc


def series_of(config: Config, station: Station, day: date, zones: ZoneTable) -> Series:
    """The series that a UTC day of a station is folded from."""
    raw = Series(station.name, load_around(config, station, day))
    moved = Series(station.name, on_utc(raw, station, zones))
    step = timedelta(minutes=config.settings.step_minutes)
    most = timedelta(minutes=config.settings.max_gap_minutes)
    return Series(station.name, bridge(moved, step, most))


def on_utc(readings: Iterable[Reading], station: Station, zones: ZoneTable) -> Iterator[Reading]:
    """Readings of a local clock moved to UTC; others as they are."""
    for reading in readings:
        if station.clock == "local":
            yield reading.at(to_utc(reading.time, station.zone, zones))
        else:
            yield reading


def bridge(readings: Iterable[Reading], step: timedelta, most: timedelta) -> Iterator[Reading]:
    """The readings with gaps up to ``most`` filled by linear interpolation.

    Each sensor is bridged on its own. A gap is the time between two neighbours.
    """
    sensors: dict[str, list[Reading]] = {}
    for reading in readings:
        sensors.setdefault(reading.sensor, []).append(reading)
    for own in sensors.values():
        yield from own
        for left, right in pairwise(own):
            gap = right.time - left.time
            if step < gap <= most:
                yield from _between(left, right, step)


def _between(left: Reading, right: Reading, step: timedelta) -> Iterator[Reading]:
    gap = right.time - left.time
    count = round(gap / step) - 1
    for number in range(1, count + 1):
        share = number / (count + 1)
        yield Reading(
            time=left.time + number * step,
            level_cm=left.level_cm + share * (right.level_cm - left.level_cm),
            sensor=left.sensor,
            bridged=True,
        )
