"""Nearest neighbours: the share of leavers among the most similar customers.

An experiment; nothing imports this yet.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

Vector = list[float]


@dataclass(frozen=True)
class Neighbours:
    """All training rows, and how many of them are asked."""

    rows: Sequence[Vector]
    labels: Sequence[int]
    count: int = 15

    def probability(self, row: Vector) -> float:
        """The share of leavers among the nearest rows, smoothed by one half."""
        nearest = heapq.nsmallest(
            self.count,
            range(len(self.rows)),
            key=lambda index: (math.dist(row, self.rows[index]), index),
        )
        leavers = sum(self.labels[index] for index in nearest)
        return (leavers + 0.5) / (len(nearest) + 1)

    def probabilities(self, rows: Sequence[Vector]) -> list[float]:
        """The probabilities of many rows."""
        return [self.probability(row) for row in rows]
