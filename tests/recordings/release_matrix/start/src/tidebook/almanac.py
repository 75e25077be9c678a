"""Day sheets: what hangs on the wall of a harbour office."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from tidebook.predict import Turn, turns
from tidebook.spool import Spool
from tidebook.station import Station

WIDTH = 40


def row(turn: Turn) -> str:
    """One line of a sheet."""
    arrow = "^" if turn.kind == "high" else "v"
    return f"  {turn.clock}  {arrow} {turn.kind:<5}{turn.height:6.2f} m"


def title(station: Station, day: date) -> str:
    """The first line: name on the left, day on the right."""
    return f"{station.name:<{WIDTH - 10}}{day.isoformat()}"


def sheet(station: Station, day: date, step: int | None = None) -> str:
    """The sheet of a station for a day."""
    lines = [title(station, day), station.region, "-" * WIDTH]
    found = turns(station, day, step)
    lines.extend(row(turn) for turn in found)
    if found:
        heights = [turn.height for turn in found]
        lines.append("-" * WIDTH)
        lines.append(f"  range {max(heights) - min(heights):.2f} m")
    return "\n".join(lines) + "\n"


def render_sheets(stations: Iterable[Station], day: date, spool: Spool) -> list[Path]:
    """Write the sheets of several stations. Returns where they are."""
    return [
        spool.write(f"{station.slug}-{day.isoformat()}", sheet(station, day))
        for station in stations
    ]
