"""A sentence of a view, and what is read of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_compaction.text.words import content_stems, normalize

_LEAD: Final = re.compile(
    r"^(?:as for|about|now to|regarding|concerning|i come from|so|by the way|before i forget"
    r"|here is|this is what|and another thing|what i wanted|since we|good to have|back to"
    r"|please remember|oh|well)\b[^,:.]{0,60}[,:]\s+(?:because |and |that )?",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"[;{}]\s*$|=>|\)\s*:$|</|^\s*(?:<|//|/\*|#include|import |from \w+ import|@|const |let |var )"
    r"|\w\(\)"
)
_LEAST_WORDS: Final = 4
_SHORT: Final = 60
"""Characters of a question that does not tell anything."""


@dataclass(frozen=True)
class Statement:
    """A sentence of the view; ``exchange`` is the number of the request that it belongs to.

    What is read of it is read once, as several questions are asked of a view.
    """

    text: str
    exchange: int
    by_user: bool

    @cached_property
    def proper(self) -> str:
        """The sentence without the words that only lead to it."""
        return _LEAD.sub("", self.text, count=1) or self.text

    @cached_property
    def normal(self) -> str:
        """The sentence proper, normalised."""
        return normalize(self.proper)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words of content."""
        return frozenset(content_stems(self.normal))

    @property
    def is_prose(self) -> bool:
        """Whether it is a sentence and no line of code."""
        return len(self.text.split()) >= _LEAST_WORDS and _CODE.search(self.text) is None

    @property
    def asks(self) -> bool:
        """Whether it is a question, which states nothing."""
        return self.text.rstrip().endswith("?")

    @property
    def asks_only(self) -> bool:
        """Whether it is a short question; a long one tells something before it asks."""
        return self.asks and len(self.text) < _SHORT
