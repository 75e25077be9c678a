"""Further wordings of one alternative of a key group: set expressions, and words of mere degree.

"turned down" is also asked for by the words that the list of synonyms has for it, and "completely
removed" also without the adverb, which a summary drops without saying anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pytest_compaction.text.keys.alternatives import Alternative, Term, alternative, is_value
from pytest_compaction.text.lexicon.synonyms import base_stem
from pytest_compaction.text.lexicon.vocabulary import same_expressions
from pytest_compaction.text.words import NEGATIONS, raw_tokens, stem

_LONGEST: Final = 4
"""Words of the longest expression that is looked for."""
_DEGREE: Final = frozenset(
    stem(word)
    for word in """actually altogether certainly clearly completely definitely directly entirely
    explicitly fully quite really simply totally wholly""".split()
)


@lru_cache(maxsize=8192)
def reworded(asked: Alternative) -> tuple[Alternative, ...]:
    """The alternative, and how else the same may be put.

    What is a set expression as a whole is not asked for by its one content word: "left out" is not
    any "left".
    """
    if asked.relation:
        return (asked,)
    words = _words(asked)
    keys = same_expressions(tuple(map(base_stem, words)))
    if keys and len(asked.terms) < len(words) and not asked.negative:
        return (replace(asked, terms=(Term(keys),)),)
    return (asked, *_by_expression(asked, words), *_without_degree(asked))


def _words(asked: Alternative) -> list[str]:
    return raw_tokens(asked.normal.replace("-", " "))


def _by_expression(asked: Alternative, words: list[str]) -> Iterator[Alternative]:
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST, len(words)) + 1):
            row = words[start:end]
            keys = same_expressions(tuple(map(base_stem, row)))
            if keys and not NEGATIONS.intersection(row):
                inside = {term for word in row for term in alternative(word).terms}
                others = tuple(term for term in asked.terms if term not in inside)
                yield replace(asked, normal="", terms=(Term(keys), *others))


def _without_degree(asked: Alternative) -> Iterator[Alternative]:
    others = tuple(
        term for term in asked.terms if is_value(term) or _DEGREE.isdisjoint(term.keys[:1])
    )
    if others and len(others) < len(asked.terms):
        yield replace(asked, normal="", terms=others)
