"""The excerpts of one message, with what it takes to rank them and to find facts in them.

A message stands in the logs of several compaction points, and its excerpts are asked for by all
probes of a case: they are made, and read for a fact, once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.text import LogIndex, Statement, content_stems, normalize

EXCERPT_CHARACTERS: Final = 600
"""An excerpt takes whole lines up to this many characters; a longer line is cut."""
_MESSAGES: Final = 4096
"""The most messages that are remembered."""


_STEMS: Final[SizedCache[tuple[str, ...], tuple[Sequence[str], ...]]] = SizedCache(
    1_000_000, lambda stems: sum(map(len, stems))
)
"""The stems of the excerpts of a message; together so many, which is those of a long case."""


def _stems_of(text: str) -> Sequence[str]:
    return content_stems(normalize(text))


@lru_cache(maxsize=_MESSAGES)
def message_excerpts(text: str) -> MessageExcerpts:
    """The excerpts of a message with this text."""
    return MessageExcerpts(text)


class MessageExcerpts:
    """Excerpts of a few lines, in order. Building is linear in the text."""

    def __init__(self, text: str) -> None:
        self.texts = tuple(_pieces(text))
        self._stated: dict[Statement, tuple[int, ...]] = {}

    def stems(self) -> tuple[Sequence[str], ...]:
        """The stems of each excerpt that count for its rank."""
        return _STEMS.get(self.texts, lambda: tuple(map(_stems_of, self.texts)))

    def that_state(self, statement: Statement) -> tuple[int, ...]:
        """The numbers of the excerpts that state this; the counterparts do not matter."""
        if statement not in self._stated:
            self._stated[statement] = self._index.stating(statement)
        return self._stated[statement]

    @cached_property
    def _index(self) -> LogIndex:
        return LogIndex(self.texts)


def _pieces(text: str) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in text.splitlines():
        for start in range(0, len(line), EXCERPT_CHARACTERS):
            piece = line[start : start + EXCERPT_CHARACTERS]
            if held and size + len(piece) > EXCERPT_CHARACTERS:
                yield "\n".join(held)
                held, size = [], 0
            held.append(piece)
            size += len(piece) + 1
    if any(piece.strip() for piece in held):
        yield "\n".join(held)
