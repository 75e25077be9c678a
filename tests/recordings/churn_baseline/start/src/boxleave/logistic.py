"""Logistic regression by plain gradient descent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

Vector = list[float]


def sigmoid(value: float) -> float:
    """The logistic function, without overflow for large negative values."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    grown = math.exp(value)
    return grown / (1.0 + grown)


@dataclass(frozen=True)
class Logistic:
    """A fitted model: one weight for each feature and a bias."""

    weights: tuple[float, ...]
    bias: float

    def probability(self, row: Sequence[float]) -> float:
        """The probability that a customer with these (scaled) features leaves."""
        return sigmoid(self.bias + sum(map(mul, self.weights, row)))

    def probabilities(self, rows: Sequence[Vector]) -> list[float]:
        """The probabilities of many rows."""
        return [self.probability(row) for row in rows]


def fit(
    rows: Sequence[Vector],
    labels: Sequence[int],
    iterations: int = 250,
    rate: float = 0.5,
    penalty: float = 0.01,
) -> Logistic:
    """Minimise the mean log loss plus ``penalty`` times half the squared weights.

    The bias carries no penalty. Rows must be scaled, or the descent diverges.
    """
    if not rows:
        raise ValueError("no rows to fit")
    count = len(rows)
    weights = [0.0] * len(rows[0])
    bias = 0.0
    columns = list(zip(*rows, strict=True))
    for _ in range(iterations):
        errors = [
            sigmoid(bias + sum(map(mul, weights, row))) - label
            for row, label in zip(rows, labels, strict=True)
        ]
        bias -= rate * sum(errors) / count
        weights = [
            weight - rate * (sum(map(mul, errors, column)) / count + penalty * weight)
            for weight, column in zip(weights, columns, strict=True)
        ]
    return Logistic(tuple(weights), bias)


def log_loss(probabilities: Sequence[float], labels: Sequence[int]) -> float:
    """The mean negative log likelihood; probabilities are kept away from 0 and 1."""
    total = 0.0
    for probability, label in zip(probabilities, labels, strict=True):
        safe = min(max(probability, 1e-12), 1 - 1e-12)
        total -= math.log(safe if label else 1 - safe)
    return total / len(labels)
