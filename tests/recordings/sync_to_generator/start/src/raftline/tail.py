"""Reads what is new in a spool file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from raftline.errors import ShipError
from raftline.offsets import Position
from raftline.records import Line


class Tail:
    """Pushes every complete line after a position to ``on_line``."""

    def __init__(
        self,
        path: Path,
        start: Position,
        on_line: Callable[[Line], None],
        on_end: Callable[[], None],
    ) -> None:
        self.path = path
        self.position = start
        self.on_line = on_line
        self.on_end = on_end

    def run(self) -> Position:
        """Push all lines, then the end. Returns where the next run begins."""
        if not self.path.exists():
            raise ShipError("R101", self.path.name, "no such spool file")
        with self.path.open("rb") as file:
            file.seek(self.position.offset)
            for raw in file:
                if not raw.endswith(b"\n"):
                    break  # still being written; the next run takes it
                offset = self.position.offset + len(raw)
                number = self.position.line + 1
                self.position = Position(offset, number)
                text = raw[:-1].decode("utf-8", "replace")
                self.on_line(Line(self.path.name, number, offset, text))
        self.on_end()
        return self.position
