"""Slices of a series: which readings belong to an hour."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from datetime import date, datetime

from hourfold.readings import Reading, Series
from hourfold.timeutil import HOUR, hours_of


def window(series: Series, start: datetime, end: datetime) -> list[Reading]:
    """The readings of a span of time."""
    low = bisect_left(series.times, start)
    high = bisect_left(series.times, end)
    return series.readings[low:high]


def hourly_windows(series: Series, day: date) -> Iterator[tuple[datetime, list[Reading]]]:
    """Each hour of a UTC day with its readings."""
    for start in hours_of(day):
        yield start, window(series, start, start + HOUR)


def longest_silence(series: Series, day: date) -> int:
    """Minutes of the longest time without a reading that ends within a UTC day."""
    hours = list(hours_of(day))
    longest = 0
    for before, after in zip(series.times, series.times[1:], strict=False):
        if hours[0] <= after < hours[-1] + HOUR:
            longest = max(longest, int((after - before).total_seconds() // 60))
    return longest
