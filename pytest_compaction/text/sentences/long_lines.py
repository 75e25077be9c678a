"""The sentences of a long log or view in little memory.

What stands above and beside a sentence is held in arrays. The words of a sentence are not held:
its message is read again when they are asked for, which happens for few of a hundred thousand.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar, overload

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.text.sentences.clauses import Sentence
from pytest_compaction.text.sentences.sentence_list import Excerpt

_REMEMBERED: Final = 250_000
"""Characters of the messages whose words are held because they were asked for lately."""
T = TypeVar("T")


class ByNumber(Sequence[T], Generic[T]):
    """What a function gives for each number below a length."""

    def __init__(self, of: Callable[[int], T], length: int) -> None:
        self._of = of
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        numbers = range(self._length)[place]
        if isinstance(numbers, range):
            return [self._of(number) for number in numbers]
        return self._of(numbers)


class LongLines:
    """Sentences of texts that are added one after the other; see ``Lines``."""

    def __init__(self, remembered: int = _REMEMBERED) -> None:
        """``remembered`` characters of the texts are held with their words."""
        self.begins = array("I", [0])
        self.texts: list[str] = []
        self.excerpt_of = array("I")
        self._blocks = array("I")
        self._lasts = array("i")
        self._marks = bytearray()
        """Whether a diff removes a sentence, and whether it is code."""
        self._contexts: list[tuple[int, ...]] = []
        self._block = 0
        self._read = SizedCache[int, Excerpt](remembered, lambda one: len(one.text))

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
            self.excerpt_of.append(len(self.texts))
        if excerpt.sentences:
            self._block = blocks + max(one.block for one in excerpt.sentences) + 1
        self._read.get(len(self.texts), lambda: excerpt)
        self.texts.append(excerpt.text)
        self.begins.append(len(self._marks))

    @property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences without their texts."""
        return ByNumber(self._outline, len(self._marks))

    @property
    def normals(self) -> Sequence[str]:
        """The sentences normalised."""
        return ByNumber(self._normal, len(self._marks))

    @property
    def tokens_of(self) -> Sequence[tuple[str, ...]]:
        """The tokens of each sentence."""
        return ByNumber(self._tokens, len(self._marks))

    def excerpt(self, of: int) -> Excerpt:
        """The text with this number, read again if it is not held."""
        return self._read.get(of, lambda: Excerpt.of(self.texts[of]))

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        excerpt, place = self._at(number)
        return excerpt.sentences[place].text

    def _outline(self, number: int) -> Sentence:
        return Sentence(
            "",
            self._blocks[number],
            self._contexts[number],
            self._marks[number] >= 2,
            self._marks[number] % 2 == 1,
            self._lasts[number],
        )

    def _normal(self, number: int) -> str:
        excerpt, place = self._at(number)
        return excerpt.normals[place]

    def _tokens(self, number: int) -> tuple[str, ...]:
        excerpt, place = self._at(number)
        return excerpt.tokens_of[place]

    def _at(self, number: int) -> tuple[Excerpt, int]:
        """The excerpt that a sentence is of, read again if it is not held, and its place there."""
        of = self.excerpt_of[number]
        return self.excerpt(of), number - self.begins[of]
