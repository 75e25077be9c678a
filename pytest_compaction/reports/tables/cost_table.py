"""What strategies cost and save, as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_compaction.metrics.cost import BreakEven, Pricing, StrategyCosts
from pytest_compaction.reports.tables.table import Cell, Table, count, estimate, table

_HEADS: Final = (
    ("compactor", "compactor"),
    ("compactions", "compactions"),
    ("removed", "removed"),
    ("removed_each", "removed each"),
    ("prefix", "prefix kept"),
    ("cached", "cached"),
    ("written", "written"),
    ("calls_input", "read to summarise"),
    ("calls_output", "summaries"),
    ("cost_each", "cost each"),
    ("saving_each", "saving each"),
    ("break_even", "pays after"),
    ("break_even_if_cached", "pays if cached"),
    ("refetch", "to read again"),
    ("refetch_recoverable", "of that recoverable"),
    ("net_tokens", "net tokens"),
    ("net", "net"),
)
_DOLLARS: Final = (("cost_usd", "cost, US dollars"), ("net_usd", "net, US dollars"))


def cost_table(found: Mapping[str, StrategyCosts]) -> Table:
    """Tokens removed, costs and savings of one or more strategies, at the same prices.

    In US dollars too if the model has a price.
    """
    first = next(iter(found.values()))
    priced = first.pricing.input_usd is not None
    rows = [
        (Cell(name), *_costs(costs), *(_dollars(costs) if priced else ()))
        for name, costs in found.items()
    ]
    heads = (*_HEADS, *(_DOLLARS if priced else ()))
    return table("cost", "What compaction costs and saves", heads, rows, _notes(first))


def _costs(costs: StrategyCosts) -> Iterator[Cell]:
    yield count(costs.compactions)
    yield count(costs.removed)
    yield estimate(costs.removed_each, "count", (-math.inf, math.inf))
    yield estimate(costs.prefix, "share", (0, 1))
    yield count(costs.cached)
    yield count(costs.written)
    yield count(costs.calls.input)
    yield count(costs.calls.output)
    yield estimate(costs.cost_each, "count", (-math.inf, math.inf))
    yield estimate(costs.saving_each, "count", (-math.inf, math.inf))
    yield _requests(costs.break_even)
    yield _requests(costs.if_cached)
    yield count(costs.refetch.tokens)
    yield count(costs.refetch.recoverable_tokens)
    yield count(costs.net_tokens)
    yield count(costs.net)


def _dollars(costs: StrategyCosts) -> Iterator[Cell]:
    yield Cell(costs.cost_usd, "score")
    yield Cell(costs.net_usd, "score")


def _requests(found: BreakEven) -> Cell:
    if found.requests is None:
        return Cell(None, "number", absent="never", estimated=True)
    return Cell(found.requests, "number", estimated=True, interval=found.interval)


def _notes(costs: StrategyCosts) -> Iterator[str]:
    yield f"Prices: {_prices(costs.pricing)}."
    yield (
        "Cost, saving and net are worth as many input tokens: cost of a compaction with the next "
        "request after it, saving of each later request, and net of all over "
        f"{costs.horizon} later requests, after reading again what was dropped. Pays after: later "
        "requests until the cost is saved; if cached: had the summariser read its input from the "
        "cache. Net tokens: removed, as often as there are requests, less the calls and what is "
        "read again."
    )
    yield (
        "Prefix kept: share of the request before that the view begins with; cached and written "
        "are the tokens of the view that the cache holds, and the others. Intervals are 95 % over "
        "cases."
    )


def _prices(pricing: Pricing) -> str:
    ratios = pricing.ratios
    if pricing.input_usd is None:
        return pricing.name
    return (
        f"{pricing.name}; read {ratios.read:g}, write {ratios.write:g}, output {ratios.output:g} "
        f"times the input price of {pricing.input_usd:g} US dollars for a million tokens"
    )
