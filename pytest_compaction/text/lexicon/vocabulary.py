"""What the words of keys are found by: near synonyms, set expressions and other spellings.

The groups are those of ``synonyms.txt``, whose head says how they are read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pytest_compaction.text.lexicon.synonyms import (
    GROUPS,
    IRREGULAR_FORMS,
    Entry,
    StemIndex,
    base_form,
    base_stem,
    listed_groups,
)
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
def _groups() -> tuple[tuple[Entry, ...], ...]:
    """The irregular forms of each word, and the groups of the list."""
    irregular = (((base,), *((form,) for form in forms)) for base, forms in IRREGULAR_FORMS.items())
    return (*irregular, *listed_groups())


@lru_cache(maxsize=1)
def _words() -> StemIndex:
    """The groups by the words that are entries of theirs."""
    numbered = enumerate(_groups())
    return StemIndex(
        (form, number)
        for number, group in numbered
        for entry in group
        if len(entry) == 1
        for form in _forms(entry[0])
    )


@lru_cache(maxsize=1)
def _first_words() -> StemIndex:
    """The groups by the first words of the expressions in them."""
    return StemIndex(
        (base_form(entry[0]), number)
        for number, group in enumerate(_groups())
        for entry in group
        if len(entry) > 1
    )


def _forms(word: str) -> tuple[str, ...]:
    return (word, *IRREGULAR_FORMS.get(word, ()))


@lru_cache(maxsize=8192)
def _keys_of_group(number: int) -> tuple[str, ...]:
    return tuple(key for entry in _groups()[number] for key in _keys_of(entry))


def _keys_of(entry: Entry) -> list[str]:
    if len(entry) > 1:
        return [expression_key(_expression(entry))]
    return [stem(form) for form in _forms(entry[0])]


def _expression(entry: Entry) -> Expression:
    return tuple(map(base_stem, entry))


@lru_cache(maxsize=65536)
def expressions_from(root: str) -> tuple[Expression, ...]:
    """The expressions of the list whose first word has this stem."""
    entries = (entry for number in _first_words().rows(root) for entry in _groups()[number])
    found = (_expression(e) for e in entries if len(e) > 1 and base_stem(e[0]) == root)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def same_words(word: str) -> tuple[str, ...]:
    """The keys under which a text may hold this word or one that summaries use for it."""
    keys: dict[str, None] = {}
    for form in (word, *_respelled(word)):
        root = stem(form)
        keys[root] = None
        for number in _words().rows(root):
            keys.update(dict.fromkeys(_keys_of_group(number)))
    return tuple(keys)


@lru_cache(maxsize=8192)
def same_expressions(words: Expression) -> tuple[str, ...]:
    """The keys of an expression of several words and of what the list has for it, if it has it."""
    if not words or words not in expressions_from(words[0]):
        return ()
    key = expression_key(words)
    groups = map(_keys_of_group, _first_words().rows(words[0]))
    return tuple(dict.fromkeys([key, *(one for keys in groups if key in keys for one in keys)]))


@lru_cache(maxsize=8192)
def expression_senses(expression: Expression) -> frozenset[int]:
    """The numbers of the groups that hold an expression, counted as those of single words are."""
    first = len(_groups()) - len(listed_groups()) - len(GROUPS)
    key = expression_key(expression)
    rows = _first_words().rows(expression[0])
    return frozenset(number - first for number in rows if key in _keys_of_group(number))


def _respelled(word: str) -> tuple[str, ...]:
    """The word as the other side of the Atlantic spells it, if that differs."""
    return tuple(
        changed
        for pattern, spelling in _SPELLINGS
        if (changed := pattern.sub(spelling, word, count=1)) != word
    )
