"""Many short texts in little memory: a string of its own costs some fifty bytes more."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

_END: Final = 0xFF
"""Stands behind each text: a byte that no text has in UTF-8."""


class PackedTexts:
    """Texts by number, in the order in which they came. A text is made when it is asked for."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes = bytearray()
        self._ends = array("Q")
        """Where the bytes of each text end."""
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Take in one more text."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))
        self._bytes.append(_END)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:
        start = self._ends[number - 1] + 1 if number else 0
        return self._bytes[start : self._ends[number]].decode("utf-8", "surrogatepass")

    def holding(self, part: str) -> list[int]:
        """The numbers of the texts in which a part stands, in order."""
        if not part:
            return list(range(len(self)))
        sought = part.encode("utf-8", "surrogatepass")
        found: list[int] = []
        start = self._bytes.find(sought)
        while start >= 0:
            number = bisect_right(self._ends, start)
            found.append(number)
            start = self._bytes.find(sought, self._ends[number])
        return found
