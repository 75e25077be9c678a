"""The tail of a log: the last messages, which every strategy that keeps a tail is taken to keep.

The one definition, for the probes that an import derives and for what ``lint`` reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

TAIL_SHARE: Final = 0.25
"""Share of the budget that a strategy which keeps a tail is taken to keep at the least."""


def tail_room(budget: int) -> int:
    """How many tokens the tail takes of a view of at most ``budget`` tokens."""
    return round(budget * TAIL_SHARE)


def tail_start(sizes: Sequence[int], end: int, room: int) -> int:
    """The position of the first message of the tail of ``sizes[:end]``, in tokens each.

    The last message always belongs to it, however large; before it, as many whole
    messages as the ``room`` in tokens still holds.
    """
    start = end
    while start > 0 and (start == end or sizes[start - 1] <= room):
        start -= 1
        room -= sizes[start]
    return start
