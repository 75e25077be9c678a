"""What it costs to be late."""

from __future__ import annotations

from datetime import date

PER_DAY = 0.29
CAP = 14.5
LIMIT = 20.0
"""With more than this to pay nothing is lent."""


def late_fee(due_on: str, back_on: str) -> float:
    """The fee of a loan in euros."""
    days = (date.fromisoformat(back_on) - date.fromisoformat(due_on)).days
    return round(min(CAP, max(0, days) * PER_DAY), 2)


def shown(fee: float) -> str:
    """A fee as the desks show it."""
    return f"{fee:.2f}"
