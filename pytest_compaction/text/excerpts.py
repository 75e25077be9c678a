"""A text in sentences, and the names that it shows: in camel case, and proper names."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.sentence_splitting import Sentence, sentences
from pytest_compaction.text.words import STOPWORDS, normalize, raw_tokens, stem

_CAMEL: Final = re.compile(r"\b[A-Za-z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b")
_HUMPED: Final = re.compile("[a-z0-9][A-Z]")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+")
_CAPITAL: Final = re.compile(r"[A-Z](?<![\w/.][A-Z])[a-z]++(?![\w/]|\.\w)")
"""The letter is sought before it is asked what stands before it, which is faster."""
_LOWER: Final = re.compile(r"(?<![\w/.])[a-z]+(?![\w/]|\.\w)")
_CALENDAR: Final = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december easter""".split()
)
_OPENS: Final = re.compile(r"(?:^|[.!?]\s+|\n\s*)[\W_]*$")


def camel_names(text: str) -> dict[str, tuple[str, ...]]:
    """The stems of the words of each name in camel case, by the name as it is written."""
    names: dict[str, tuple[str, ...]] = {}
    if not _HUMPED.search(text):
        return names
    for name in sorted(set(_CAMEL.findall(text))):
        parts = _HUMP.findall(name)
        if len(parts) > 1:
            names[name] = tuple(stem(part.lower()) for part in parts)
    return names


def in_lower_case(names: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The stems by the names in lower case; of two spellings the last one in order counts."""
    return {name.casefold(): names[name] for name in sorted(names)}


def capital_words(text: str) -> frozenset[str]:
    """The words, in lower case, that have a capital where no sentence begins."""
    return frozenset(
        match[0].lower()
        for match in _CAPITAL.finditer(text)
        if not _OPENS.search(text[max(match.start() - 8, 0) : match.start()])
    )


def lower_words(text: str) -> frozenset[str]:
    """The words without a capital."""
    return frozenset(_LOWER.findall(text))


def proper_among(capitals: Collection[str], lower: Collection[frozenset[str]]) -> frozenset[str]:
    """The words with a capital that none of the texts also has without one."""
    return frozenset(
        word
        for word in capitals
        if word not in STOPWORDS
        and word not in _CALENDAR
        and not any(word in words for words in lower)
    )


@lru_cache(maxsize=4096)
def proper_names(text: str) -> frozenset[str]:
    """The words that are written with a capital where no sentence begins, and never without one.

    They are given in lower case.
    """
    capitals = capital_words(text)
    return proper_among(capitals, [lower_words(text)] if capitals else [])


_SHORT: Final = 400
"""Characters of a line that is kept when it was read."""


@lru_cache(maxsize=8192)
def _read_line(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence or line normalised, and its tokens. Logs and views hold the same lines often.

    Equal tokens are one string, so that a long log takes a third of the memory.
    """
    normal = normalize(text)
    return normal, tuple(map(sys.intern, raw_tokens(normal)))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text in sentences, and what it shows of the names in it.

    ``normals`` and ``tokens_of`` are the sentences normalised, and the tokens of each. ``camel``
    gives the words of the names that it writes in camel case, by the name as written;
    ``capitals`` and ``lower`` are the words that tell proper names, and ``tokens`` all that could
    be one.
    """

    text: str
    sentences: tuple[Sentence, ...]
    normals: tuple[str, ...]
    tokens_of: tuple[tuple[str, ...], ...]
    tokens: frozenset[str]
    camel: Mapping[str, tuple[str, ...]]
    capitals: frozenset[str]
    lower: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Excerpt:
        """Split a text."""
        found = tuple(sentences(text))
        lines = [
            (_read_line if len(one.text) <= _SHORT else _read_line.__wrapped__)(one.text)
            for one in found
        ]
        tokens_of = tuple(tokens for _, tokens in lines)
        words = " ".join(
            set(text.split())
        )  # each once: enough for names and words in small letters
        return cls(
            text,
            found,
            tuple(normal for normal, _ in lines),
            tokens_of,
            frozenset[str]().union(*tokens_of),
            camel_names(words),
            capital_words(text),
            lower_words(words),
        )


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of a whole text, as far as one of its excerpts has them."""

    camel: tuple[tuple[str, tuple[str, ...]], ...] = ()
    proper: frozenset[str] = frozenset()


def namings_of(shown: Sequence[Excerpt]) -> list[Naming]:
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
