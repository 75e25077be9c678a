"""Where a sentence holds set expressions of several words: "settled on", "turned it down".

The words of an expression follow one another; only a particle may stand away from its verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pytest_compaction.text.lexicon.synonyms import base_stem, forms_of
from pytest_compaction.text.lexicon.vocabulary import Expression, expression_key, expressions_from

_PARTICLES: Final = frozenset(
    """about across along apart around aside away back down forward in off on out over through
    up""".split()
)
_BETWEEN: Final = 3
"""The most words between a verb and its particle."""
Token = tuple[str, int]
"""A token of a normalised sentence and the place where it begins."""


def forms_of_words(key: str) -> list[tuple[str, ...]]:
    """The stems that a sentence with the expression holds, one of each tuple."""
    return [forms_of(word) for word in key.split(" ")]


def expressions_in(tokens: Sequence[Token]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The keys of the expressions that a sentence holds, with their places. Linear."""
    opened = [
        (first, found) for first, (token, _) in enumerate(tokens) if (found := _opened_by(token))
    ]
    if not opened:
        return
    roots = [base_stem(token) for token, _ in tokens]
    for first, found in opened:
        for expression in found:
            last = _end(expression, roots, first)
            if last is not None:
                token, start = tokens[last]
                yield expression_key(expression), (tokens[first][1], start + len(token))


@lru_cache(maxsize=65536)
def _opened_by(token: str) -> tuple[Expression, ...]:
    """The expressions that begin with this word."""
    return expressions_from(base_stem(token))


def _end(expression: Expression, roots: Sequence[str], first: int) -> int | None:
    """The number of the token that ends the expression begun by this one, if it stands there."""
    place = first
    for word in expression[1:]:
        widest = _BETWEEN if word in _PARTICLES and len(expression) == 2 else 0
        following = roots[place + 1 : place + 2 + widest]
        if word not in following:
            return None
        place += 1 + following.index(word)
    return place
