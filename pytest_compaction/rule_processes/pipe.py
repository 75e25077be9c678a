"""Values that two processes of one run send each other through a pipe."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import IO, Any, Final

_SIZE: Final = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Held:
    """Something large that is sent to a process once, under a name, and is then held there.

    What has a name must never change. As an argument it stands for its ``value``.
    """

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class HeldName:
    """Stands for what the process holds under this name."""

    name: str


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value; raises ``OSError`` if nobody reads any more."""
    # Only processes that this run started itself are at the two ends.
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_SIZE.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a value; raises ``EOFError`` if the other end was closed."""
    (size,) = _SIZE.unpack(_read(stream, _SIZE.size))
    return pickle.loads(_read(stream, size))  # noqa: S301 - see send


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
