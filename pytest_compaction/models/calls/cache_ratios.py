"""Ratios of the prices of a prefix cache to the input price, by host and model family.

The table is data (``cache_prices.json``), with source and date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


def write_ratios(host: str, model: str) -> tuple[float, float]:
    """What a token costs that is kept for minutes, and for an hour, by the input price.

    Where the table knows no charge for it, a token costs as much as any other.
    """
    for provider in ratio_table()["providers"]:
        if provider["host"] == host:
            found = family_of(model, provider)
            short = float(found["write"]) if found is not None else 1.0
            return short, float(provider.get("write_1h", short)) if found is not None else 1.0
    return 1.0, 1.0


def family_of(model: str, provider: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The ratios of the first family of a provider in which the model is."""
    families: list[Mapping[str, Any]] = provider["families"]
    return next((each for each in families if re.fullmatch(each["models"], model)), None)


@cache
def ratio_table() -> dict[str, Any]:
    """The table as it stands in the file."""
    text = resources.files(__package__).joinpath("cache_prices.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table
