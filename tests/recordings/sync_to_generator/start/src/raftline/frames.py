"""The form in which batches travel."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raftline.records import Record

MAGIC = "RF1"


@dataclass(frozen=True)
class Frame:
    """A frame as found in a shore file."""

    number: int
    records: int
    body: bytes


def encode(number: int, batch: Sequence[Record]) -> bytes:
    """Header line (magic, number, records, bytes, checksum) and the packed records."""
    body = "".join(f"{record.packed()}\n" for record in batch).encode()
    return f"{MAGIC} {number} {len(batch)} {len(body)} {zlib.crc32(body):08x}\n".encode() + body


def decode(data: bytes) -> Iterator[Frame]:
    """The frames of a shore file. Raises ValueError for one that is damaged."""
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        magic, number, records, length, checksum = data[at:end].decode().split(" ")
        body = data[end + 1 : end + 1 + int(length)]
        if magic != MAGIC or f"{zlib.crc32(body):08x}" != checksum:
            raise ValueError(f"frame {number} is damaged")
        yield Frame(int(number), int(records), body)
        at = end + 1 + int(length)
