"""The figures of a whole run as plain JSON, for the header of its file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from pytest_compaction.metrics import (
    DEFAULT_PRICING,
    FactLosses,
    Mean,
    Pricing,
    Ratios,
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
from pytest_compaction.models import Usage, own_tokens_as_json, prices_at
from pytest_compaction.records.model_use import Use, uses
from pytest_compaction.records.record import Record, rounded, type_of
from pytest_compaction.settings import CONTROL


def figures_of(records: Sequence[Record]) -> dict[str, Any]:
    """Every strategy, and every two of them; curves, comparisons with the best null, constraints
    and choices, losses and costs, real and scripted cases apart, and tokens of the models' own
    tokenizers, as far as there are any.
    """
    probes = [record for record in records if type_of(record) == "probe"]
    arms = by_arm(probes)
    control = arms.get(CONTROL, [])
    between = compare_strategies(arms)
    each: dict[str, Callable[[list[Record]], Any]] = {
        "best_null": _best_null,
        "constraints": lambda group: _mean(constraint_survival(group)),
        "compliance": lambda group: _choices(group, control),
        "losses": losses_as_json,
        "costs": costs_as_json,
    }
    found: dict[str, Any] = {
        "strategies": {
            name: _strategy(name, group, control, between.letters) for name, group in arms.items()
        },
        "comparisons": [_pair(pair) for pair in between.pairs],
        **{
            name: {arm: made for arm, group in arms.items() if (made := as_json(group)) is not None}
            for name, as_json in each.items()
        },
        "curves": _plain(curves(probes)),
        "origins": {
            name: {
                origin: {
                    "items": item.items,
                    "overall": _mean(item.overall),
                    "pass^1": _mean(item.passed),
                    "removed": _mean(item.tokens.removed_mean),
                    "stated": _mean(item.stated),
                }
                for origin, item in apart.items()
            }
            for name, apart in by_origin(arms).items()
        },
        "own_tokens": _own_tokens(records),
    }
    return {name: figures for name, figures in found.items() if figures}


def _own_tokens(records: Sequence[Record]) -> dict[str, Any]:
    """By model and script of the requests: tokens as counted here, own ones, and their ratio."""
    found = sum(uses(records).values(), Use()).usage.own_tokens
    return {
        model: {
            script: {**both, "ratio": rounded(both["own"] / max(both["counted"], 1))}
            for script, both in scripts.items()
        }
        for model, scripts in own_tokens_as_json(found).items()
    }


def _strategy(
    name: str, group: Sequence[Record], control: Sequence[Record], letters: Mapping[str, str]
) -> dict[str, Any]:
    item = aggregate(name, group)
    return {
        "items": item.items,
        "scored": item.scored,
        "overall": _mean(item.overall),
        "dimensions": {name: _mean(mean) for name, mean in item.dimensions.items()},
        "pass^1": _mean(item.passed),
        "stated": _mean(item.stated),
        "removed": _mean(item.tokens.removed_mean),
        "view_tokens": _mean(item.tokens.view),
        "budget_share": _mean(budget_share(group)),
        **{
            each.name: _mean(mean)
            for each in further("header")
            if (mean := each.mean(group, control)) is not None
        },
        **({"letters": letters[name]} if len(letters) > 1 and name in letters else {}),
    }


def _pair(pair: StrategyPair) -> dict[str, Any]:
    found = pair.paired
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _mean(found.difference),
        "items": found.difference.count,
        # Three digits: a small p value would be 0 with a fixed number of places.
        "p": None if found.p is None else float(f"{found.p:.3g}"),
        "holm": None if pair.holm is None else float(f"{pair.holm:.3g}"),
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "detectable": rounded(found.detectable),
    }


def _best_null(records: Sequence[Record]) -> dict[str, Any] | None:
    found = best_null(records)
    return (
        None
        if found is None
        else {
            "null": found.null,
            "result": found.result,
            "difference": _mean(found.difference),
            "tokens": {"view": rounded(found.tokens[0]), "null": rounded(found.tokens[1])},
        }
    )


def _choices(records: Sequence[Record], control: Sequence[Record]) -> dict[str, Any] | None:
    found = compliance(records, control)
    return (
        None
        if found is None
        else {
            "complied": _mean(found.compacted),
            "paired": {f"c_{name}": _mean(mean) for name, mean in found.paired.items()},
            "effect_retention": rounded(found.retained.value),
            "reason": found.retained.reason,
        }
    )


def _bare(mean: Mean | None) -> dict[str, Any] | None:
    return (
        None if mean is None else {"mean": rounded(mean.value), "interval": _plain(mean.interval)}
    )


def _mean(mean: Mean | None) -> dict[str, Any] | None:
    return None if mean is None else {**(_bare(mean) or {}), "cases": mean.cases}


def _plain(value: Any) -> Any:
    """Figures as plain JSON: means with their intervals, rounded, what is infinite as ``null``."""
    if isinstance(value, Mean):
        return _mean(value)
    if isinstance(value, float):
        return rounded(value) if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


# --- losses ---

_COUNTS: Final = (
    *("facts", "survived", "used", "unused", "dropped", "recoverable", "gone", "unknown"),
    *("contradicted", "guessed", "returned"),
)
_RUNWAY: Final = (
    *("least_free", "messages", "least_messages", "ended", "cut_off"),
    *("peak_before", "peak_after"),
)


def losses_as_json(records: Sequence[Record]) -> dict[str, Any] | None:
    """The losses of one strategy; ``None`` if its records do not tell them.

    A half-life is ``null`` where it is infinite: then there are no ``drops``.
    """
    found = strategy_losses(records)
    if found is None:
        return None
    runway = found.runway
    return {
        **_losses(found.whole),
        "classes": {name: _losses(losses) for name, losses in found.classes.items()},
        "runway": runway
        and {
            "free": _bare(runway.free),
            "free_share": _bare(runway.share),
            **{name: getattr(runway, name) for name in _RUNWAY},
        },
    }


def _losses(losses: FactLosses) -> dict[str, Any]:
    counts = losses.counts
    return {
        **{name: getattr(counts, name) for name in _COUNTS},
        "survival": _bare(counts.survival),
        "recovery": _bare(counts.recovery),
        "after": _plain(losses.table),
        "half_life": _plain(losses.half_life),
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
    for host in _PROVIDERS if priced else ():
        table = prices_at(f"https://{host}")
        usages = (Usage(1, 1000), Usage(1, 1000, 1000), Usage(1, 1000, 0, 0, 1000))
        plain, read, kept, written = (
            table.cost(responder, usage) for usage in (*usages, Usage(1, 0, 0, 1000))
        )
        if plain and read is not None and kept is not None and written is not None:
            ratios = Ratios(read / plain, kept / plain, written / plain)
            return Pricing(f"{responder}, prices of {table.edition}", ratios, plain * 1000)
    return DEFAULT_PRICING


def costs_as_json(records: Sequence[Record]) -> dict[str, Any] | None:
    found = strategy_costs(records, DEFAULT_PRICING)
    if found is None:
        return None
    calls, again, prices = found.calls, found.refetch, found.pricing
    return {
        "compactions": found.compactions,
        "unknown": found.unknown,
        "tokens": {
            "removed": found.removed,
            "cached": found.cached,
            "written": found.written,
            "calls_input": round(calls.input),
            "calls_cached": round(calls.cached),
            "calls_output": round(calls.output),
            "refetch": again.tokens,
            "refetch_recoverable": again.recoverable_tokens,
            "net": found.net_tokens,
        },
        "removed_each": _bare(found.removed_each),
        "prefix": _bare(found.prefix),
        "cost": rounded(found.cost),
        "cost_each": _bare(found.cost_each),
        "saving": rounded(found.saving),
        "saving_each": _bare(found.saving_each),
        "break_even": _plain(found.break_even),
        "break_even_if_cached": _plain(found.if_cached),
        "horizon": found.horizon,
        "net": rounded(found.net),
        "usd": {"cost": _dollars(found.cost_usd), "net": _dollars(found.net_usd)},
        "pricing": {
            "name": prices.name,
            "read": rounded(prices.ratios.read),
            "write": rounded(prices.ratios.write),
            "output": rounded(prices.ratios.output),
            "input_usd": prices.input_usd,
        },
    }


def _dollars(value: float | None) -> float | None:
    return None if value is None else round(value, _DOLLAR_DIGITS)
