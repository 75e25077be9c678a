"""Heights and turning points of the tide."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from datetime import date

from tidebook.errors import TideError
from tidebook.station import Station

EPOCH = date(2030, 1, 1)
DEFAULT_STEP = 5
MINUTES = 24 * 60


@dataclass(frozen=True)
class Turn:
    """High or low water: minute of the local day, height in metres."""

    kind: str
    minute: int
    height: float

    @property
    def clock(self) -> str:
        """The minute as a clock shows it."""
        return f"{self.minute // 60:02d}:{self.minute % 60:02d}"


def step_from_environment() -> int:
    """The step of the search in minutes: ``TIDEBOOK_STEP`` or 5."""
    text = os.environ.get("TIDEBOOK_STEP", "")
    if not text:
        return DEFAULT_STEP
    if not text.isdigit() or not 1 <= int(text) <= 30:
        raise TideError("T231", f"TIDEBOOK_STEP: {text} is not between 1 and 30 minutes")
    return int(text)


def height(station: Station, day: date, minute: int) -> float:
    """Metres above chart datum at a minute of the local day."""
    hours = (day - EPOCH).days * 24 + (minute - station.zone_minutes) / 60
    total = station.datum
    for each in station.constituents:
        total += each.amplitude * math.cos(math.radians(each.speed * hours - each.phase))
    return total


def curve(station: Station, day: date, step: int) -> list[tuple[int, float]]:
    """Minutes and heights from one step before midnight to one step after the next."""
    return [
        (minute, height(station, day, minute)) for minute in range(-step, MINUTES + step + 1, step)
    ]


def refine(station: Station, day: date, left: int, right: int, sign: int) -> int:
    """The minute between ``left`` and ``right`` where ``sign`` times the height is greatest."""
    return max(range(left, right + 1), key=lambda minute: sign * height(station, day, minute))


def turns(station: Station, day: date, step: int | None = None) -> list[Turn]:
    """High and low waters of a day in order."""
    step = step or step_from_environment()
    points = curve(station, day, step)
    found: list[Turn] = []
    for (left, a), (_, b), (right, c) in zip(points, points[1:], points[2:]):
        if b >= a and b > c:
            kind, sign = "high", 1
        elif b <= a and b < c:
            kind, sign = "low", -1
        else:
            continue
        minute = refine(station, day, left, right, sign)
        if 0 <= minute < MINUTES:
            found.append(Turn(kind, minute, round(height(station, day, minute), 2)))
    return found


def day_from_text(text: str) -> date:
    """A day such as 2031-04-02."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise TideError("T230", f"{text} is no day") from None
