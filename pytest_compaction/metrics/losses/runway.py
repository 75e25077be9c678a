"""Runway: the room that a compaction wins, and how long it lasts in this log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_compaction.metrics.aggregate import Mean
from pytest_compaction.metrics.losses.events import CompactionEvent
from pytest_compaction.metrics.losses.shares import mean_over


@dataclass(frozen=True, slots=True)
class Runway:
    """Figures over the compactions that changed the view; tokens where nothing else is said.

    ``free`` is the mean after a compaction, ``least_free`` the least (below 0: the view is
    larger than the window), ``share`` the mean of free tokens by the window (to 1).
    ``messages`` is the median number of messages until the view was again as large as before:
    ``None`` if fewer than half of the runways ended before their log did. ``least_messages`` is
    the shortest that is known. Of all, ``ended`` runways are known and ``cut_off`` are not.
    ``peak_before`` and ``peak_after`` are the largest request and the largest view.
    """

    free: Mean | None
    least_free: int | None
    share: Mean | None
    messages: int | None
    least_messages: int | None
    ended: int
    cut_off: int
    peak_before: int | None
    peak_after: int | None


def runway(events: Iterable[CompactionEvent]) -> Runway | None:
    """The runway of one strategy; ``None`` without a compaction that changed a view."""
    changed = [event for event in events if event.changed]
    if not changed:
        return None
    free = [(event.case, event.free) for event in changed if event.free is not None]
    shares = [
        (event.case, event.free / event.window)
        for event in changed
        if event.free is not None and event.window
    ]
    lengths = [event.until_next for event in changed if event.until_next is not None]
    cut_off = [
        event.messages_left
        for event in changed
        if event.until_next is None and event.messages_left is not None
    ]
    return Runway(
        free=mean_over(free),
        least_free=min((tokens for _, tokens in free), default=None),
        share=mean_over(shares),
        messages=median_length(lengths, cut_off),
        least_messages=min(lengths, default=None),
        ended=len(lengths),
        cut_off=len(cut_off),
        peak_before=max((e.before for e in changed if e.before is not None), default=None),
        peak_after=max((e.after for e in changed if e.after is not None), default=None),
    )


def median_length(ended: Sequence[int], cut_off: Sequence[int]) -> int | None:
    """The median of lengths of which some are known only to be longer than a number.

    The smallest length at which the product-limit estimate is 0.5 or less (Kaplan and Meier,
    "Nonparametric Estimation from Incomplete Observations", JASA 53, 1958). The mean of the
    known lengths would be too small: long ones are cut off more often.
    """
    survival = Fraction(1)
    for length in sorted(set(ended)):
        at_risk = sum(each >= length for each in (*ended, *cut_off))
        survival *= 1 - Fraction(ended.count(length), at_risk)
        if survival <= Fraction(1, 2):
            return length
    return None
