"""Values between two event loops, each a frame: eight bytes with its length, and a pickle.

Only a run and the process that it started itself are at the two ends.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Callable
from typing import Any, Final

_SIZE: Final = struct.Struct("<Q")


def framed(value: Any) -> bytes:
    """The frame of a value."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _SIZE.pack(len(data)) + data


class Frames(asyncio.Protocol):
    """Calls ``received`` with each value that arrives, and ``ended`` when no more will."""

    def __init__(self, received: Callable[[Any], object], ended: Callable[[], object]) -> None:
        self._received = received
        self._ended = ended
        self._data = bytearray()

    def data_received(self, data: bytes) -> None:
        """Take what has arrived; what is no whole frame yet waits for the rest."""
        self._data += data
        while len(self._data) >= _SIZE.size:
            end = _SIZE.size + _SIZE.unpack_from(self._data)[0]
            if len(self._data) < end:
                return
            value = pickle.loads(self._data[_SIZE.size : end])  # noqa: S301 - see above
            del self._data[:end]
            self._received(value)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell that the other end is gone."""
        self._ended()
