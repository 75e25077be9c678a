"""What a call costs: a dated table of list prices, looked up by endpoint and model name.

The table is data (``prices.json``: US dollars per million tokens, with source and
date). A model that is not in it, or whose host is not in it, has no price. Nothing is
guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final

from pytest_compaction.models.calls.address import host_of
from pytest_compaction.models.calls.cache_ratios import write_ratios
from pytest_compaction.models.usage import Usage

_DATED: Final = re.compile(r"-(?:latest|\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|preview-\d{2}-\d{4})$")
"""Endings that name a version of the same model at the same price."""
_PER_TOKENS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; ``cached_input`` is ``None`` where there is no discount.

    A request of more than ``up_to_input_tokens`` costs more than the table says. ``kept`` and
    ``kept_long`` are for tokens that a cache keeps for minutes and for an hour; ``None`` is as
    much as for others.
    """

    input: float
    cached_input: float | None
    output: float
    up_to_input_tokens: int | None = None
    kept: float | None = None
    kept_long: float | None = None

    def of(self, usage: Usage) -> float | None:
        """US dollars for a usage; ``None`` if its calls are on average too long for the table.

        Cached tokens are part of the input tokens, as endpoints report them.
        """
        limit = self.up_to_input_tokens
        if limit is not None and usage.input_tokens > limit * max(usage.calls, 1):
            return None
        cached = min(usage.cached_tokens, usage.input_tokens)
        discounted = self.input if self.cached_input is None else self.cached_input
        kept = min(usage.kept_tokens, usage.input_tokens - cached)
        long = min(usage.kept_long_tokens, usage.input_tokens - cached - kept)
        total = (
            (usage.input_tokens - cached - kept - long) * self.input
            + cached * discounted
            + kept * (self.input if self.kept is None else self.kept)
            + long * (self.input if self.kept_long is None else self.kept_long)
            + usage.output_tokens * self.output
        )
        return total / _PER_TOKENS


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of one host. ``as_of`` is the date (ISO 8601) on which they were in force."""

    as_of: str
    source: str
    host: str
    models: Mapping[str, Price]

    def as_json(self) -> dict[str, str]:
        """Date and source, for the header line of a run."""
        return {"as_of": self.as_of, "source": self.source}

    def price(self, model: str) -> Price | None:
        """The price of a model, ``None`` if the table does not know it."""
        name = self.known_name(model)
        return None if name is None else self.models[name]

    def known_name(self, model: str) -> str | None:
        """The name under which the table knows a model, or ``None``.

        A name is looked up without a prefix ``models/``, then also without an ending that
        names a version: a date, ``latest``, or a release number of three or four digits.
        """
        name = table_name(model)
        shorter = _DATED.sub("", name)
        return next((known for known in (name, shorter) if known in self.models), None)

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars for a usage; ``None`` without a price."""
        price = self.price(model)
        return None if price is None else price.of(usage)


def table_name(model: str) -> str:
    """The name of a model as it stands in a table."""
    return model.strip().casefold().removeprefix("models/")


def prices_at(base_url: str | None) -> PriceTable:
    """The prices of the host of a base URL; an unknown or local host has no prices.

    ``None`` or an empty text means the default host of the openai package.
    """
    data = _table()
    host = host_of(base_url)
    models: dict[str, Price] = {}
    for provider in data["providers"]:
        if host in provider["hosts"]:
            models = {
                model["name"]: _with_cache(price_of(model), host, model["name"])
                for model in provider["models"]
            }
    return PriceTable(data["as_of"], data["source"], host, models)


def price_of(model: Mapping[str, Any]) -> Price:
    """The price of an entry of a table."""
    return Price(
        model["input"],
        model.get("cached_input"),
        model["output"],
        model.get("up_to_input_tokens"),
        model.get("cache_write"),
        model.get("cache_write_1h"),
    )


def _with_cache(price: Price, host: str, model: str) -> Price:
    """The price with that of keeping tokens in the cache of the host."""
    short, long = write_ratios(host, model)
    return replace(price, kept=price.input * short, kept_long=price.input * long)


@cache
def _table() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("prices.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table
