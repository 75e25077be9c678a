"""Tokens that model calls used."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field
from operator import add, sub
from typing import Final


@dataclass(frozen=True, slots=True)
class Usage:
    """Number of calls and of input, cached input and output tokens.

    ``kept_tokens`` and ``kept_long_tokens`` are the parts of the input that a cache was charged
    to keep for minutes and for an hour, where an endpoint says so. ``prompt_tokens`` are the part
    that is the text of a prompt for summaries, whatever the conversation; they are counted here.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    kept_tokens: int = 0
    kept_long_tokens: int = 0
    prompt_tokens: int = field(default=0, compare=False)

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))

    def __sub__(self, part: Usage) -> Usage:
        return Usage(*map(sub, astuple(self), astuple(part)))

    def as_json(self) -> dict[str, int]:
        """The figures as a dictionary; the last three stand there only if they are not 0."""
        figures: dict[str, int] = asdict(self)
        return {key: n for key, n in figures.items() if n or key not in _RARE}


_RARE: Final = frozenset({"kept_tokens", "kept_long_tokens", "prompt_tokens"})


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
