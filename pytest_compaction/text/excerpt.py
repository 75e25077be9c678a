"""A text in sentences, and the names that it shows."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.names import (
    camel_names,
    capital_words,
    distinct_words,
    in_lower_case,
    lower_words,
    proper_among,
)
from pytest_compaction.text.sentence_splitting import Sentence, sentences
from pytest_compaction.text.words import normalize, raw_tokens

_SHORT: Final = 400
"""Characters of a line that is kept when it was read."""


def read_line(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence or line normalised, and its tokens. Logs and views hold the same lines often.

    Equal tokens are one string, so that a long log takes a third of the memory.
    """
    return (_read_line if len(text) <= _SHORT else _read_line.__wrapped__)(text)


@lru_cache(maxsize=8192)
def _read_line(text: str) -> tuple[str, tuple[str, ...]]:
    normal = normalize(text)
    return normal, tuple(map(sys.intern, raw_tokens(normal)))


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
