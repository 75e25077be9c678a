"""The figures of a whole run as plain JSON, for the header of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_compaction.case.case import Origin
from pytest_compaction.metrics.aggregate import (
    Aggregate,
    aggregate,
    budget_share,
    by_arm,
    by_origin,
)
from pytest_compaction.metrics.constraints import Compliance, compliance, constraint_survival
from pytest_compaction.metrics.curve import Curve, curves
from pytest_compaction.metrics.differences.strategy_comparison import (
    StrategyPair,
    best_null,
    compare_strategies,
)
from pytest_compaction.metrics.figures import further
from pytest_compaction.metrics.statistics.intervals import Mean
from pytest_compaction.records.figures.cost_figures import costs_as_json
from pytest_compaction.records.figures.loss_figures import by_strategy, losses_as_json
from pytest_compaction.records.record import Record, rounded, type_of
from pytest_compaction.settings import CONTROL


def figures_of(records: Sequence[Record]) -> dict[str, Any]:
    """Every strategy, and every two of them; curves, comparisons with the best null, constraints
    and choices, losses and costs, and real and scripted cases apart, as far as there are any.
    """
    probes = [record for record in records if type_of(record) == "probe"]
    arms = by_arm(probes)
    control = arms.get(CONTROL, [])
    compared = {name: _comparison(group) for name, group in arms.items() if best_null(group)}
    kept = {
        name: _mean(found)
        for name, group in arms.items()
        if (found := constraint_survival(group)) is not None
    }
    chosen = {
        name: _choices(choices)
        for name, group in arms.items()
        if (choices := compliance(group, control)) is not None
    }
    apart = by_origin(arms)
    drawn = [_curve(curve) for curve in curves(probes)]
    between = compare_strategies(arms)
    return {
        **({"strategies": _strategies(arms, control, between.letters)} if arms else {}),
        **({"comparisons": [_pair(pair) for pair in between.pairs]} if between.pairs else {}),
        **({"best_null": compared} if compared else {}),
        **({"constraints": kept} if kept else {}),
        **({"compliance": chosen} if chosen else {}),
        **({"curves": drawn} if drawn else {}),
        **by_strategy("losses", arms, losses_as_json),
        **by_strategy("costs", arms, costs_as_json),
        **({"origins": {name: _origins(found) for name, found in apart.items()}} if apart else {}),
    }


def _strategies(
    arms: Mapping[str, Sequence[Record]], control: Sequence[Record], letters: Mapping[str, str]
) -> dict[str, Any]:
    """The figures of each strategy with their intervals, and its letters among several."""
    found = {name: aggregate(name, group) for name, group in arms.items()}
    shares = {name: budget_share(group) for name, group in arms.items()}
    return {
        name: {
            "items": item.items,
            "scored": item.scored,
            "overall": _mean(item.overall),
            "dimensions": {name: _mean(mean) for name, mean in item.dimensions.items()},
            "pass^1": _mean(item.passed),
            "stated": _mean(item.stated),
            "removed": _mean(item.tokens.removed_mean),
            "view_tokens": _mean(item.tokens.view),
            "budget_share": _mean(shares[name]),
            **{each.name: _mean(each.mean(arms[name], control)) for each in further("header")},
            **({"letters": letters[name]} if len(letters) > 1 and name in letters else {}),
        }
        for name, item in found.items()
    }


def _pair(pair: StrategyPair) -> dict[str, Any]:
    found = pair.paired
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _mean(found.difference),
        "items": found.difference.count,
        "p": _p(found.p),
        "holm": _p(pair.holm),
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "detectable": rounded(found.detectable),
    }


def _p(value: float | None) -> float | None:
    """A p value to three digits; small ones would be 0 with a fixed number of places."""
    return None if value is None else float(f"{value:.3g}")


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


def _origins(found: Mapping[Origin, Aggregate]) -> dict[str, Any]:
    return {
        origin: {
            "items": item.items,
            "overall": _mean(item.overall),
            "pass^1": _mean(item.passed),
            "removed": _mean(item.tokens.removed_mean),
            "stated": _mean(item.stated),
        }
        for origin, item in found.items()
    }


def _choices(found: Compliance) -> dict[str, Any]:
    return {
        "complied": _mean(found.compacted),
        "paired": {f"c_{name}": _mean(mean) for name, mean in found.paired.items()},
        "effect_retention": rounded(found.retained.value),
        "reason": found.retained.reason,
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
