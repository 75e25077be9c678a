"""What a conversation is about: the words that were said, to weigh what only tools printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.cues import exact_tokens
from pytest_compaction.text import content_stems, normalize

_COMMON: Final = 0.2
"""A word in more than this share of what was said tells nothing about a line."""


class Topics:
    """The words that user and assistant said. A line that names some of them matters more."""

    def __init__(self, messages: Sequence[Message]) -> None:
        said = [m.text for m in messages if m.role in {"user", "assistant"} and m.text]
        counts: Counter[str] = Counter()
        for text in said:
            counts.update(set(content_stems(normalize(text))))
        most = max(3.0, _COMMON * len(said))
        self._known = {stem for stem, number in counts.items() if number <= most}

    def named(self, text: str) -> int:
        """How many of the words of a line were talked about; figures do not count."""
        stems = set(content_stems(normalize(text)))
        return sum(stem in self._known and not stem[:1].isdigit() for stem in stems)

    def share(self, text: str) -> float:
        """From 0 to 1.5: how much of a line was talked about."""
        return min(self.named(text), 5) * 0.3

    def worth(self, line: str) -> float:
        """The worth of a printed line: what it names exactly, and what was talked about."""
        return min(len(exact_tokens(line)), 4) * 0.5 + self.share(line)
