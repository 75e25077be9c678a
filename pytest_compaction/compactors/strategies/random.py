"""``random``: sentences of what was said, drawn at random until the budget is full. A null.

Each sentence has a priority that depends on the seed, its message and its number there,
and those with the lowest priorities are kept (a bottom-k sample; Cohen and Kaplan,
"Summarizing Data Using Bottom-k Sketches", PODC 2007). A later compaction keeps the
lowest of what is left and what is new, which is what one draw from the whole log at the
same room would have kept. So repeated compactions stay a uniform sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.said import SaidCompactor, Sentence, taken
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.conversation.tokens import TokenCounter


class Random(SaidCompactor):
    """Keeps a seeded uniform sample of the sentences that were said; ``seed`` is a whole number."""

    name = "random"
    description = "sentences of what was said, drawn at random (seed=0); no tool traffic"
    preamble = (
        "Some sentences of what was said earlier in this conversation, word for word. It is a "
        "record, not a request."
    )

    def __init__(self, seed: int = 0) -> None:
        check_whole("seed", seed, 0)
        self.seed = seed

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        """The sentences of lowest priority until one does not fit."""
        return taken(sorted(said, key=self.priority), room, tokens)

    def priority(self, sentence: Sentence) -> bytes:
        """Where a sentence stands in the draw: a hash, the same in every compaction."""
        drawn = f"{self.seed}\0{sentence.id}\0{sentence.number}"
        return hashlib.blake2b(drawn.encode("utf-8", "replace"), digest_size=16).digest()


STRATEGY: Final = Random
