"""When to compact: at the points of a case, at a size, after some turns, when due or worth it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.conversation import Message

TriggerKind = Literal["case", "window", "tokens", "growth", "turns", "auto", "adaptive"]

_PLAIN: Final[tuple[TriggerKind, ...]] = ("case", "auto", "adaptive")
_COUNTED: Final[tuple[TriggerKind, ...]] = ("tokens", "growth", "turns")


class TriggerError(ValueError):
    """A trigger cannot be read; the text says what to write instead."""


def expected_saving(view_tokens: int, budget: int, turns: int, asks: bool = True) -> int:
    """Tokens that compacting now is expected to save, its own cost taken off; may be negative.

    A dialogue is expected to have as many user turns again as it has had. Making the summary
    reads the view and writes the new one, unless it ``asks`` no model.
    """
    cost = view_tokens + budget if asks else 0
    return turns * max(view_tokens - budget, 0) - cost


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule and its limit: a share of the window, a number of tokens or of user turns."""

    kind: TriggerKind = "case"
    limit: float = 0.0

    def __str__(self) -> str:
        if not self.limit:
            return self.kind
        whole = int(self.limit) == self.limit
        return f"{self.kind}:{int(self.limit) if whole else self.limit}"

    @property
    def weighs_view(self) -> bool:
        return self.kind in {"adaptive", "window", "tokens"}

    def fires(
        self,
        tokens: int,
        window: int,
        since: Sequence[Message],
        due: str | None,
        budget: int = 0,
        turns: int = 0,
        asks: bool = True,
    ) -> bool:
        """Whether to compact now.

        ``since`` are the messages after the last compaction; ``tokens`` are those of the view, and
        for ``growth`` those of ``since``.
        """
        if self.kind == "adaptive":
            return expected_saving(tokens, budget, turns, asks) > 0
        if self.kind == "window":
            return tokens >= self.limit * window
        if self.kind in {"tokens", "growth"}:
            return tokens >= self.limit
        if self.kind == "turns":
            return sum(message.role == "user" for message in since) >= self.limit
        return self.kind == "auto" and due is not None


def parse_trigger(text: str) -> Trigger:
    """Read ``case``, ``auto``, ``window:0.8``, ``tokens:20000``, ``growth:9000``, ``turns:5``, …"""
    name, _, value = text.partition(":")
    for plain in _PLAIN:
        if text == plain:
            return Trigger(plain)
    try:
        limit = float(value)
    except ValueError:
        limit = -1.0
    if name == "window" and 0 < limit <= 1:
        return Trigger("window", limit)
    for kind in _COUNTED:
        if name == kind and 1 <= limit < math.inf:
            return Trigger(kind, limit)
    raise TriggerError(
        f"{text!r} is not a trigger; write case, auto, window:F (0 < F <= 1), tokens:N, growth:N, "
        "turns:N or adaptive"
    )
