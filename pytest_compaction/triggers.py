"""When a log is compacted: at the case's points, at a size, every so many turns, or when due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_compaction.conversation import Message

TriggerKind = Literal["case", "window", "tokens", "turns", "auto"]


class TriggerError(ValueError):
    """A trigger cannot be read; the text says what was expected."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule and its limit: a share of the window, a number of tokens, or of user turns."""

    kind: TriggerKind = "case"
    limit: float = 0.0

    def fires(
        self, view_tokens: int, window: int, since: Sequence[Message], due: str | None
    ) -> bool:
        """Whether to compact now; ``since`` are the messages after the last compaction."""
        if self.kind == "window":
            return view_tokens >= self.limit * window
        if self.kind == "tokens":
            return view_tokens >= self.limit
        if self.kind == "turns":
            return sum(message.role == "user" for message in since) >= self.limit
        return self.kind == "auto" and due is not None


def parse_trigger(text: str) -> Trigger:
    """Read ``case``, ``auto``, ``window:0.8``, ``tokens:20000`` or ``turns:5``."""
    kind, _, value = text.partition(":")
    if kind in {"case", "auto"} and not value:
        return Trigger("case" if kind == "case" else "auto")
    try:
        limit = float(value)
    except ValueError:
        limit = -1.0
    if kind == "window" and 0 < limit <= 1:
        return Trigger("window", limit)
    if kind == "tokens" and 1 <= limit < math.inf:
        return Trigger("tokens", limit)
    if kind == "turns" and 1 <= limit < math.inf:
        return Trigger("turns", limit)
    raise TriggerError(
        f"{text!r} is no trigger; write case, auto, window:F (0 < F <= 1), tokens:N or turns:N"
    )
