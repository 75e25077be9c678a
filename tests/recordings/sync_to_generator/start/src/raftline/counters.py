"""What a run did, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass
class Counters:
    """``held_peak`` is the greatest number of records in memory between batcher and sink."""

    lines: int = 0
    rejected: int = 0
    dropped: int = 0
    frames: int = 0
    sent: int = 0
    dials: int = 0
    held_peak: int = 0

    def text(self) -> str:
        """One line for the log."""
        return "counters: " + " ".join(f"{name}={value}" for name, value in asdict(self).items())
