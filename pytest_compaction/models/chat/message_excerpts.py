"""The excerpts of one message, with what it takes to rank them and to find facts in them.

A message stands in the logs of several compaction points, and its excerpts are asked for by all
probes of a case: they are made, and read for a fact, once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.text.file_changes.plain_changes import with_keys
from pytest_compaction.text.keys.alternatives import Alternative, has_words
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.sentences.sentence_index import SentenceIndex
from pytest_compaction.text.sentences.sentence_list import Excerpt, namings_of
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.statement_keys import wanted_groups
from pytest_compaction.text.words import content_stems, normalize

EXCERPT_CHARACTERS: Final = 600
"""An excerpt takes whole lines up to this many characters; a longer line is cut."""
_GONE: Final = frozenset({"deleted", "renamed"})
"""Changes that a command on a folder states of each file in it, without naming the file."""
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
            self._stated[statement] = tuple(
                number
                for number in self._possible(statement)
                if self._indexes[number].is_stated(statement)
            )
        return self._stated[statement]

    def _possible(self, statement: Statement) -> list[int]:
        """The excerpts in which each key group is held; the others cannot state it."""
        keyed = with_keys(statement)
        if not keyed.keys or keyed.change in _GONE:
            return list(range(len(self.texts)))
        wanted = wanted_groups(keyed)
        found = set(range(len(self.texts)))
        # Values take long to read: they are looked for where the words of the others stand.
        for group in sorted(wanted, key=lambda group: not all(map(has_words, group))):
            found &= self._holders(group, found)
            if not found:
                break
        return sorted(found)

    def _holders(self, group: tuple[Alternative, ...], among: set[int]) -> set[int]:
        of = self._index.excerpt_of
        near = {number for number, excerpt in enumerate(of) if excerpt in among}
        return {of[number] for number in self._index.holders_of_group(group, near)}

    @cached_property
    def _excerpts(self) -> tuple[Excerpt, ...]:
        return tuple(map(Excerpt.of, self.texts))

    @cached_property
    def _index(self) -> SentenceIndex:
        """All excerpts, each with the names of its own text alone."""
        excerpts = self._excerpts
        return SentenceIndex.of_excerpts(excerpts, [namings_of([one.shown])[0] for one in excerpts])

    @cached_property
    def _indexes(self) -> tuple[_ExcerptIndex, ...]:
        return tuple(map(_ExcerptIndex, self._excerpts))


class _ExcerptIndex(TextIndex):
    """The index of an excerpt whose sentences are known."""

    def __init__(self, excerpt: Excerpt) -> None:
        super().__init__(excerpt.text)
        self._excerpt = excerpt

    @cached_property
    def _index(self) -> SentenceIndex:
        return SentenceIndex.of_excerpts([self._excerpt], namings_of([self._excerpt.shown]))


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
