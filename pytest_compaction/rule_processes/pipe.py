"""Values that two processes of one run send each other through a pipe, as pickles.

Only processes that the run started itself are at the two ends.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
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


def framed(value: Any) -> bytes:
    """A pickle behind eight bytes with its length."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _SIZE.pack(len(data)) + data


def taken_from(data: bytearray) -> Iterator[Any]:
    """The values whose frames are whole, which are removed from the beginning of the data."""
    while len(data) >= _SIZE.size:
        end = _SIZE.size + _SIZE.unpack_from(data)[0]
        if len(data) < end:
            return
        value = pickle.loads(data[_SIZE.size : end])  # noqa: S301 - see above
        del data[:end]
        yield value


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value; raises ``OSError`` if nobody reads any more."""
    stream.write(framed(value))
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a value; raises ``EOFError`` if the other end was closed."""
    (size,) = _SIZE.unpack(_read(stream, _SIZE.size))
    return pickle.loads(_read(stream, size))  # noqa: S301 - see above


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
