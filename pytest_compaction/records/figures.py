"""The figures of a whole run as plain JSON, for the header of its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_compaction.metrics.aggregate import Mean, by_arm
from pytest_compaction.metrics.curve import Curve, curves
from pytest_compaction.metrics.nulls import best_null
from pytest_compaction.records.record import Record, rounded, type_of


def figures_of(records: Sequence[Record]) -> dict[str, Any]:
    """Curves over several budgets and comparisons with the best null, as far as there are any."""
    probes = [record for record in records if type_of(record) == "probe"]
    compared = {
        name: _comparison(group) for name, group in by_arm(probes).items() if best_null(group)
    }
    drawn = [_curve(curve) for curve in curves(probes)]
    return {
        **({"best_null": compared} if compared else {}),
        **({"curves": drawn} if drawn else {}),
    }


def _comparison(records: Sequence[Record]) -> dict[str, Any]:
    found = best_null(records)
    if found is None:
        return {}
    own, other = found.tokens
    return {
        "null": found.null,
        "result": found.result,
        "difference": _mean(found.difference),
        "tokens": {"view": rounded(own), "null": rounded(other)},
    }


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "compactor": curve.compactor,
        "points": [
            {
                "budget": point.budget,
                "tokens": rounded(point.tokens),
                "stated": _mean(point.stated),
                "over_budget": point.over_budget,
            }
            for point in curve.points
        ],
        "area": _mean(curve.area),
    }


def _mean(mean: Mean | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    interval = None if mean.interval is None else [rounded(bound) for bound in mean.interval]
    return {"mean": rounded(mean.value), "interval": interval, "cases": mean.cases}
