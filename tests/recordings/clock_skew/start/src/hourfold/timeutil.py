"""Time things: stamps of the loggers, offsets of the zones, hours of a day.

All datetimes in hourfold are naive.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from hourfold.errors import ZoneError

HOUR = timedelta(hours=1)
_STAMPS = ("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%MZ")


def parse_stamp(text: str) -> datetime:
    """A stamp as the loggers write it; the zone is the business of the caller."""
    for form in _STAMPS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise ValueError(f"not a stamp: {text!r}")


def from_epoch(seconds: int) -> datetime:
    """Seconds since 1970 as a naive UTC datetime."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def hours_of(day: date) -> Iterator[datetime]:
    """The beginnings of the 24 hours of a UTC day."""
    start = datetime(day.year, day.month, day.day)
    for number in range(24):
        yield start + number * HOUR


def days_around(day: date) -> Iterator[date]:
    """The day before, the day itself and the day after: a UTC day never needs more files."""
    for number in (-1, 0, 1):
        yield day + timedelta(days=number)


class ZoneTable:
    """Offsets of the zones: from a moment on (UTC), an offset holds."""

    def __init__(self, rows: Iterable[tuple[str, datetime, timedelta]]) -> None:
        self._starts: dict[str, list[datetime]] = {}
        self._offsets: dict[str, list[timedelta]] = {}
        for zone, start, offset in sorted(rows):
            self._starts.setdefault(zone, []).append(start)
            self._offsets.setdefault(zone, []).append(offset)

    @classmethod
    def load(cls, path: Path) -> ZoneTable:
        """Read ``data/zones.csv``."""
        with path.open(encoding="utf-8", newline="") as file:
            return cls(
                (
                    row["zone"],
                    parse_stamp(row["from_utc"]),
                    timedelta(minutes=int(row["offset_minutes"])),
                )
                for row in csv.DictReader(file)
            )

    def offset_at(self, zone: str, moment: datetime) -> timedelta:
        """The offset that holds in a zone at a moment."""
        if zone not in self._starts:
            raise ZoneError(f"no zone {zone!r} in the table")
        index = bisect_right(self._starts[zone], moment) - 1
        if index < 0:
            raise ZoneError(f"zone {zone} has no offset at {moment:%Y-%m-%d %H:%M}")
        return self._offsets[zone][index]


def to_utc(stamp: datetime, zone: str, table: ZoneTable) -> datetime:
    """The UTC moment of a stamp in local time."""
    return stamp - table.offset_at(zone, stamp)


def to_local(moment: datetime, zone: str, table: ZoneTable) -> datetime:
    """The local time of a UTC moment."""
    return moment + table.offset_at(zone, moment)
