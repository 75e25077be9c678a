"""What a strategy lost as plain JSON, for the header of a run's file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.metrics.losses.strategy_losses import (
    FactLosses,
    HalfLife,
    LifeRow,
    Runway,
    strategy_losses,
)
from pytest_compaction.metrics.statistics.intervals import Mean
from pytest_compaction.records.record import Record, rounded

_COUNTS: Final = (
    "facts",
    "survived",
    "used",
    "unused",
    "dropped",
    "recoverable",
    "gone",
    "unknown",
    "contradicted",
    "guessed",
    "returned",
)


def by_strategy(
    name: str,
    arms: Mapping[str, Sequence[Record]],
    as_json: Callable[[Sequence[Record]], dict[str, Any] | None],
) -> dict[str, Any]:
    """A figure of each strategy that has it, under its name; nothing if none has."""
    found = {arm: made for arm, group in arms.items() if (made := as_json(group)) is not None}
    return {name: found} if found else {}


def losses_as_json(records: Sequence[Record]) -> dict[str, Any] | None:
    """The losses of one strategy; ``None`` if its records do not tell them.

    A half-life is ``null`` where it is infinite: then there are no ``drops``.
    """
    found = strategy_losses(records)
    if found is None:
        return None
    return {
        **_losses(found.whole),
        "classes": {name: _losses(losses) for name, losses in found.classes.items()},
        "runway": None if found.runway is None else _runway(found.runway),
    }


def mean_as_json(mean: Mean | None) -> dict[str, Any] | None:
    """A mean with its interval over cases."""
    if mean is None:
        return None
    return {"mean": rounded(mean.value), "interval": interval_as_json(mean.interval)}


def interval_as_json(interval: tuple[float, float] | None) -> list[float | None] | None:
    """Two bounds, one that is infinite as ``null``."""
    return None if interval is None else [_finite(bound) for bound in interval]


def _finite(value: float) -> float | None:
    return rounded(value) if math.isfinite(value) else None


def _losses(losses: FactLosses) -> dict[str, Any]:
    counts = losses.counts
    return {
        **{name: getattr(counts, name) for name in _COUNTS},
        "survival": mean_as_json(counts.survival),
        "recovery": mean_as_json(counts.recovery),
        "after": [_row(row) for row in losses.table],
        "half_life": None if losses.half_life is None else _half_life(losses.half_life),
    }


def _row(row: LifeRow) -> dict[str, Any]:
    return {
        "compaction": row.compaction,
        "at_risk": row.at_risk,
        "dropped": row.dropped,
        "survival": rounded(row.survival),
        "interval": interval_as_json(row.interval),
    }


def _half_life(found: HalfLife) -> dict[str, Any]:
    return {
        "compactions": _finite(found.compactions),
        "interval": interval_as_json(found.interval),
        "drops": found.drops,
        "exposures": found.exposures,
    }


def _runway(found: Runway) -> dict[str, Any]:
    return {
        "free": mean_as_json(found.free),
        "least_free": found.least_free,
        "free_share": mean_as_json(found.share),
        "messages": found.messages,
        "least_messages": found.least_messages,
        "ended": found.ended,
        "cut_off": found.cut_off,
        "peak_before": found.peak_before,
        "peak_after": found.peak_after,
    }
