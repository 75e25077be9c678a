"""The tail of a log that every strategy with a tail is assumed to keep.

Probes that an import derives avoid it, and ``lint`` reports the facts that stand in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.conversation.tail import newest_that_fit

TAIL_SHARE: Final = 0.25
"""The least share of the budget that a strategy with a tail is assumed to give to it."""


def assumed_tail_room(budget: int) -> int:
    """Tokens that the assumed tail takes of a view of at most ``budget`` tokens."""
    return round(budget * TAIL_SHARE)


def assumed_tail_start(sizes: Sequence[int], end: int, room: int) -> int:
    """Index of the first message of the assumed tail of ``sizes[:end]`` (in tokens).

    The tail holds whole messages within ``room`` tokens, and always the last one.
    """
    return newest_that_fit(sizes[:end], room, least=1)
