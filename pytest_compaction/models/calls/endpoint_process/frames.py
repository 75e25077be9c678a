"""Values that arrive on an event loop from another process of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pytest_compaction.rule_processes.pipe import taken_from


class Frames(asyncio.Protocol):
    """Calls ``received`` with each value that arrives, and ``ended`` when no more will."""

    def __init__(self, received: Callable[[Any], object], ended: Callable[[], object]) -> None:
        self._received = received
        self._ended = ended
        self._data = bytearray()

    def data_received(self, data: bytes) -> None:
        """Take what has arrived; what is no whole frame yet waits for the rest."""
        self._data += data
        for value in taken_from(self._data):
            self._received(value)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell that the other end is gone."""
        self._ended()
