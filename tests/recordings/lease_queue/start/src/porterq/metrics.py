"""Counters of a worker."""

from __future__ import annotations

from collections import Counter

NAMES = ("leased", "started", "done", "failed", "lost")


class Metrics:
    """Counts by name; an unknown name is a programming error."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, name: str, amount: int = 1) -> None:
        if name not in NAMES:
            raise KeyError(name)
        self._counts[name] += amount

    def __getitem__(self, name: str) -> int:
        return self._counts[name]

    def line(self) -> str:
        """All counters on one line, in a fixed order."""
        return " ".join(f"{name}={self._counts[name]}" for name in NAMES)
