"""Tokens that model calls used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

OwnTokens = tuple[tuple[str, str, int, int], ...]
"""By model and script: tokens of requests as they are counted here, and as the endpoint says."""


def pooled(first: OwnTokens, second: OwnTokens, sign: int = 1) -> OwnTokens:
    """The sum of both, or the difference, sorted."""
    sums = {(model, script): (here, own) for model, script, here, own in first}
    for model, script, here, own in second:
        before = sums.get((model, script), (0, 0))
        sums[model, script] = before[0] + sign * here, before[1] + sign * own
    return tuple((*key, *both) for key, both in sorted(sums.items()) if any(both))


def own_tokens_as_json(found: OwnTokens) -> dict[str, dict[str, dict[str, int]]]:
    """By model and script the tokens ``counted`` here, and the ``own`` ones."""
    by_model: dict[str, dict[str, dict[str, int]]] = {}
    for model, script, here, own in found:
        by_model.setdefault(model, {})[script] = {"counted": here, "own": own}
    return by_model


def own_tokens_from(data: Mapping[str, Any]) -> OwnTokens:
    """What :func:`own_tokens_as_json` gave; raises for anything else."""
    return tuple(
        (model, script, int(both["counted"]), int(both["own"]))
        for model, scripts in sorted(data.items())
        for script, both in sorted(scripts.items())
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """Number of calls and of input, cached input and output tokens.

    ``kept_tokens`` and ``kept_long_tokens`` are the parts of the input that a cache was charged
    to keep for minutes and for an hour, where an endpoint says so. ``prompt_tokens`` are the part
    that is the text of a prompt for summaries, whatever the conversation; they are counted here.
    ``own_tokens`` tell the tokenizers of the models.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    kept_tokens: int = 0
    kept_long_tokens: int = 0
    prompt_tokens: int = field(default=0, compare=False)
    own_tokens: OwnTokens = field(default=(), compare=False)

    def __add__(self, other: Usage) -> Usage:
        return self._with(other, 1)

    def __sub__(self, part: Usage) -> Usage:
        return self._with(part, -1)

    def _with(self, other: Usage, sign: int) -> Usage:
        sums = {name: getattr(self, name) + sign * getattr(other, name) for name in _COUNTS}
        return Usage(**sums, own_tokens=pooled(self.own_tokens, other.own_tokens, sign))

    def as_json(self) -> dict[str, Any]:
        """The figures as a dictionary; the last four stand there only if there are any."""
        figures = {**asdict(self), "own_tokens": own_tokens_as_json(self.own_tokens)}
        return {key: n for key, n in figures.items() if n or key not in _RARE}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Usage:
        """What :meth:`as_json` gave."""
        return cls(**{**data, "own_tokens": own_tokens_from(data.get("own_tokens", {}))})


_COUNTS: Final = tuple(each.name for each in fields(Usage) if each.name != "own_tokens")
_RARE: Final = frozenset({"kept_tokens", "kept_long_tokens", "prompt_tokens", "own_tokens"})


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
