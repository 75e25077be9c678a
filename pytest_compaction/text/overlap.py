"""Graded overlap: how much of a statement a text holds, for facts that have no key groups.

The words of a statement are looked for in two neighbouring sentences of the text. Words are
compared by stem and family ("discovery", "discovered"), numbers and dates by value. A value weighs
more than a word and a name less, because a text about a person names that person in most of its
sentences.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.values import Key, values_of
from pytest_compaction.text.words import STOPWORDS, normalize, segments, stem

STATED_SHARE: Final = 0.6
"""From this share of its weight on, a statement is stated."""
UNCERTAIN_SHARE: Final = 0.45
"""From this share on it is uncertain; below, absent."""

NAME_WEIGHT: Final = 0.7
VALUE_WEIGHT: Final = 2.0
FAMILY: Final = 5
"""Letters that the stems of one family of words share."""
SENTENCES: Final = 2
"""Neighbouring sentences that are read together."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_END: Final = re.compile(r"(?<=[.!?;])\s+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a statement one place of a text holds: the share (0 to 1), and which words."""

    share: float
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    passage: str = ""


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or value of a statement, with the keys under which a text may hold it."""

    text: str
    keys: frozenset[Key]
    weight: float


class PreparedText:
    """A text with an index of its sentences, built once for many statements. Linear."""

    def __init__(self, text: str) -> None:
        self.sentences: tuple[str, ...] = tuple(
            piece for segment in segments(text) for piece in _END.split(segment) if piece.strip()
        )
        self._holders: dict[Key, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            keys = {key for word in _words(sentence) for key in _word_keys(word)}
            for value in values_of(sentence):
                keys |= value.held
            for key in keys:
                self._holders[key].append(number)

    def holders(self, keys: frozenset[Key]) -> set[int]:
        """The numbers of the sentences that hold one of the keys."""
        return {number for key in keys for number in self._holders.get(key, ())}

    def passage(self, number: int) -> str:
        """The sentences that are read together from this number on."""
        return " ".join(self.sentences[number : number + SENTENCES])


def overlap(statement: str, text: PreparedText) -> Overlap:
    """The place of the text that holds most of the statement, with what it holds and lacks."""
    terms = _terms(statement)
    total = sum(term.weight for term in terms)
    if not total:
        return Overlap(0.0)
    weights: dict[int, float] = defaultdict(float)
    held: dict[int, set[int]] = defaultdict(set)
    for index, term in enumerate(terms):
        starts = {
            max(number - back, 0) for number in text.holders(term.keys) for back in range(SENTENCES)
        }
        for start in starts:
            weights[start] += term.weight
            held[start].add(index)
    if not weights:
        return Overlap(0.0, (), tuple(term.text for term in terms))
    best = min(weights, key=lambda start: (-weights[start], start))
    return Overlap(
        min(weights[best] / total, 1.0),
        tuple(term.text for index, term in enumerate(terms) if index in held[best]),
        tuple(term.text for index, term in enumerate(terms) if index not in held[best]),
        text.passage(best),
    )


def share(statement: str, text: PreparedText) -> float:
    """How much of the statement the text holds in one place, from 0 (nothing) to 1 (all)."""
    return overlap(statement, text).share


def _words(text: str) -> list[str]:
    return _WORD.findall(normalize(text))


@lru_cache(maxsize=65536)
def _word_keys(word: str) -> frozenset[Key]:
    word = word.removesuffix("'s")
    if word in STOPWORDS or not word.isalpha():
        return frozenset() if word in STOPWORDS else frozenset({("word", word)})
    root = stem(word)
    family = {("family", root[:FAMILY])} if len(word) > FAMILY and len(root) >= FAMILY else set()
    return frozenset({("word", root), *family})


@lru_cache(maxsize=8192)
def _terms(statement: str) -> tuple[_Term, ...]:
    values = values_of(statement)
    terms: dict[frozenset[Key], _Term] = {}
    rest = statement
    for value in values:
        start, end = value.span
        rest = rest[:start] + " " * (end - start) + rest[end:]
        terms[value.asked] = _Term(statement[start:end], value.asked, VALUE_WEIGHT)
    for match in _WORD.finditer(rest.translate(str.maketrans("’", "'"))):
        for word in _words(match[0]):
            keys = _word_keys(word)
            weight = NAME_WEIGHT if match[0][0].isupper() and match.start() else 1.0
            if keys:
                terms.setdefault(keys, _Term(match[0], keys, weight))
    return tuple(terms.values())
