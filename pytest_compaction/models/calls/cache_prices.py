"""What a prefix cache costs: a dated table of ratios to the input price, by model family.

The table is data (``cache_prices.json``). Where the price table knows what a model's cached
and written tokens cost, the ratios of reading and of output are those of the model itself. A
model that is in no family, or without a price, has no ratios of its own.
"""

from __future__ import annotations

from pytest_compaction.metrics.cost.formula import Pricing, Ratios
from pytest_compaction.models.calls.cache_ratios import family_of, ratio_table
from pytest_compaction.models.calls.prices import prices_at


def default_pricing() -> Pricing:
    """Stated ratios without dollars, for a run that names no model with a price."""
    stated = ratio_table()["default"]
    return Pricing(stated["name"], Ratios(stated["read"], stated["write"], stated["output"]))


def model_pricing(model: str) -> Pricing | None:
    """The ratios and the input price of a model; ``None`` if no provider's table knows it.

    Only for a model that is known to be asked at the host of a provider: elsewhere one of the
    same name may have other prices.
    """
    for provider in ratio_table()["providers"]:
        table = prices_at(f"https://{provider['host']}")
        price = table.price(model)
        name = table.known_name(model)
        if price is None or name is None:
            continue
        family = family_of(name, provider)
        if family is None:
            return None
        read = 1.0 if price.cached_input is None else price.cached_input / price.input
        ratios = Ratios(read, family["write"], price.output / price.input)
        return Pricing(f"{name}, prices of {table.as_of}", ratios, price.input)
    return None
