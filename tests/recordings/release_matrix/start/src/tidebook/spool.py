"""The scratch directory in which sheets are collected before they are sent."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType

from tidebook.errors import TideError

SUFFIX = ".sheet"


def scratch_directory() -> Path:
    """Where sheets are collected: ``TIDEBOOK_SCRATCH``, or a fixed place in the temp directory."""
    chosen = os.environ.get("TIDEBOOK_SCRATCH")
    return Path(chosen) if chosen else Path(tempfile.gettempdir()) / "tidebook-scratch"


def keeps() -> bool:
    """Whether sheets outlive the spool (``TIDEBOOK_KEEP=1``)."""
    return os.environ.get("TIDEBOOK_KEEP") == "1"


class Spool:
    """Collects sheets; on leaving they are removed unless they are to be kept."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or scratch_directory()

    def __enter__(self) -> Spool:
        self.directory.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not keeps():
            for path in self.sheets():
                path.unlink()

    def write(self, name: str, text: str) -> Path:
        """Write a sheet. A sheet of the same name must be of the same station."""
        path = self.directory / f"{name}{SUFFIX}"
        if path.exists():
            first = path.read_text(encoding="utf-8").partition("\n")[0]
            if first != text.partition("\n")[0]:
                raise TideError("T250", f"{path.name} is a sheet of {first}")
        path.write_text(text, encoding="utf-8")
        return path

    def sheets(self) -> list[Path]:
        """The sheets in the directory, by name."""
        return sorted(self.directory.glob(f"*{SUFFIX}"))
