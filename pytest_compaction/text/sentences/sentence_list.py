"""The sentences of texts, each prepared for questions, with what stands above and beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Protocol

from pytest_compaction.text.sentences.clauses import Sentence, sentences
from pytest_compaction.text.sentences.names import (
    camel_names,
    capital_words,
    distinct_words,
    in_lower_case,
    lower_words,
    proper_among,
)
from pytest_compaction.text.sentences.parsed import Parsed, parse
from pytest_compaction.text.sentences.passages import SENTENCES, joined
from pytest_compaction.text.words import normalize, raw_tokens

_SHORT: Final = 400
"""Characters of a line that is kept when it was read."""


def read_line(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence or line normalised, and its tokens. Logs and views hold the same lines often."""
    return (_read_line if len(text) <= _SHORT else _read_line.__wrapped__)(text)


@lru_cache(maxsize=8192)
def _read_line(text: str) -> tuple[str, tuple[str, ...]]:
    normal = normalize(text)
    return normal, tuple(raw_tokens(normal))


@dataclass(frozen=True, slots=True)
class ShownNames:
    """What a text shows of the names in it.

    ``camel`` gives the words of the names that it writes in camel case, by the name as
    written; ``capitals`` and ``lower`` are the words that tell proper names, and ``tokens``
    all that could be one.
    """

    tokens: frozenset[str]
    camel: Mapping[str, tuple[str, ...]]
    capitals: frozenset[str]
    lower: frozenset[str]

    @classmethod
    def of(cls, text: str, tokens: frozenset[str]) -> ShownNames:
        """What a text with these tokens shows."""
        words = distinct_words(text)
        return cls(tokens, camel_names(words), capital_words(text), lower_words(words))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text in sentences, and what it shows of the names in it.

    ``normals`` and ``tokens_of`` are the sentences normalised, and the tokens of each.
    """

    text: str
    sentences: tuple[Sentence, ...]
    normals: tuple[str, ...]
    tokens_of: tuple[tuple[str, ...], ...]
    shown: ShownNames

    @classmethod
    def of(cls, text: str) -> Excerpt:
        """Split a text."""
        found = tuple(sentences(text))
        lines = [read_line(sentence.text) for sentence in found]
        tokens_of = tuple(tokens for _, tokens in lines)
        shown = ShownNames.of(text, frozenset[str]().union(*tokens_of))
        return cls(text, found, tuple(normal for normal, _ in lines), tokens_of, shown)


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of a whole text, as far as one of its excerpts has them."""

    camel: tuple[tuple[str, tuple[str, ...]], ...] = ()
    proper: frozenset[str] = frozenset()


def namings_of(shown: Sequence[ShownNames]) -> list[Naming]:
    """For each excerpt of a whole text, the names that all excerpts together show in it."""
    written = {name: parts for one in shown for name, parts in one.camel.items()}
    camel = in_lower_case(written)
    capitals = frozenset[str]().union(*(one.capitals for one in shown))
    proper = proper_among(capitals, [one.lower for one in shown])
    return [
        Naming(
            tuple((name, camel[name]) for name in sorted(camel.keys() & one.tokens)),
            proper & one.tokens,
        )
        for one in shown
    ]


class Lines(Protocol):
    """The sentences of excerpts, one after the other; they are named by their number."""

    @property
    def sentences(self) -> Sequence[Sentence]:
        """What stands above and beside each sentence. Its text may be left out; see ``text_of``."""
        ...

    @property
    def normals(self) -> Sequence[str]:
        """The sentences normalised."""
        ...

    @property
    def tokens_of(self) -> Sequence[tuple[str, ...]]:
        """The tokens of each sentence."""
        ...

    @property
    def excerpt_of(self) -> Sequence[int]:
        """The number of the excerpt that each sentence is of."""
        ...

    @property
    def begins(self) -> Sequence[int]:
        """The number of the first sentence of each excerpt, and in the end of all sentences."""
        ...

    @property
    def texts(self) -> Sequence[str]:
        """The excerpts."""
        ...

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        ...


