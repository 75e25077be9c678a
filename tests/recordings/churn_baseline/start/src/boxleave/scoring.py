"""Scores the customers of a newer export with a model of an older one."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from boxleave import features, logistic
from boxleave.cleaning import clean
from boxleave.evaluate import DIGITS
from boxleave.settings import Settings
from boxleave.table import Table

COLUMNS = ("customer_id", "score", "band")
"""The phone list of the desk is imported from these columns."""


@dataclass(frozen=True)
class Score:
    """One line of scores.csv."""

    customer_id: str
    score: float
    band: str


def score(old: Table, new: Table, settings: Settings, snapshot: date) -> list[Score]:
    """Fit on all rows of ``old`` and score ``new`` as of a later snapshot, highest first."""
    known = clean(old, settings.snapshot).table
    rows = features.matrix(known, settings.snapshot)
    scaler = features.Scaler.fit(rows)
    model = logistic.fit(
        scaler.apply(rows),
        features.labels(known, settings.snapshot, settings.horizon_days),
        iterations=settings.iterations,
        rate=settings.rate,
        penalty=settings.penalty,
    )
    current = clean(new, snapshot).table
    chances = model.probabilities(scaler.apply(features.matrix(current, snapshot)))
    found = []
    for customer, chance in zip(current.customers, chances, strict=True):
        rounded = round(chance, DIGITS)
        found.append(Score(customer.customer_id, rounded, settings.band(rounded)))
    return sorted(found, key=lambda item: (-item.score, item.customer_id))


def bands(scores: Sequence[Score]) -> dict[str, int]:
    """How many customers are in each band."""
    counts = Counter(item.band for item in scores)
    return {band: counts[band] for band in ("call", "watch", "calm")}


def write_scores(scores: Sequence[Score], path: Path) -> None:
    """Write the file for the desk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(COLUMNS)
        for item in scores:
            writer.writerow((item.customer_id, f"{item.score:.{DIGITS}f}", item.band))
