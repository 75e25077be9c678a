"""Numbers that the model sees: one vector for each customer.

Everything is computed as of the snapshot. A scaler brings the columns to mean 0 and
standard deviation 1, because the gradient descent needs that.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from boxleave.table import Customer, Table

NAMES = (
    "tenure_months",
    "price_eur",
    "pauses",
    "skipped_share",
    "complaints",
    "rating",
    "plan_duo",
    "plan_family",
    "zone_outer",
)
DAYS_OF_A_MONTH = 30.44

Vector = list[float]


def vector(customer: Customer, table: Table, snapshot: date) -> Vector:
    """The features of one customer, in the order of ``NAMES``."""
    return [
        (snapshot - customer.joined).days / DAYS_OF_A_MONTH,
        customer.price_eur,
        float(customer.pauses),
        customer.skipped / customer.deliveries if customer.deliveries else 0.0,
        float(customer.complaints),
        float(customer.rating),
        float(customer.plan == "duo"),
        float(customer.plan == "family"),
        float(customer.zone == "outer"),
    ]


def matrix(table: Table, snapshot: date) -> list[Vector]:
    """The features of all customers, in the order of the table."""
    return [vector(customer, table, snapshot) for customer in table.customers]


def labels(table: Table, snapshot: date, horizon_days: int) -> list[int]:
    """1 for customers who leave in the days after the snapshot, else 0."""
    end = snapshot + timedelta(days=horizon_days)
    return [
        int(customer.left_on is not None and snapshot < customer.left_on <= end)
        for customer in table.customers
    ]


@dataclass(frozen=True)
class Scaler:
    """Means and standard deviations of the columns."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]

    @classmethod
    def fit(cls, rows: Sequence[Vector]) -> Scaler:
        """Learn the columns of some rows. A constant column gets the deviation 1."""
        columns = list(zip(*rows, strict=True))
        means = tuple(statistics.fmean(column) for column in columns)
        deviations = tuple(
            statistics.pstdev(column, mean) or 1.0
            for column, mean in zip(columns, means, strict=True)
        )
        return cls(means, deviations)

    def apply(self, rows: Sequence[Vector]) -> list[Vector]:
        """Scale rows of the same columns."""
        return [
            [
                (value - mean) / deviation
                for value, mean, deviation in zip(row, self.means, self.deviations, strict=True)
            ]
            for row in rows
        ]
