"""Synonyms of words and set expressions, irregular forms, and opposites.

The words are those of the files in ``english``, of which each head says how it is read.
``synonyms.txt`` is the list for the words of keys, of which each decides alone; the groups of
``groups.txt`` count only in part, where the share of a statement's words decides. A text that holds
a phrase of ``phrases.txt`` is found by the word that it stands for: "paid no attention to" by
"ignored".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import islice, takewhile
from typing import Final

from pytest_compaction.text.words import stem

SHORT_STEM: Final = 2
"""Letters of a stem that is the beginning of its words, as "be" is of "being"."""


def table(name: str) -> list[str]:
    """The rows of a file of words; lines that begin with ``#`` are about them."""
    text = resources.files(__package__).joinpath("english", f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


_BASES: Final = {
    form: base for base, *forms in map(str.split, table("irregular")) for form in forms
}
IRREGULAR_FORMS: Final = {
    base: tuple(form for form, of in _BASES.items() if of == base)
    for base in dict.fromkeys(_BASES.values())
}
"""The irregular forms of each base form that has some."""
_FORMS: Final = {
    stem(base): tuple(dict.fromkeys(stem(form) for form in (base, *forms)))
    for base, forms in IRREGULAR_FORMS.items()
}


def forms_of(root: str) -> tuple[str, ...]:
    """The stems of the forms of a word, the regular and the irregular ones, by its own stem."""
    return _FORMS.get(stem(_BASES.get(root, root)), (root,))


@lru_cache(maxsize=65536)
def base_stem(word: str) -> str:
    """The stem of a word in lower case; an irregular form has the stem of its base."""
    return stem(_BASES.get(word, word))


GROUPS: Final = tuple(table("groups"))
"""Groups of words with one sense, each the words with spaces between."""


class StemIndex:
    """Rows of a table by the stem of a word of theirs, which is read only when asked for.

    To stem the whole list takes longer than most runs have to wait for it. A stem and its word
    differ from the stem's last letter on, so the words to stem stand side by side in the alphabet.
    """

    def __init__(self, rows: Iterable[tuple[str, int]]) -> None:
        found: dict[str, list[int]] = defaultdict(list)
        for word, row in rows:
            found[word].append(row)
        self._rows = found
        self._words = sorted(found)

    def rows(self, root: str) -> list[int]:
        """The numbers of the rows that hold a word with this stem, in order, each once."""
        shared = root[:-1] if len(root) > SHORT_STEM else root
        start = bisect_left(self._words, shared)
        words = takewhile(lambda word: word.startswith(shared), islice(self._words, start, None))
        return sorted({row for word in words if stem(word) == root for row in self._rows[word]})


Entry = tuple[str, ...]
"""The words of one entry of the list; several for a set expression."""


@lru_cache(maxsize=1)
def listed_groups() -> tuple[tuple[Entry, ...], ...]:
    """The groups of ``synonyms.txt``."""
    return tuple(
        tuple(tuple(entry.split()) for entry in line.split(",")) for line in table("synonyms")
    )


@lru_cache(maxsize=1)
def _sense_words() -> StemIndex:
    listed = ([entry[0] for entry in group if len(entry) == 1] for group in listed_groups())
    numbered = enumerate([*map(str.split, GROUPS), *listed])
    return StemIndex(
        (_BASES.get(word, word), number) for number, group in numbered for word in group
    )


@lru_cache(maxsize=65536)
def senses(root: str) -> frozenset[int]:
    """The numbers of the groups that hold a word with this stem."""
    return frozenset(_sense_words().rows(root))


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
"""How the other side of the Atlantic spells a word."""
Expression = tuple[str, ...]
"""The stems of a set expression of several words, irregular forms by their base.

Its key is the words with spaces between, which no word has.
"""


@lru_cache(maxsize=1)
def _entry_groups() -> tuple[tuple[Entry, ...], ...]:
    """The irregular forms of each word, and the groups of the list."""
    irregular = (((base,), *((form,) for form in forms)) for base, forms in IRREGULAR_FORMS.items())
    return (*irregular, *listed_groups())


@lru_cache(maxsize=1)
def _words() -> StemIndex:
    """The groups by the words that are entries of theirs."""
    numbered = enumerate(_entry_groups())
    return StemIndex(
        (form, number)
        for number, group in numbered
        for entry in group
        if len(entry) == 1
        for form in (entry[0], *IRREGULAR_FORMS.get(entry[0], ()))
    )


@lru_cache(maxsize=1)
def _first_words() -> StemIndex:
    """The groups by the first words of the expressions in them."""
    return StemIndex(
        (_BASES.get(entry[0], entry[0]), number)
        for number, group in enumerate(_entry_groups())
        for entry in group
        if len(entry) > 1
    )


@lru_cache(maxsize=8192)
def _keys_of_group(number: int) -> tuple[str, ...]:
    """The keys of all entries of a group; one of several words has a key of its own."""
    return tuple(
        key
        for word, *further in _entry_groups()[number]
        for key in (
            [" ".join(map(base_stem, (word, *further)))]
            if further
            else map(stem, (word, *IRREGULAR_FORMS.get(word, ())))
        )
    )


@lru_cache(maxsize=65536)
def expressions_from(root: str) -> tuple[Expression, ...]:
    """The expressions of the list whose first word has this stem."""
    entries = (entry for number in _first_words().rows(root) for entry in _entry_groups()[number])
    found = (tuple(map(base_stem, entry)) for entry in entries if len(entry) > 1)
    return tuple(dict.fromkeys(one for one in found if one[0] == root))


@lru_cache(maxsize=8192)
def same_words(word: str) -> tuple[str, ...]:
    """The keys under which a text may hold this word or one that summaries use for it."""
    keys: dict[str, None] = {}
    respelled = (pattern.sub(spelling, word, count=1) for pattern, spelling in _SPELLINGS)
    for form in dict.fromkeys((word, *respelled)):
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
    key = " ".join(words)
    groups = map(_keys_of_group, _first_words().rows(words[0]))
    return tuple(dict.fromkeys([key, *(one for keys in groups if key in keys for one in keys)]))


@lru_cache(maxsize=8192)
def expression_senses(expression: Expression) -> frozenset[int]:
    """The numbers of the groups that hold an expression, counted as those of single words are."""
    first = len(_entry_groups()) - len(listed_groups()) - len(GROUPS)
    key = " ".join(expression)
    rows = _first_words().rows(expression[0])
    return frozenset(number - first for number in rows if key in _keys_of_group(number))


_PARTICLES: Final = frozenset(
    """about across along apart around aside away back down forward in off on out over through
    up""".split()
)
_BETWEEN: Final = 3
"""The most words between a verb and its particle."""


def expressions_in(tokens: Sequence[tuple[str, int]]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The keys of the expressions that a sentence holds, with their places. Linear.

    The tokens are given with the places where they begin. The words of an expression follow one
    another; only a particle may stand away from its verb.
    """
    opened = [
        (first, found)
        for first, (token, _) in enumerate(tokens)
        if (found := expressions_from(base_stem(token)))
    ]
    if not opened:
        return
    roots = [base_stem(token) for token, _ in tokens]
    for first, found in opened:
        for expression in found:
            last = first
            for word in expression[1:]:
                widest = _BETWEEN if word in _PARTICLES and len(expression) == 2 else 0
                following = roots[last + 1 : last + 2 + widest]
                if word not in following:
                    break
                last += 1 + following.index(word)
            else:
                token, start = tokens[last]
                yield " ".join(expression), (tokens[first][1], start + len(token))


_SIDES: Final[dict[str, tuple[tuple[int, int], ...]]] = {}
for _row, _pair in enumerate(table("opposites")):
    for _side, _words_of_side in enumerate(_pair.split("/")):
        for _root in map(base_stem, _words_of_side.split()):
            _SIDES[_root] = (*_SIDES.get(_root, ()), (_row, _side))


def sides(word: str) -> tuple[tuple[int, int], ...]:
    """The pairs of opposites that hold the word, each as its number and the side, 0 or 1."""
    return _SIDES.get(base_stem(word), ())


Phrase = tuple[str, tuple[int, int]]
"""The word that an expression stands for, and the place of the expression."""
_SHORT_SENTENCE: Final = 400
"""Characters of a sentence of which it is kept whether it holds an expression."""
_PHRASES: Final[dict[str, list[str]]] = {}
"""The expressions of each word."""
for _word, _, _pattern in (row.partition(": ") for row in table("phrases")):
    _PHRASES.setdefault(_word if "-" in _word else stem(_word), []).append(_pattern)
_PHRASE_FORMS: Final = {
    word: re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)") for word, patterns in _PHRASES.items()
}
_ANY_PHRASE: Final = re.compile("|".join(pattern.pattern for pattern in _PHRASE_FORMS.values()))
"""Any expression. Most sentences have none, and are spared the whole table."""


def phrases_in(normal: str) -> Sequence[Phrase]:
    """The words that expressions of a normalised sentence stand for, with their places.

    Logs and views hold the same lines often.
    """
    return (_phrases if len(normal) <= _SHORT_SENTENCE else _phrases.__wrapped__)(normal)


@lru_cache(maxsize=8192)
def _phrases(normal: str) -> tuple[Phrase, ...]:
    if not _ANY_PHRASE.search(normal):
        return ()
    return tuple(
        (word, match.span())
        for word, pattern in _PHRASE_FORMS.items()
        for match in pattern.finditer(normal)
    )
