"""The one definition of a tail: the newest messages, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence


def newest_that_fit(sizes: Sequence[int], room: int, least: int = 0) -> int:
    """Index of the first of the newest items that together take at most ``room``.

    ``sizes`` are those of messages, or of groups of them, oldest first, in the unit of
    ``room``. The last ``least`` items belong to the tail whatever they take.
    ``len(sizes)`` means that the tail is empty.
    """
    start = len(sizes)
    while start > 0 and (len(sizes) - start < least or sizes[start - 1] <= room):
        start -= 1
        room -= sizes[start]
    return start
