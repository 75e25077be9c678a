"""The sentences of a long log or view in little memory.

What stands above and beside a sentence is held in arrays, and the sentence normalised among the
bytes of all of them. Its tokens are found again when they are asked for, which happens for few of
a hundred thousand; to show a sentence as it is written, its message is read again.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.text.by_number import ByNumber
from pytest_compaction.text.packed_texts import PackedTexts
from pytest_compaction.text.sentences.clauses import Sentence, sentences
from pytest_compaction.text.sentences.sentence_list import Excerpt
from pytest_compaction.text.words import raw_tokens

_REMEMBERED: Final = 250_000
"""Characters of the messages that are held in sentences because one of them was shown lately."""


class LongLines:
    """Sentences of texts that are added one after the other; see ``Lines``."""

    def __init__(self, texts: Sequence[str]) -> None:
        """The ``texts`` are looked up again; each is added once, in order."""
        self.begins = array("I", [0])
        self.texts = texts
        self.excerpt_of = array("I")
        self._blocks = array("I")
        self._lasts = array("i")
        self._marks = bytearray()
        """Whether a diff removes a sentence, and whether it is code."""
        self._contexts: list[tuple[int, ...]] = []
        self._block = 0
        self._normals = PackedTexts()
        self._shown = SizedCache[int, list[str]](
            _REMEMBERED, lambda written: sum(map(len, written))
        )

    def add(self, excerpt: Excerpt) -> None:
        """Take in the sentences of the next text."""
        before, blocks = len(self._marks), self._block
        context: tuple[int, ...] = ()
        for one in excerpt.sentences:
            moved = tuple(number + before for number in one.context)
            context = context if moved == context else moved  # neighbours share one
            self._contexts.append(context)
            self._lasts.append(one.last if one.last < 0 else one.last + before)
            self._blocks.append(one.block + blocks)
            self._marks.append(2 * one.removed + one.code)
            self.excerpt_of.append(len(self.begins) - 1)
        if excerpt.sentences:
            self._block = blocks + max(one.block for one in excerpt.sentences) + 1
        for normal in excerpt.normals:
            self._normals.append(normal)
        self.begins.append(len(self._marks))

    @property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences without their texts."""
        return ByNumber(self._outline, len(self._marks))

    @property
    def normals(self) -> Sequence[str]:
        """The sentences normalised."""
        return ByNumber(self._normals.__getitem__, len(self._marks))

    @property
    def tokens_of(self) -> Sequence[tuple[str, ...]]:
        """The tokens of each sentence."""
        return ByNumber(self._tokens, len(self._marks))

    def tokens_in(self, of: int) -> frozenset[str]:
        """The tokens of all sentences of a text."""
        numbers = range(self.begins[of], self.begins[of + 1])
        return frozenset[str]().union(*map(self._tokens, numbers))

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        of = self.excerpt_of[number]
        written = self._shown.get(of, lambda: [one.text for one in sentences(self.texts[of])])
        return written[number - self.begins[of]]

    def _outline(self, number: int) -> Sentence:
        return Sentence(
            "",
            self._blocks[number],
            self._contexts[number],
            self._marks[number] >= 2,
            self._marks[number] % 2 == 1,
            self._lasts[number],
        )

    def _tokens(self, number: int) -> tuple[str, ...]:
        return tuple(raw_tokens(self._normals[number]))
