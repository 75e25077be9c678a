"""Where frames go."""

from __future__ import annotations

from pathlib import Path

from raftline.errors import ShipError


class FileSink:
    """Appends frames to the shore file, never beyond its quota."""

    def __init__(self, path: Path, quota: int) -> None:
        self.path = path
        self.quota = quota

    def send(self, number: int, frame: bytes) -> None:
        """Append a frame. Raises ShipError R507 when it does not fit."""
        used = self.path.stat().st_size if self.path.exists() else 0
        if used + len(frame) > self.quota:
            raise ShipError(
                "R507", self.path.name, f"frame {number} does not fit (quota {self.quota} bytes)"
            )
        with self.path.open("ab") as file:
            file.write(frame)
