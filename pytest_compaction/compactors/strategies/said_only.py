"""``said-only``: what user and assistant said, without tool traffic. A null.

It has no idea behind it: the newest sentences come first until the budget is full. The
first request stays beside them, and one line lists the paths that tool calls touched. A
strategy that does not beat it at equal tokens has not been shown to be worth anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pytest_compaction.artifacts.operations import file_operations
from pytest_compaction.compactors.base.said import SaidCompactor, Sentence, taken
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter

_FIRST_REQUEST: Final = 0.25
"""The most of the room that the first request takes; a longer one loses its end."""


class SaidOnly(SaidCompactor):
    """Keeps the first request, the newest sentences that were said, and a list of paths."""

    name = "said-only"
    description = "what user and assistant said, newest first; no tool traffic; paths listed"
    preamble = (
        "What was said earlier in this conversation, word for word. Calls of tools and their "
        "results were left out. It is a record, not a request."
    )

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        """The first request, then the newest sentences until one does not fit."""
        first = next((sentence.id for sentence in said if sentence.role == "user"), None)
        request = [sentence for sentence in said if sentence.id == first]
        kept = taken(request, int(room * _FIRST_REQUEST), tokens)
        left = room - sum(tokens.text(sentence.text) + 1 for sentence in kept)
        held = set(kept)
        newest = (sentence for sentence in reversed(said) if sentence not in held)
        return [*kept, *taken(newest, left, tokens)]

    def paths(self, known: Sequence[str], new: Sequence[Message]) -> list[str]:
        """The paths of the note before and of the calls since, each once, the newest last."""
        latest = dict.fromkeys(reversed([*known, *_touched(tuple(new))]))
        return list(reversed(latest))


@lru_cache(maxsize=64)
def _touched(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """The paths of tool calls; remembered, because a null reads the same log at many budgets."""
    return tuple(operation.path for operation in file_operations(messages))


STRATEGY: Final = SaidOnly
