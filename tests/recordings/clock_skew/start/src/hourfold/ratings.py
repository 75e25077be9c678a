"""Rating curves: from level (cm) to flow (m3/s)."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from hourfold.errors import RatingError


@dataclass(frozen=True)
class Curve:
    """Points of a curve, ascending; straight between the points."""

    levels: tuple[float, ...]
    flows: tuple[float, ...]

    def flow(self, level: float) -> float:
        """The flow of a level. Below the first point nothing flows."""
        if level <= self.levels[0]:
            return 0.0
        if level > self.levels[-1]:
            raise RatingError(f"level {level} cm is above the curve ({self.levels[-1]} cm)")
        index = bisect_right(self.levels, level) - 1
        if index == len(self.levels) - 1:
            return self.flows[-1]
        share = (level - self.levels[index]) / (self.levels[index + 1] - self.levels[index])
        return self.flows[index] + share * (self.flows[index + 1] - self.flows[index])


class Ratings:
    """The curves of all stations with the days from which on they are valid."""

    def __init__(self, rows: Iterable[tuple[str, date, float, float]]) -> None:
        points: dict[str, dict[date, list[tuple[float, float]]]] = {}
        for station, valid_from, level, flow in rows:
            points.setdefault(station, {}).setdefault(valid_from, []).append((level, flow))
        self._starts = {station: sorted(curves) for station, curves in points.items()}
        self._curves: dict[tuple[str, date], Curve] = {}
        for station, curves in points.items():
            for valid_from, pairs in curves.items():
                levels, flows = zip(*sorted(pairs), strict=True)
                self._curves[station, valid_from] = Curve(levels, flows)

    @classmethod
    def load(cls, path: Path) -> Ratings:
        """Read ``data/ratings.csv``."""
        with path.open(encoding="utf-8", newline="") as file:
            return cls(
                (
                    row["station"],
                    date.fromisoformat(row["valid_from"]),
                    float(row["level_cm"]),
                    float(row["flow"]),
                )
                for row in csv.DictReader(file)
            )

    def curve(self, station: str, moment: datetime) -> Curve:
        """The curve that is valid for a station at a moment."""
        starts = self._starts.get(station)
        if not starts:
            raise RatingError(f"no curve for {station}")
        index = bisect_right(starts, moment.date()) - 1
        if index < 0:
            raise RatingError(f"no curve for {station} on {moment:%Y-%m-%d}")
        return self._curves[station, starts[index]]

    def flow(self, station: str, moment: datetime, level: float) -> float:
        """The flow of a level at a station and moment."""
        return self.curve(station, moment).flow(level)
