"""Tokens removed by compaction, and the share of a score that is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_compaction.metrics.statistics.mean import Mean, mean_over


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


def budget_share(records: Iterable[Mapping[str, Any]]) -> Mean | None:
    """Mean share of the budget that views take, over cases and trials (1 is all of it).

    The view of a case and trial is that at the last point with a probe. ``None`` without views.
    """
    last: dict[tuple[str, int], tuple[int, float]] = {}
    for record in records:
        tokens, budget = record["tokens"], record["compaction"].get("budget")
        if tokens and budget:
            key = (record["case"], record["trial"])
            found = (tokens["log"], tokens["view"] / budget)
            last[key] = max(last.get(key, found), found)
    shares: dict[str, list[float]] = defaultdict(list)
    for (case, _), (_, share) in last.items():
        shares[case].append(share)
    return mean_over(shares)