@dataclass(frozen=True, slots=True)
class HeldLines:
    """The sentences of excerpts, all of them held."""

    sentences: Sequence[Sentence]
    normals: Sequence[str]
    tokens_of: Sequence[tuple[str, ...]]
    excerpt_of: Sequence[int]
    begins: Sequence[int]
    texts: Sequence[str]

    @classmethod
    def of(cls, excerpts: Sequence[Excerpt]) -> HeldLines:
        """The sentences of excerpts, one after the other."""
        sentences: list[Sentence] = []
        normals: list[str] = []
        tokens_of: list[tuple[str, ...]] = []
        excerpt_of: list[int] = []
        begins = [0]
        blocks = 0
        for number, excerpt in enumerate(excerpts):
            before = len(sentences)
            sentences += [_moved(one, before, blocks) for one in excerpt.sentences]
            normals += excerpt.normals
            tokens_of += excerpt.tokens_of
            excerpt_of += [number] * len(excerpt.sentences)
            begins.append(len(sentences))
            blocks = max((one.block for one in sentences[before:]), default=blocks) + 1
        texts = [excerpt.text for excerpt in excerpts]
        return cls(sentences, normals, tokens_of, excerpt_of, begins, texts)

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        return self.sentences[number].text


def _moved(sentence: Sentence, before: int, blocks: int) -> Sentence:
    """The sentence with the numbers that it has behind ``before`` others."""
    if not before:
        return sentence
    context = tuple(number + before for number in sentence.context)
    last = sentence.last if sentence.last < 0 else sentence.last + before
    return replace(sentence, context=context, last=last, block=sentence.block + blocks)


class SentenceList:
    """The sentences of excerpts, one after the other; they are named by their number.

    No sentence stands above or beside one of another excerpt. What takes longer, places and
    cues, is read when asked for and then kept.
    """

    def __init__(
        self,
        lines: Lines,
        names: Sequence[Mapping[str, tuple[str, ...]]],
        proper: Sequence[frozenset[str]],
    ) -> None:
        """The sentences, and the names that each excerpt has; see :class:`Naming`."""
        self.sentences = lines.sentences
        self.normals = lines.normals
        self.tokens_of = lines.tokens_of
        self.excerpt_of = lines.excerpt_of
        self.begins = lines.begins
        self._lines = lines
        self._names = names
        self._proper = proper
        self._parsed: dict[int, Parsed] = {}
        self._beside: dict[int, list[int]] = {}
        self._around: dict[int, Parsed] = {}

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        return self._lines.text_of(number)

    def names_of(self, number: int) -> Mapping[str, tuple[str, ...]]:
        """The words of the names in camel case in the excerpt of a sentence, in lower case."""
        return self._names[self.excerpt_of[number]]

    def is_removed(self, number: int) -> bool:
        """Whether a diff takes this line away."""
        return self.sentences[number].removed

    def parsed(self, number: int) -> Parsed:
        """The sentence with this number, prepared for questions."""
        if number not in self._parsed:
            sentence = self.sentences[number]
            normal = self.normals[number]
            proper = self._proper[self.excerpt_of[number]]
            here = proper.intersection(self.tokens_of[number]) if proper else proper
            self._parsed[number] = parse(normal, self.names_of(number), sentence.code, here)
        return self._parsed[number]

    def beside(self, number: int) -> list[int]:
        """Sentences near this one in the same bullet or paragraph: they may share a passage."""
        if number not in self._beside:
            self._beside[number] = self._found_beside(number)
        return self._beside[number]

    def _found_beside(self, number: int) -> list[int]:
        sentence, away = self.sentences[number], SENTENCES - 1
        around = range(max(number - away, 0), min(number + away + 1, len(self.sentences)))
        return [beside for beside in around if self._is_beside(beside, number, sentence)]

    def around(self, number: int) -> Parsed:
        """The sentence with those beside it, read as one."""
        if number not in self._around:
            numbers = sorted([number, *self.beside(number)])
            self._around[number] = joined([self.parsed(one) for one in numbers])
        return self._around[number]

    def _is_beside(self, beside: int, number: int, sentence: Sentence) -> bool:
        """Whether both stand in one block, and neither is the lead-in of the other."""
        other = self.sentences[beside]
        return (
            beside != number
            and other.block == sentence.block
            and beside not in sentence.context
            and number not in other.context
        )

    def passages(self, number: int) -> list[range]:
        """The passages that hold this sentence, short ones first."""
        near = [*self.beside(number), number]
        low, high = min(near), max(near)
        return [
            range(first, first + size)
            for size in range(2, SENTENCES + 1)
            for first in range(number - size + 1, number + 1)
            if low <= first and first + size - 1 <= high
        ]
