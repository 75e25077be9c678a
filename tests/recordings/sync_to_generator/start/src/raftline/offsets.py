"""Remembers how far every spool file has been shipped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Position:
    """Bytes and lines that are done."""

    offset: int = 0
    line: int = 0


class Offsets:
    """The positions of all spool files and the number of the last frame."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.positions: dict[str, Position] = {}
        self.frame = 0
        if path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            self.frame = data["frame"]
            self.positions = {name: Position(*pair) for name, pair in data["files"].items()}

    def position(self, source: str) -> Position:
        """Where the next run of a file begins."""
        return self.positions.get(source, Position())

    def advance(self, source: str, position: Position) -> None:
        """Everything before the position is done."""
        self.positions[source] = position

    def save(self) -> None:
        """Write the file in one step."""
        files = {name: [at.offset, at.line] for name, at in sorted(self.positions.items())}
        text = json.dumps({"frame": self.frame, "files": files})
        draft = self.path.with_suffix(".tmp")
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(self.path)
