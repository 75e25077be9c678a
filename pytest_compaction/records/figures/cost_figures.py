"""What a strategy costs and saves as plain JSON, and at which prices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pytest_compaction.metrics.cost import (
    DEFAULT_PRICING,
    HORIZON,
    BreakEven,
    Pricing,
    Ratios,
    StrategyCosts,
    strategy_costs,
)
from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.usage import Usage
from pytest_compaction.records.figures.loss_figures import interval_as_json, mean_as_json
from pytest_compaction.records.record import Record, rounded

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
        "tokens": _tokens(found),
        "removed_each": mean_as_json(found.removed_each),
        "prefix": mean_as_json(found.prefix),
        "cost": rounded(found.cost),
        "cost_each": mean_as_json(found.cost_each),
        "saving": rounded(found.saving),
        "saving_each": mean_as_json(found.saving_each),
        "break_even": _break_even(found.break_even),
        "break_even_if_cached": _break_even(found.if_cached),
        "horizon": found.horizon,
        "net": rounded(found.net),
        "usd": {"cost": _dollars(found.cost_usd), "net": _dollars(found.net_usd)},
        "pricing": _pricing(found.pricing),
    }


def _tokens(found: StrategyCosts) -> dict[str, Any]:
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
    return {"requests": rounded(found.requests), "interval": interval_as_json(found.interval)}


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
