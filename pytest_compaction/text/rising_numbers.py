"""Rising numbers in about a byte each."""

from __future__ import annotations

from collections.abc import Iterator


class RisingNumbers:
    """Numbers from 0 on, each larger than the one before: kept as differences of 7 bits a byte."""

    __slots__ = ("_bytes", "_last")

    def __init__(self, first: int) -> None:
        self._bytes = bytearray()
        self._last = 0
        self.add(first)

    def add(self, number: int) -> None:
        """Take in a number that is not below the last one."""
        step = number - self._last
        self._last = number
        while step > 127:
            self._bytes.append(step & 127 | 128)
            step >>= 7
        self._bytes.append(step)

    def __iter__(self) -> Iterator[int]:
        number = step = shift = 0
        for byte in self._bytes:
            step |= (byte & 127) << shift
            if byte > 127:
                shift += 7
            else:
                number += step
                yield number
                step = shift = 0
