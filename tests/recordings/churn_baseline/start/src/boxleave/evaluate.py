"""Trains on one part of an export and measures on the other.

``evaluate`` is what the notebooks of the retention desk import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from boxleave import features, logistic
from boxleave.cleaning import clean
from boxleave.scores import auc, brier, confusion
from boxleave.settings import Settings
from boxleave.split import pick, split_rows
from boxleave.table import Table

DIGITS = 2
"""Scores are rounded like this before anybody sees them."""


@dataclass(frozen=True)
class Evaluation:
    """The outcome of one run."""

    train_rows: int
    test_rows: int
    leavers: int
    auc: float
    accuracy: float
    precision: float
    recall: float
    brier: float
    called: int
    weights: Mapping[str, float]


def evaluate(table: Table, settings: Settings) -> Evaluation:
    """Clean a table, fit a model on its training part and measure it on the rest."""
    cleaned = clean(table, settings.snapshot).table
    truth = features.labels(cleaned, settings.snapshot, settings.horizon_days)
    rows = features.matrix(cleaned, settings.snapshot)
    rows = features.Scaler.fit(rows).apply(rows)
    train, test = split_rows(truth, settings.test_share, settings.seed)
    model = logistic.fit(
        pick(rows, train),
        pick(truth, train),
        iterations=settings.iterations,
        rate=settings.rate,
        penalty=settings.penalty,
    )
    scores = [round(score, DIGITS) for score in model.probabilities(pick(rows, test))]
    expected = pick(truth, test)
    outcome = confusion(scores, expected, settings.call)
    return Evaluation(
        train_rows=len(train),
        test_rows=len(test),
        leavers=sum(expected),
        auc=auc(scores, expected),
        accuracy=outcome.accuracy,
        precision=outcome.precision,
        recall=outcome.recall,
        brier=brier(scores, expected),
        called=outcome.hits + outcome.false_alarms,
        weights=dict(zip(features.NAMES, model.weights, strict=True)),
    )
