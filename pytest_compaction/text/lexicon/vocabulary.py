"""What the words of keys are found by: near synonyms, set expressions and other spellings.

The groups are those of ``synonyms.txt``, whose head says how they are read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import Final

from pytest_compaction.text.lexicon.synonyms import IRREGULAR_FORMS, Entry, base_stem, listed_groups
from pytest_compaction.text.words import stem

_SPELLINGS: Final = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"(?<=[a-z]{2})our(?=$|s|ed|ing|al|ful)", "or"),
        (r"(?<=(?:col|vol|fav|hon|lab|hum|nei|eho|avi))or(?=$|s|ed|ing|al)", "our"),
        (r"(?<=[a-z]{3})is(?=e$|es$|ed$|ing$|ation)", "iz"),
        (r"(?<=[a-z]{3})iz(?=e$|es$|ed$|ing$|ation)", "is"),
        (r"(?<=[a-z])ys(?=e$|es$|ed$|ing$)", "yz"),
        (r"(?<=[a-z])yz(?=e$|es$|ed$|ing$)", "ys"),
        (r"(?<=[a-z]{2}[aeiou])ll(?=ed$|ing$)", "l"),
        (r"(?<=[bcdnv][aeo])l(?=ed$|ing$)", "ll"),
        (r"tre(?=$|s$)", "ter"),
        (r"(?<=cen)ter(?=$|s$)", "tre"),
        (r"ogue(?=$|s$)", "og"),
        (r"(?<=al)og(?=$|s$)", "ogue"),
    )
)


Expression = tuple[str, ...]
"""The stems of a set expression of several words, irregular forms by their base."""


def expression_key(expression: Expression) -> str:
    """What a sentence that holds the expression can be asked by; no word has a space."""
    return " ".join(expression)


@lru_cache(maxsize=1)
def _same() -> dict[str, tuple[str, ...]]:
    """The keys of all words and expressions in the groups of each, itself first."""
    table: dict[str, dict[str, None]] = {}
    irregular = ([(base,), *((form,) for form in forms)] for base, forms in IRREGULAR_FORMS.items())
    for group in [*irregular, *listed_groups()]:
        keys = [key for entry in group for key in _keys_of(entry)]
        for key in keys:
            table.setdefault(key, {key: None}).update(dict.fromkeys(keys))
    return {key: tuple(others) for key, others in table.items()}


def _keys_of(entry: Entry) -> list[str]:
    if len(entry) > 1:
        return [expression_key(tuple(map(base_stem, entry)))]
    return [stem(form) for form in (entry[0], *IRREGULAR_FORMS.get(entry[0], ()))]


@lru_cache(maxsize=1)
def expressions() -> dict[str, tuple[Expression, ...]]:
    """The expressions of the list by the stem of their first word."""
    found: dict[str, dict[Expression, None]] = defaultdict(dict)
    for entry in (entry for group in listed_groups() for entry in group if len(entry) > 1):
        expression = tuple(map(base_stem, entry))
        found[expression[0]][expression] = None
    return {first: tuple(others) for first, others in found.items()}


@lru_cache(maxsize=8192)
def same_words(word: str) -> tuple[str, ...]:
    """The keys under which a text may hold this word or one that summaries use for it."""
    keys: dict[str, None] = {}
    for form in (word, *_respelled(word)):
        root = stem(form)
        keys.update(dict.fromkeys(_same().get(root, (root,))))
    return tuple(keys)


def same_expressions(words: Expression) -> tuple[str, ...]:
    """The keys of an expression of several words and of what the list has for it, if it has it."""
    return _same().get(expression_key(words), ())


def _respelled(word: str) -> tuple[str, ...]:
    """The word as the other side of the Atlantic spells it, if that differs."""
    return tuple(
        changed
        for pattern, spelling in _SPELLINGS
        if (changed := pattern.sub(spelling, word, count=1)) != word
    )
