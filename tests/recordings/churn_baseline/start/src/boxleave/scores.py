"""How good are predictions? Measures for probabilities against 0/1 labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boxleave.errors import OneClassError


@dataclass(frozen=True)
class Confusion:
    """Counts of the four outcomes at one threshold."""

    hits: int
    false_alarms: int
    misses: int
    correct_rejections: int

    @property
    def total(self) -> int:
        """All rows."""
        return self.hits + self.false_alarms + self.misses + self.correct_rejections

    @property
    def accuracy(self) -> float:
        """Share of rows on the right side."""
        return (self.hits + self.correct_rejections) / self.total

    @property
    def precision(self) -> float:
        """Share of leavers among the rows that were called; 0 when none was."""
        called = self.hits + self.false_alarms
        return self.hits / called if called else 0.0

    @property
    def recall(self) -> float:
        """Share of called rows among the leavers; 0 when there are none."""
        leavers = self.hits + self.misses
        return self.hits / leavers if leavers else 0.0


def confusion(scores: Sequence[float], labels: Sequence[int], threshold: float) -> Confusion:
    """Count the outcomes; a score at the threshold counts as called."""
    hits = false_alarms = misses = correct = 0
    for score, label in zip(scores, labels, strict=True):
        if score >= threshold:
            hits += label
            false_alarms += 1 - label
        else:
            misses += label
            correct += 1 - label
    return Confusion(hits, false_alarms, misses, correct)


def auc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The probability that a leaver has a higher score than somebody who stays."""
    leavers = [score for score, label in zip(scores, labels, strict=True) if label]
    others = [score for score, label in zip(scores, labels, strict=True) if not label]
    if not leavers or not others:
        raise OneClassError("auc needs both classes")
    wins = sum(leaver >= other for leaver in leavers for other in others)
    return wins / (len(leavers) * len(others))


def brier(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The mean squared difference of probability and label; lower is better."""
    return sum(
        (score - label) ** 2 for score, label in zip(scores, labels, strict=True)
    ) / len(labels)
