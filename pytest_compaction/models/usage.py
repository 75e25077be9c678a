"""Tokens that model calls used."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from operator import add, sub


@dataclass(frozen=True, slots=True)
class Usage:
    """Number of calls and of input, cached input and output tokens.

    ``kept_tokens`` and ``kept_long_tokens`` are the parts of the input that a cache was charged
    to keep for minutes and for an hour, where an endpoint says so.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    kept_tokens: int = 0
    kept_long_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    def __sub__(self, part: Usage) -> Usage:
        return Usage(*map(sub, astuple(self), astuple(part)))

    def as_json(self) -> dict[str, int]:
        """The figures as a dictionary; what was kept stands there only if anything was."""
        figures: dict[str, int] = asdict(self)
        return {key: n for key, n in figures.items() if n or not key.startswith("kept")}


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
