"""Writes a spool file for trials: ``make_spool.py PATH LINES [BAD_EVERY]``."""

from __future__ import annotations

import sys
from pathlib import Path

EVENTS = (
    "INFO gate{n} car {i} passed",
    "INFO engine{n} oil pressure {i} kPa",
    "WARN gate{n} barrier slow, try {i}",
    "DEBUG gate{n} heartbeat {i}",
    "ALARM engine{n} coolant low at {i} rpm",
)


def spool_text(lines: int, bad_every: int = 0) -> str:
    """So many lines; every so-many-th one has an unknown level."""
    result = []
    for i in range(1, lines + 1):
        stamp = f"2031-03-04T{i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}Z"
        event = EVENTS[i % len(EVENTS)].format(n=i % 7, i=i)
        if bad_every and i % bad_every == 0:
            event = f"LOUD gate{i % 7} horn {i}"
        result.append(f"{stamp} {event}\n")
    return "".join(result)


def main(arguments: list[str]) -> None:
    """Write the file."""
    path = Path(arguments[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(spool_text(*map(int, arguments[1:])), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
