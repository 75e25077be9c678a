"""Sizes of a conversation as parameters name them: messages, tokens, a share of the window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message

Unit = Literal["messages", "tokens", "fraction"]

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:(messages|tokens|fraction)\s*)?")


@dataclass(frozen=True, slots=True)
class Size:
    """An amount and its unit; a fraction is a share of the window, above 0 and at most 1."""

    amount: float
    unit: Unit = "messages"

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit}"

    def tokens(self, context: Context) -> int:
        """The size in tokens; not for a number of messages."""
        return int(self.amount * context.window if self.unit == "fraction" else self.amount)

    def reached(self, messages: Sequence[Message], context: Context) -> bool:
        """Whether a conversation is as large as this or larger."""
        if self.unit == "messages":
            return len(messages) >= self.amount
        return context.tokens.messages(messages) >= max(self.tokens(context), 1)


Clause = tuple[Size, ...]
"""Sizes that must all be reached."""


def parse_size(name: str, value: int | float | str) -> Size:
    """Read ``20``, ``20messages``, ``3000tokens`` or ``0.3fraction``; the key ``name`` is shown.

    Raises ``ValueError`` with the accepted forms.
    """
    found = _SIZE.fullmatch(str(value))
    unit: Unit = "messages"
    if found and found[2] in {"tokens", "fraction"}:
        unit = "tokens" if found[2] == "tokens" else "fraction"
    amount = float(found[1]) if found else 0.0
    whole = amount <= 1 if unit == "fraction" else amount == int(amount)
    if isinstance(value, bool) or amount <= 0 or not whole:
        raise ValueError(
            f"{name}={value} must be a number of messages such as 20, or a size such as "
            "3000tokens or 0.3fraction (of the window)"
        )
    return Size(amount, unit)


def parse_clauses(name: str, value: int | float | str) -> tuple[Clause, ...]:
    """Read sizes joined by ``&`` (all) and ``|`` (any); empty text gives no clause."""
    if str(value).strip() == "" and not isinstance(value, bool):
        return ()
    return tuple(
        tuple(parse_size(name, size) for size in clause.split("&"))
        for clause in str(value).split("|")
    )
