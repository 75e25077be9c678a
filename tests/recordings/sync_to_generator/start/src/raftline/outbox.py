"""Keeps batches until the modem is dialled."""

from __future__ import annotations

from collections.abc import Callable

from raftline.counters import Counters
from raftline.records import Record


class Outbox:
    """A list of batches. Nothing leaves it before ``drain``."""

    def __init__(self, counters: Counters) -> None:
        self.counters = counters
        self.batches: list[list[Record]] = []
        self.held = 0

    def put(self, batch: list[Record]) -> None:
        """Keep a batch."""
        self.batches.append(batch)
        self.held += len(batch)
        self.counters.held_peak = max(self.counters.held_peak, self.held)

    def drain(self, send: Callable[[list[Record]], None]) -> None:
        """Send all batches in order, within one dial."""
        if not self.batches:
            return
        self.counters.dials += 1
        while self.batches:
            batch = self.batches[0]
            send(batch)
            self.batches.pop(0)
            self.held -= len(batch)
