"""The price of a call: the user's own prices, then the list prices of ``genai-prices``.

The package is loaded when a first cost is computed. A model or host that it does not know, and
that no file of the user names, has no price. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pytest_compaction.case import CaseFault, read_checked, refuse_faults
from pytest_compaction.models.calls.address import host_of
from pytest_compaction.models.usage import Usage
from pytest_compaction.secrets import scrubbed
from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices at one address; ``own`` are entries of the user's file by model name.

    ``edition`` says in a few words which prices they are, ``as_of`` and ``source`` say it for the
    header line of a run.
    """

    url: str
    source: str
    as_of: str = ""
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """The host of the address."""
        return host_of(self.url)

    @property
    def edition(self) -> str:
        """The date of the user's prices, or name and version of the package."""
        return self.as_of or self.source

    def as_json(self) -> dict[str, str]:
        """Date and source, for the header line of a run."""
        return ({"as_of": self.as_of} if self.as_of else {}) | {"source": self.source}

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars for a usage; ``None`` without a price.

        Cached tokens are part of the input tokens, as endpoints report them. Long requests may
        cost more: several calls count as if each of them was of their average length.
        """
        calls = max(usage.calls, 1)
        cached = min(usage.cached_tokens, usage.input_tokens)
        kept = min(usage.kept_tokens, usage.input_tokens - cached)
        long = min(usage.kept_long_tokens, usage.input_tokens - cached - kept)
        plain = usage.input_tokens - cached - kept - long
        parts = [divmod(tokens, calls) for tokens in (plain, cached, kept, long)]
        written, left = divmod(usage.output_tokens, calls)
        each = self._price(model, [part for part, _ in parts], written)
        rest = [part + over for part, over in parts]
        last = each if calls == 1 else self._price(model, rest, written + left)
        return None if each is None or last is None else float(each * (calls - 1) + last)

    def knows(self, model: str) -> bool:
        """Whether a model has a price."""
        return self.cost(model, Usage(1)) is not None

    def _price(self, model: str, read: list[int], written: int) -> Decimal | None:
        from genai_prices import Usage as PricedUsage
        from genai_prices import calc_price
        from genai_prices.types import ModelPrice

        _, cached, kept, long = read
        usage = PricedUsage(
            input_tokens=sum(read),
            cache_read_tokens=cached,
            cache_write_tokens=kept + long,
            cache_write_1h_tokens=long,
            output_tokens=written,
        )
        name = _table_name(model)
        if name in self.own:
            entry = self.own[name]

            if usage.input_tokens > entry.get("up_to_input_tokens", usage.input_tokens):
                return None
            keys = ("input", "cached_input", "cache_write", "cache_write_1h", "output")
            units = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
            amounts = [entry["input"] if entry.get(key) is None else entry[key] for key in keys]
            prices = zip(
                (*units, "output_mtok"), (Decimal(repr(each)) for each in amounts), strict=True
            )
            total: Decimal = ModelPrice(**dict(prices)).calc_price(usage)["total_price"]
            return total
        try:
            price: Decimal = calc_price(usage, name, provider_api_url=self.url).total_price
        except LookupError:
            return None
        return price


def _table_name(model: str) -> str:
    return model.strip().casefold().removeprefix("models/")


def prices_at(base_url: str | None) -> PriceTable:
    """The list prices at a base URL; an unknown or local host has none.

    ``None`` or an empty text means the default host of the openai package.
    """
    host = host_of(base_url)
    path = urlsplit(base_url).path if host and base_url else ""
    edition = f"genai-prices {version('genai-prices')}"
    return PriceTable(f"https://{host or 'unknown'}{path}", edition)


PROVIDERS: Final = (
    "api.anthropic.com",
    "api.openai.com",
    "api.deepseek.com",
    "generativelanguage.googleapis.com",
)
"""Hosts whose list prices are known."""


def list_price(model: str, usage: Usage) -> float | None:
    """US dollars for a usage at the list prices of the first provider that has the model."""
    tables = (prices_at(f"https://{host}") for host in PROVIDERS)
    return next((cost for each in tables if (cost := each.cost(model, usage)) is not None), None)


def with_file(table: PriceTable, path: Path | None, shown: str = "") -> PriceTable:
    """A price table in which the prices of a file come first; the table itself without a file.

    ``shown`` is how the file is named to the user. Raises :class:`OptionError` with the file, the
    JSON pointer and what was expected.
    """
    if path is None:
        return table
    data = _read(path, shown)
    source = shown + (f" ({data['source']})" if "source" in data else "")
    return replace(
        table,
        as_of=data["as_of"],
        source=scrubbed(f"{source}; other models: {table.source}"),
        own={_table_name(model["name"]): model for model in data["models"]},
    )


def _read(path: Path, shown: str) -> Mapping[str, Any]:

    def unusable(why: str) -> OptionError:
        return OptionError(
            f"--compaction-prices={shown} {printable(why, 300)}; write "
            '{"as_of": "2026-01-31", "models": [{"name": "my-model", "input": 3, "output": 15}]}, '
            "in US dollars per million tokens"
        )

    found: Mapping[str, Any] = read_checked(path, (__package__, "price_file.schema.json"), unusable)
    names = [_table_name(model["name"]) for model in found["models"]]
    again = [
        CaseFault(f"/models/{number}/name", f"{name!r} again", "each model once")
        for number, name in enumerate(names)
        if names.index(name) != number
    ]
    refuse_faults(again, unusable)
    return found
