"""Hourly means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from hourfold.config import Config, Station
from hourfold.ratings import Ratings
from hourfold.readings import Reading, Series
from hourfold.windows import hourly_windows


@dataclass(frozen=True)
class Hour:
    """The mean flow of an hour (m3/s). ``flow`` is None for an hour without readings."""

    start: datetime
    flow: float | None
    count: int
    flag: str


def hourly(
    config: Config, station: Station, series: Series, day: date, ratings: Ratings
) -> list[Hour]:
    """The 24 hours of a UTC day."""
    return [
        fold(start, readings, station, ratings, config.settings.decimals)
        for start, readings in hourly_windows(series, day)
    ]


def fold(
    start: datetime,
    readings: Sequence[Reading],
    station: Station,
    ratings: Ratings,
    decimals: int,
) -> Hour:
    """One hour from its readings: levels become flows, then the trapezoidal mean (method M1)."""
    if not readings:
        return Hour(start, None, 0, "")
    flows = [ratings.flow(station.name, each.time, each.level_cm) for each in readings]
    return Hour(start, round(_trapezoid(readings, flows), decimals), len(readings), _flag(readings, station))


def _trapezoid(readings: Sequence[Reading], flows: Sequence[float]) -> float:
    if len(readings) == 1:
        return flows[0]
    area = sum(
        (right.time - left.time).total_seconds() * (first + second) / 2
        for (left, first), (right, second) in pairwise(zip(readings, flows, strict=True))
    )
    return area / (readings[-1].time - readings[0].time).total_seconds()


def _flag(readings: Sequence[Reading], station: Station) -> str:
    flag = ""
    if len(readings) < station.per_hour:
        flag += "p"
    if len(readings) > station.per_hour:
        flag += "o"
    if any(reading.bridged for reading in readings):
        flag += "g"
    return flag
