"""A line of a spool file and the record that it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raftline.errors import MalformedLine

LEVELS = ("DEBUG", "INFO", "WARN", "ALARM")
STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


@dataclass(frozen=True)
class Line:
    """A complete line; ``offset`` is where the next one begins."""

    source: str
    number: int
    offset: int
    text: str


@dataclass(frozen=True)
class Record:
    """What a line says. ``sequence`` is given by the enricher."""

    line: Line
    stamp: str
    level: str
    device: str
    message: str
    vessel: str = ""
    route: str = ""
    sequence: int = 0

    def packed(self) -> str:
        """The text of the record within a frame."""
        head = f"{self.vessel}/{self.route}#{self.sequence}"
        return f"{head} {self.stamp} {self.level} {self.device} {self.message}"


def parse(line: Line) -> Record:
    """The record of a line. Raises MalformedLine."""
    parts = line.text.split(" ", 3)
    if not STAMP.fullmatch(parts[0]):
        raise MalformedLine(f"no time stamp in {line.text[:24]!r}")
    if len(parts) < 4:
        raise MalformedLine(f"{len(parts)} of 4 fields")
    stamp, level, device, message = parts
    if level not in LEVELS:
        raise MalformedLine(f"unknown level {level!r}")
    return Record(line, stamp, level, device, message)
