"""Tokens removed by compaction, and the share of a score that is kept."""

from __future__ import annotations


def removed_share(before: int, after: int) -> float:
    """Share of tokens removed: (before - after) / before; negative when the view is larger.

    0 for an empty log, which has nothing to remove.
    """
    return (before - after) / before if before else 0.0


def kept_share(score: float | None, control: float | None) -> float | None:
    """Score as a share of what the same item reaches without compaction.

    ``None`` without a control, or if the control itself scores 0, because then there
    is nothing to keep.
    """
    if score is None or not control:
        return None
    return score / control
