"""What people and the basin office read: tables, and the files under ``filed``.

The form of a filed file is agreed with the basin office: a first line with a check
sum over all others, then ``hour;flow;count;flag``. A missing hour has an empty flow.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from hourfold.average import Hour
from hourfold.errors import AlreadyFiledError
from hourfold.totals import Balance, Day

HEADER = "hour;flow;count;flag"


def hour_lines(hours: Sequence[Hour], decimals: int) -> list[str]:
    """The lines of the hours, without header."""
    lines = []
    for hour in hours:
        flow = "" if hour.flow is None else f"{hour.flow:.{decimals}f}"
        lines.append(f"{hour.start:%Y-%m-%dT%H:00Z};{flow};{hour.count};{hour.flag}")
    return lines


def filed_text(hours: Sequence[Hour], decimals: int) -> str:
    """The text of a filed file."""
    body = "\n".join([HEADER, *hour_lines(hours, decimals)]) + "\n"
    return f"# hourfold 1 {hashlib.sha256(body.encode()).hexdigest()[:12]}\n{body}"


def filed_path(root: Path, station: str, day: date) -> Path:
    """Where the figures of a day are filed."""
    return root / "filed" / f"{station}-{day.isoformat()}.csv"


def publish(root: Path, station: str, day: date, hours: Sequence[Hour], decimals: int) -> Path:
    """File the hours of a day. What is filed is never overwritten."""
    path = filed_path(root, station, day)
    if path.exists():
        raise AlreadyFiledError(f"already filed: {path.relative_to(root)}")
    path.parent.mkdir(exist_ok=True)
    path.write_text(filed_text(hours, decimals), encoding="utf-8")
    return path


def day_line(day: Day, hours: Sequence[Hour]) -> str:
    """One line for a day: volume, hours, and how many hours carry which flag."""
    flags = {letter: sum(letter in hour.flag for hour in hours) for letter in "pog"}
    shown = " ".join(f"{letter}={count}" for letter, count in flags.items())
    return f"{day.station:13} {day.day} {day.volume:12.1f} m3  {day.hours:2} hours  {shown}"


def balance_line(balance: Balance) -> str:
    """One line for the balance of a day."""
    return (
        f"balance {balance.day}: in {balance.inflow:.1f} m3, out {balance.outflow:.1f} m3, "
        f"{balance.percent:+.2f} percent"
    )
