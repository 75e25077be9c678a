"""Alternatives of a key group: what they ask for, and where a sentence holds it.

An alternative of several words is held where all its content words are, in any order. Words are
compared by stem and by a small list of synonyms, values as values, paths by their suffixes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pytest_compaction.text.lexicon.relations import Relation, relation_of
from pytest_compaction.text.lexicon.vocabulary import same_words
from pytest_compaction.text.quantities import values
from pytest_compaction.text.words import (
    NEGATIONS,
    STOPWORDS,
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    stem,
)

MAX_MATCHES: Final = 6
"""The most places of one alternative in one sentence that are weighed."""

GENERIC_NAMES: Final = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "main.py",
        "index.js",
        "index.ts",
        "index.html",
        "mod.rs",
        "lib.rs",
        "main.go",
        "readme.md",
        "makefile",
        "dockerfile",
        "conftest.py",
        "package.json",
        "pyproject.toml",
        "setup.py",
    }
)
_NEGATION: Final = re.compile(r"\b(?:\w+n't|no longer|" + "|".join(sorted(NEGATIONS)) + r")\b")
_LABEL: Final = re.compile(
    r"(option|step|task|line|phase|point|item|issue|level|stage|figure|table|chapter|part|page|"
    r"section|variant|plan|attempt|approach|scenario|candidate|milestone|sprint|ticket|pr)"
    r" #?([a-z]|\d{1,6})"
)
"""A thing named by a number or letter, which stands right behind its word."""
_TOKEN_PARTS: Final = re.compile(r"[.:@+\-']+")
_NAME_PARTS: Final = re.compile(r"[^\W_]+")

Key = object
"""What a term is looked up by: a token form, a value's key, or ``("path", path)``."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that an alternative asks for: any of these keys.

    ``parts`` are the words of an identifier, which may stand one after the other instead.
    """

    keys: tuple[Key, ...]
    parts: tuple[str, ...] = ()
    among: frozenset[Key] = field(init=False, repr=False, compare=False)
    """The keys once more, for a test against the keys of a text."""
    is_value: bool = field(init=False, repr=False, compare=False)
    """Whether the term asks for a value and not for a word, a name or a path."""
    hashed: int = field(init=False, repr=False, compare=False)
    """The hash, which is asked for often: it differs from process to process."""

    def __post_init__(self) -> None:
        keys = self.keys
        object.__setattr__(self, "among", frozenset(keys))
        object.__setattr__(self, "is_value", bool(keys) and isinstance(keys[0], tuple))
        object.__setattr__(self, "hashed", hash((keys, self.parts)))

    def __hash__(self) -> int:
        return self.hashed

    def __reduce__(self) -> tuple[type[Term], tuple[object, ...]]:
        return Term, (self.keys, self.parts)


@dataclass(frozen=True, slots=True)
class Alternative:
    """What one alternative asks for; ``negative`` if it denies what its words say."""

    normal: str
    terms: tuple[Term, ...]
    negative: bool
    relation: Relation | None = None
    hashed: int = field(init=False, repr=False, compare=False)
    """The hash, which is asked for often: it differs from process to process."""

    def __post_init__(self) -> None:
        whole = (self.normal, self.terms, self.negative, self.relation)
        object.__setattr__(self, "hashed", hash(whole))

    def __hash__(self) -> int:
        return self.hashed

    def __reduce__(self) -> tuple[type[Alternative], tuple[object, ...]]:
        return Alternative, (self.normal, self.terms, self.negative, self.relation)


Wanted = tuple[tuple[Alternative, ...], ...]
"""Key groups as an index asks for them."""


def is_value(term: Term) -> bool:
    """Whether a term asks for a value and not for a word, a name or a path."""
    return term.is_value


def has_words(wanted: Alternative) -> bool:
    """Whether an alternative asks for more than values."""
    return not all(map(is_value, wanted.terms))


@lru_cache(maxsize=8192)
def needs_of(group: tuple[Alternative, ...]) -> tuple[frozenset[Key], tuple[str, ...]] | None:
    """Keys and texts of which a sentence with one of the alternatives holds at least one.

    None if nothing is known of that.
    """
    keys: set[Key] = set()
    for one in group:
        if one.relation:
            return None
        for term in one.terms[-1:]:
            keys.update(term.keys)
            keys.update(term.parts[:1])
    return frozenset(keys), tuple(dict.fromkeys(one.normal for one in group if one.normal))


@lru_cache(maxsize=8192)
def alternative(text: str) -> Alternative:
    """Read one alternative of a key group."""
    normal = normalize(text)
    label = _LABEL.fullmatch(normal)
    if label:
        return Alternative(normal, (Term((), (stem(label[1]), label[2])),), negative=False)
    relation = relation_of(normal)
    if relation:
        sides = [alternative(one) for one in (relation.first, relation.second) if one]
        terms_of_both = tuple(term for side in sides for term in side.terms)
        return Alternative(normal, terms_of_both, negative=False, relation=relation)
    found = values.values_of(normal)
    covered = [value.span for value in found]
    terms: dict[Term, None] = {}
    for value in found:
        terms[Term(tuple(sorted(value.asked, key=repr)))] = None
    rest = normal
    for start, end in covered:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for token in raw_tokens(rest):
        terms.update(dict.fromkeys(_token_terms(token)))
    if not terms:
        terms = {Term((word,)): None for word in raw_tokens(normal) if word not in NEGATIONS}
    return Alternative(normal, tuple(terms), len(_NEGATION.findall(normal)) % 2 == 1)


def _token_terms(token: str) -> list[Term]:
    if token in NEGATIONS or token.endswith("n't"):
        return []
    if is_path(token):
        return [Term(path_keys(token))]
    if re.search(r"[\d_\\]", token):
        parts = tuple(stem(part) for part in _NAME_PARTS.findall(token) if part.isalpha())
        whole = "_" in token and len(parts) == len(_NAME_PARTS.findall(token)) >= 2
        return [Term((canonical_number(token),), parts if whole else ())]
    return [
        Term(same_words(word))
        for word in _TOKEN_PARTS.split(token)
        if word and word not in STOPWORDS and word not in NEGATIONS and word != "longer"
    ]


def path_keys(path: str) -> tuple[Key, ...]:
    """What a path is found by: itself within a longer path, or one of its own suffixes alone."""
    suffixes = path_suffixes(path)
    if not suffixes:
        return (path,)
    shorter = [
        ("path", suffix)
        for suffix in suffixes[1:]
        if "/" in suffix or (suffix not in GENERIC_NAMES and "." in suffix)
    ]
    return (suffixes[0], ("path", suffixes[0]), *shorter)


@dataclass(frozen=True, slots=True)
class Match:
    """Where a sentence holds an alternative: positions of its words, and the words.

    ``whole`` is the span of an alternative that stands there word for word.
    """

    spans: tuple[tuple[int, int], ...]
    alternative: Alternative
    whole: tuple[int, int] | None = None

    @property
    def start(self) -> int:
        """Where the first word begins."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where the last word ends."""
        return self.spans[-1][1]


def nearest_places(
    places: Sequence[Sequence[tuple[int, int]]],
) -> list[tuple[tuple[int, int], ...]]:
    """One place of each term, so that they stand close together; one choice for each rare term.

    The term with the fewest places is the anchor.
    """
    if not places or not all(places):
        return []
    if len(places) == 1:
        return [(fixed,) for fixed in places[0][:MAX_MATCHES]]
    anchor = min(range(len(places)), key=lambda number: len(places[number]))
    chosen: list[tuple[tuple[int, int], ...]] = []
    for fixed in places[anchor][:MAX_MATCHES]:
        spans = {
            options[0]
            if len(options) == 1
            else fixed
            if number == anchor
            else min(options, key=lambda span: abs(span[0] - fixed[0]))
            for number, options in enumerate(places)
        }
        chosen.append(tuple(sorted(spans)))
    return chosen
