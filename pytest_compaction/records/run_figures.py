"""The figures of a whole run as plain JSON, for the header of its file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.case.case import Origin
from pytest_compaction.metrics import (
    DEFAULT_PRICING,
    HORIZON,
    Aggregate,
    BreakEven,
    Compliance,
    Curve,
    FactLosses,
    HalfLife,
    LifeRow,
    Mean,
    Pricing,
    Ratios,
    Runway,
    StrategyCosts,
    StrategyPair,
    aggregate,
    best_null,
    budget_share,
    by_arm,
    by_origin,
    compare_strategies,
    compliance,
    constraint_survival,
    curves,
    further,
    strategy_costs,
    strategy_losses,
)
from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.usage import Usage
from pytest_compaction.records.record import Record, rounded, type_of
from pytest_compaction.settings import CONTROL


def figures_of(records: Sequence[Record]) -> dict[str, Any]:
    """Every strategy, and every two of them; curves, comparisons with the best null, constraints
    and choices, losses and costs, and real and scripted cases apart, as far as there are any.
    """
    probes = [record for record in records if type_of(record) == "probe"]
    arms = by_arm(probes)
    control = arms.get(CONTROL, [])
    between = compare_strategies(arms)
    each: dict[str, Callable[[list[Record]], Any]] = {
        "best_null": _comparison,
        "constraints": lambda group: _mean(constraint_survival(group)),
        "compliance": lambda group: _choices(compliance(group, control)),
        "losses": losses_as_json,
        "costs": costs_as_json,
    }
    told = {
        name: {arm: made for arm, group in arms.items() if (made := as_json(group)) is not None}
        for name, as_json in each.items()
    }
    found: dict[str, Any] = {
        "strategies": _strategies(arms, control, between.letters),
        "comparisons": [_pair(pair) for pair in between.pairs],
        **told,
        "curves": [_curve(curve) for curve in curves(probes)],
        "origins": {name: _origins(apart) for name, apart in by_origin(arms).items()},
    }
    return {name: figures for name, figures in found.items() if figures}


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


def _comparison(records: Sequence[Record]) -> dict[str, Any] | None:
    found = best_null(records)
    if found is None:
        return None
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


def _choices(found: Compliance | None) -> dict[str, Any] | None:
    if found is None:
        return None
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


# --- losses ---

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


def _bare_mean(mean: Mean | None) -> dict[str, Any] | None:
    """A mean with its interval over cases."""
    if mean is None:
        return None
    return {"mean": rounded(mean.value), "interval": _interval(mean.interval)}


def _interval(interval: tuple[float, float] | None) -> list[float | None] | None:
    """Two bounds, one that is infinite as ``null``."""
    return None if interval is None else [_finite(bound) for bound in interval]


def _finite(value: float) -> float | None:
    return rounded(value) if math.isfinite(value) else None


def _losses(losses: FactLosses) -> dict[str, Any]:
    counts = losses.counts
    return {
        **{name: getattr(counts, name) for name in _COUNTS},
        "survival": _bare_mean(counts.survival),
        "recovery": _bare_mean(counts.recovery),
        "after": [_row(row) for row in losses.table],
        "half_life": None if losses.half_life is None else _half_life(losses.half_life),
    }


def _row(row: LifeRow) -> dict[str, Any]:
    return {
        "compaction": row.compaction,
        "at_risk": row.at_risk,
        "dropped": row.dropped,
        "survival": rounded(row.survival),
        "interval": _interval(row.interval),
    }


def _half_life(found: HalfLife) -> dict[str, Any]:
    return {
        "compactions": _finite(found.compactions),
        "interval": _interval(found.interval),
        "drops": found.drops,
        "exposures": found.exposures,
    }


def _runway(found: Runway) -> dict[str, Any]:
    counts = ("least_free", "messages", "least_messages", "ended", "cut_off")
    return {
        "free": _bare_mean(found.free),
        "free_share": _bare_mean(found.share),
        **{name: getattr(found, name) for name in (*counts, "peak_before", "peak_after")},
    }


# --- costs ---

_DOLLAR_DIGITS: Final = 8
_PROVIDERS: Final = (
    "api.anthropic.com",
    "api.openai.com",
    "api.deepseek.com",
    "generativelanguage.googleapis.com",
)


def run_pricing(responder: str, records: Iterable[Record]) -> Pricing:
    """The prices of the model that answered, or stated ratios where it has none.

    The file of a run does not name the host of the model, but its records have dollars only
    where the host has prices.
    """
    priced = any((record.get("usd") or {}).get("responder") is not None for record in records)
    return (_list_pricing(responder) if priced else None) or DEFAULT_PRICING


def _list_pricing(model: str) -> Pricing | None:
    """The ratios and the input price of a model at its own provider; ``None`` if none knows it."""
    for host in _PROVIDERS:
        table = prices_at(f"https://{host}")
        usages = (Usage(1, 1000), Usage(1, 1000, 1000), Usage(1, 1000, 0, 0, 1000))
        plain, read, kept, written = (
            table.cost(model, usage) for usage in (*usages, Usage(1, 0, 0, 1000))
        )
        if plain and read is not None and kept is not None and written is not None:
            ratios = Ratios(read / plain, kept / plain, written / plain)
            return Pricing(f"{model}, prices of {table.edition}", ratios, plain * 1000)
    return None


def costs_as_json(
    records: Sequence[Record], pricing: Pricing | None = None, horizon: int = HORIZON
) -> dict[str, Any] | None:
    """The costs of one strategy; ``None`` if its records do not tell them."""
    found = strategy_costs(records, pricing or DEFAULT_PRICING, horizon)
    if found is None:
        return None
    return {
        "compactions": found.compactions,
        "unknown": found.unknown,
        "tokens": _cost_tokens(found),
        "removed_each": _bare_mean(found.removed_each),
        "prefix": _bare_mean(found.prefix),
        "cost": rounded(found.cost),
        "cost_each": _bare_mean(found.cost_each),
        "saving": rounded(found.saving),
        "saving_each": _bare_mean(found.saving_each),
        "break_even": _break_even(found.break_even),
        "break_even_if_cached": _break_even(found.if_cached),
        "horizon": found.horizon,
        "net": rounded(found.net),
        "usd": {"cost": _dollars(found.cost_usd), "net": _dollars(found.net_usd)},
        "pricing": _pricing(found.pricing),
    }


def _cost_tokens(found: StrategyCosts) -> dict[str, Any]:
    return {
        "removed": found.removed,
        "cached": found.cached,
        "written": found.written,
        "calls_input": round(found.calls.input),
        "calls_cached": round(found.calls.cached),
        "calls_output": round(found.calls.output),
        "refetch": found.refetch.tokens,
        "refetch_recoverable": found.refetch.recoverable_tokens,
        "net": found.net_tokens,
    }


def _break_even(found: BreakEven) -> dict[str, Any]:
    return {"requests": rounded(found.requests), "interval": _interval(found.interval)}


def _pricing(pricing: Pricing) -> dict[str, Any]:
    ratios = pricing.ratios
    return {
        "name": pricing.name,
        "read": rounded(ratios.read),
        "write": rounded(ratios.write),
        "output": rounded(ratios.output),
        "input_usd": pricing.input_usd,
    }


def _dollars(value: float | None) -> float | None:
    return None if value is None else round(value, _DOLLAR_DIGITS)
