"""The difference between any two strategies of the page, over the items that both have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from pytest_compaction.metrics.aggregate import mean_of
from pytest_compaction.records.record import Record, rounded
from pytest_compaction.reports.page.arms import Arm

_MOST: Final = 16
"""Strategies of which any two are compared; with more there are too many pairs to read."""


def differences(arms: Sequence[Arm]) -> dict[str, dict[str, Any]]:
    """For each pair of numbers ``first,second``: the mean of second minus first, its interval."""
    if len(arms) > _MOST:
        return {}
    found = {}
    for first, second in combinations(range(len(arms)), 2):
        rows = _rows(arms[first].records, arms[second].records)
        mean = mean_of(rows, lambda row: row["difference"])
        if mean is not None:
            found[f"{first},{second}"] = {
                "mean": rounded(mean.value),
                "interval": mean.interval and [rounded(bound) for bound in mean.interval],
                "items": mean.count,
                "cases": mean.cases,
            }
    return found


def _rows(first: Sequence[Record], second: Sequence[Record]) -> list[Record]:
    scores = {_key(record): record["overall"] for record in first}
    return [
        {"case": record["case"], "difference": record["overall"] - scores[_key(record)]}
        for record in second
        if record["overall"] is not None and scores.get(_key(record)) is not None
    ]


def _key(record: Record) -> tuple[str, str, int]:
    return (record["case"], record["probe"], record["trial"])
