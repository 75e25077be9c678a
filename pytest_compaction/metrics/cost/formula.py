"""Cost and saving of one compaction where a provider caches the prefix of requests.

The unit is the price of one input token, so that all figures are input-token equivalents. With
a request of C tokens before, a view of P + S + T tokens after (P: the prefix that stays as it
was, S: the summary, T: the tail), and the ratios of a provider (read, write, output):

    cost   = call + P * read + (S + T) * write - C * read
    saving = (C - P - S - T) * read                       of each later request
    break-even = cost / saving

``call`` is what the summariser call costs: C at the full price, or C * read if it sends the
same prefix again and so reads it from the cache, and S * output for what it writes. The
next request is part of the cost: it reads P from the cache and writes the rest, where it would
have read all C. Break-even counts the requests after that one. Source: section 10 ("Prices and
cache") of this project's notes on compaction strategies (2026): C = 150,000, S = 4,000,
T = 20,000 and P = 10,000 break even after 16 requests, or 4.4 if the call reads the cache, at
ratios of 0.1, 1.25 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Ratios:
    """Prices of a token by the price of an input token that is not cached.

    ``read``: from the cache, 0 to 1. ``write``: into the cache, 1 where it is free. ``output``:
    written by the model.
    """

    read: float
    write: float
    output: float


@dataclass(frozen=True, slots=True)
class Pricing:
    """The ratios of a model, and US dollars for a million of its input tokens, if known.

    ``name`` says whose ratios they are, in words for a reader.
    """

    name: str
    ratios: Ratios
    input_usd: float | None = None

    def usd(self, equivalents: float) -> float | None:
        """US dollars for input-token equivalents; ``None`` without a price."""
        return None if self.input_usd is None else equivalents * self.input_usd / 1_000_000


DEFAULT_PRICING: Final = Pricing(
    "assumed: read 0.1, write 1.25, output 5 times the input price", Ratios(0.1, 1.25, 5)
)
"""Stated ratios without dollars, for a run that names no model with a price."""


@dataclass(frozen=True, slots=True)
class SummaryCalls:
    """Tokens of the calls that wrote the summaries; ``cached`` is part of ``input``."""

    input: float = 0
    cached: float = 0
    output: float = 0

    def __add__(self, other: SummaryCalls) -> SummaryCalls:
        return SummaryCalls(
            self.input + other.input, self.cached + other.cached, self.output + other.output
        )

    def part(self, share: float) -> SummaryCalls:
        """A share (0 to 1) of all three."""
        return SummaryCalls(self.input * share, self.cached * share, self.output * share)

    def from_cache(self) -> SummaryCalls:
        """The same calls, had the cache held all of their input."""
        return SummaryCalls(self.input, self.input, self.output)

    def cost(self, ratios: Ratios) -> float:
        """Input-token equivalents."""
        cached = min(self.cached, self.input)
        return (self.input - cached) + cached * ratios.read + self.output * ratios.output


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of the request before a compaction and of the view after it.

    ``prefix`` are those of the whole messages at the beginning that both share.
    """

    before: int
    after: int
    prefix: int

    @property
    def removed(self) -> int:
        """Tokens that later requests do not send; below 0 if the view is the larger one."""
        return self.before - self.after

    @property
    def written(self) -> int:
        """Tokens of the view that the cache does not hold."""
        return self.after - self.prefix


def compaction_cost(sizes: Iterable[Sizes], calls: SummaryCalls, ratios: Ratios) -> float:
    """The cost of compactions: their calls, and the next request after each of them.

    The next request counts with what it costs more (or less) than the one without compaction.
    """
    return calls.cost(ratios) + sum(
        (each.prefix - each.before) * ratios.read + each.written * ratios.write for each in sizes
    )


def request_saving(sizes: Iterable[Sizes], ratios: Ratios) -> float:
    """What a later request after each compaction costs less; below 0 if views are larger."""
    return sum(each.removed for each in sizes) * ratios.read


def break_even(cost: float, saving: float) -> float | None:
    """Later requests after which the saving has paid for the cost.

    0 if there is nothing to pay; ``None`` if it is never paid, because nothing is saved.
    """
    if cost <= 0:
        return 0.0
    return cost / saving if saving > 0 else None
