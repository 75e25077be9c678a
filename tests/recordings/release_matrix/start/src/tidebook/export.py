"""What is sent to the offices: an index of the sheets and a table of turning points."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import date

from tidebook.errors import TideError
from tidebook.predict import turns
from tidebook.spool import Spool
from tidebook.station import Station

COLUMNS = ("station", "day", "time", "kind", "height")


def index(spool: Spool) -> str:
    """The index that goes on top of a parcel: how many sheets, and which."""
    sheets = spool.sheets()
    if not sheets:
        raise TideError("T260", "there is no sheet to send")
    lines = [f"sheets: {len(sheets)}"]
    lines.extend(f"  {path.stem}" for path in sheets)
    return "\n".join(lines) + "\n"


def table(stations: Iterable[Station], day: date) -> str:
    """The turning points of several stations as CSV."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    for station in stations:
        for turn in turns(station, day):
            values = (station.name, day.isoformat(), turn.clock, turn.kind, f"{turn.height:.2f}")
            writer.writerow(values)
    return target.getvalue()


def parcel(stations: list[Station], day: date, spool: Spool) -> dict[str, str]:
    """Everything that is sent for a day, by file name."""
    content = {"index.txt": index(spool), "turns.csv": table(stations, day)}
    for path in spool.sheets():
        content[path.name] = path.read_text(encoding="utf-8")
    return content
