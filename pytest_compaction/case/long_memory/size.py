"""How long a conversation is in the words of its set: ``100K``, ``500K``, ``1M``, ``10M``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

from pytest_compaction.conversation.messages import Message

_NAME: Final = re.compile(r"\d+(?:\.\d+)?[KM]", re.IGNORECASE)
CHARACTERS_PER_TOKEN: Final = 4
"""About, for English text."""
_STEPS: Final = (1, 2, 5, 10)


def is_size(name: str) -> bool:
    """Whether the name of a folder is that of a size."""
    return _NAME.fullmatch(name) is not None


def size_of(messages: Iterable[Message]) -> str:
    """The step of the series 1, 2, 5 that is nearest to the tokens of a conversation, about."""
    tokens = sum(len(message.text) for message in messages) / CHARACTERS_PER_TOKEN
    power = 10 ** int(math.log10(max(tokens, 1.0)))
    near = min(_STEPS, key=lambda step: abs(math.log(max(tokens, 1.0) / (step * power))))
    steps = near * power
    if steps >= 10**6:
        return f"{steps // 10**6}M"
    return f"{steps // 1000}K" if steps >= 1000 else str(steps)


def size_name(tokens: int) -> str:
    """The name of the folder for conversations of so many tokens, as in ``100K`` and ``1.5M``."""
    unit, name = (10**6, "M") if tokens >= 10**6 else (10**3, "K")
    return f"{tokens / unit:.6f}".rstrip("0").rstrip(".") + name


def size_rank(size: str) -> float:
    """A number by which sizes are ordered; what is no size comes last."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KM]?)", size, re.IGNORECASE)
    if match is None:
        return math.inf
    return float(match[1]) * {"": 1, "K": 10**3, "M": 10**6}[match[2].upper()]
