"""Daily volumes and the balance of inflow and outflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from hourfold.average import Hour
from hourfold.errors import BalanceError, ShortDayError

SECONDS = 3600


@dataclass(frozen=True)
class Day:
    """The volume of a day (m3) and of how many hours it is the sum."""

    station: str
    day: date
    volume: float
    hours: int

    @property
    def complete(self) -> bool:
        """Whether no hour is missing."""
        return self.hours == 24

    def require_complete(self) -> None:
        """Raise for a short day."""
        if not self.complete:
            raise ShortDayError(f"short day: {self.station} {self.day} has {self.hours} of 24 hours")


@dataclass(frozen=True)
class Balance:
    """Inflow against outflow of a day (m3)."""

    day: date
    inflow: float
    outflow: float

    @property
    def percent(self) -> float:
        """The difference in percent of the inflow; negative when water is missing."""
        if not self.inflow:
            return 0.0
        return (self.outflow - self.inflow) / self.inflow * 100

    def require_within(self, limit: float) -> None:
        """Raise for a difference beyond the limit."""
        if abs(self.percent) > limit:
            raise BalanceError(
                f"balance: {self.day} differs by {self.percent:+.2f} percent, limit is {limit}"
            )


def day_of(station: str, day: date, hours: Sequence[Hour]) -> Day:
    """The volume of a day from its hours; missing hours count nothing."""
    known = [hour.flow for hour in hours if hour.flow is not None]
    return Day(station, day, round(sum(known) * SECONDS, 1), len(known))


def balance_of(day: date, inflow: Sequence[Day], outflow: Sequence[Day]) -> Balance:
    """The balance of a day."""
    return Balance(
        day, sum(each.volume for each in inflow), sum(each.volume for each in outflow)
    )
