"""Raw files of the loggers.

``csv``: comment lines start with ``#``; columns ``stamp;level_cm;status``.
``jsonl``: one object a line with ``t`` (seconds since 1970), ``level_cm``, ``sensor``
and ``status``.

Readings with another status than ``ok`` are left out. A loader returns the times
as the logger wrote them, in the order of the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from hourfold.config import Config, Station
from hourfold.errors import BadLineError
from hourfold.readings import Reading
from hourfold.timeutil import days_around, from_epoch, parse_stamp

LEVELS = (-50.0, 1200.0)
"""Levels outside are faults of the sensor."""


def raw_path(config: Config, station: Station, day: date) -> Path:
    """Where the logger's file of a day is."""
    return config.root / "raw" / station.name / f"{day.isoformat()}.{station.format}"


def load_csv(path: Path) -> Iterator[Reading]:
    """The readings of a CSV file."""
    header_seen = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split(";")
        if not header_seen:
            if cells != ["stamp", "level_cm", "status"]:
                raise BadLineError(f"{path.name}:{number}: unexpected columns {line!r}")
            header_seen = True
            continue
        if len(cells) != 3:
            raise BadLineError(f"{path.name}:{number}: {len(cells)} cells, expected 3")
        stamp, level, status = cells
        if status != "ok":
            continue
        try:
            yield Reading(parse_stamp(stamp), _level(level))
        except ValueError as error:
            raise BadLineError(f"{path.name}:{number}: {error}") from None


def load_jsonl(path: Path) -> Iterator[Reading]:
    """The readings of a JSON lines file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            if item["status"] != "ok":
                continue
            yield Reading(from_epoch(item["t"]), _level(item["level_cm"]), item["sensor"])
        except (ValueError, KeyError, TypeError) as error:
            raise BadLineError(f"{path.name}:{number}: {error}") from None


def _level(text: str | float) -> float:
    level = float(text)
    if not LEVELS[0] <= level <= LEVELS[1]:
        raise ValueError(f"level {level} cm is not within {LEVELS[0]} to {LEVELS[1]}")
    return level


LOADERS: dict[str, Callable[[Path], Iterator[Reading]]] = {
    "csv": load_csv,
    "jsonl": load_jsonl,
}


def load_around(config: Config, station: Station, day: date) -> list[Reading]:
    """The readings of a day and its neighbours; files that do not exist are left out."""
    load = LOADERS[station.format]
    found: list[Reading] = []
    for each in days_around(day):
        path = raw_path(config, station, each)
        if path.exists():
            found.extend(load(path))
    return found
