"""Tokens that model calls used."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Number of calls and of input, cached input and output tokens."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
        )

    def __sub__(self, part: Usage) -> Usage:
        return Usage(
            self.calls - part.calls,
            self.input_tokens - part.input_tokens,
            self.cached_tokens - part.cached_tokens,
            self.output_tokens - part.output_tokens,
        )

    def as_json(self) -> dict[str, int]:
        """The four figures as a dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OwnCalls:
    """Calls that a strategy made with a client of its own.

    ``usd`` (US dollars) is ``None`` if one of them has no price.
    """

    usage: Usage = Usage()
    usd: float | None = 0.0

    def __add__(self, other: OwnCalls) -> OwnCalls:
        known = self.usd is not None and other.usd is not None
        return OwnCalls(
            self.usage + other.usage, (self.usd or 0) + (other.usd or 0) if known else None
        )
