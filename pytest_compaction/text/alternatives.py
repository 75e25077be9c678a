"""Alternatives of a key group: what they ask for, and where a sentence holds it.

An alternative of several words is held where all its content words are, in any order. Words are
compared by stem and by a small list of synonyms, values as values, paths by their suffixes. One
with a direction ("a before b", "a to b", "b formerly a") asks for the order: a sentence holds it
where the one stands before the other with a word of the same direction between them, or behind it
with a word of the opposite one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pytest_compaction.text.values import values_of
from pytest_compaction.text.vocabulary import same_words
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

_ARROW: Final = r"→|⇒|(?<!-)-+>|(?<!=)=+>"
_FORWARD: Final = {
    "order": re.compile(r"\b(?:before|above|precedes?|preceding|ahead of|prior to|then|until)\b"),
    "change": re.compile(
        rf"{_ARROW}|\b(?:to|into|becomes?|became|now|with|by|replaced by|replaced with|as)\b"
    ),
}
_BACKWARD: Final = {
    "order": re.compile(r"\b(?:after|behind|below|following|follows|later than|right of)\b"),
    "change": re.compile(
        r"\b(?:from|formerly|former|previously|was|were|instead of|rather than|replaces|replaced|"
        r"originally|used to be)\b"
    ),
}
_NAME_WORD: Final = r"(?:name|title|label|value|form|spelling|place|location|path|setting|default)"
_OLD_BEHIND: Final = re.compile(
    rf"\s?[,;(-]? ?(?:(?:is|was|being) )?(?:(?:its|the|their|an?) )?(?:old|former|previous|"
    rf"original|earlier) {_NAME_WORD}\b|,? (?:until then|before)(?=$| ?[,.;:)])"
    r"|\s?(?:is|was) what (?:it|they) (?:was|were|used to be)\b"
)
_OLD_BEFORE: Final = re.compile(
    rf"\b(?:old|former|previous|original|earlier)(?: {_NAME_WORD})?:? ?$|\b(?:formerly|once|"
    r"used to be|known as|was called|were called) $"
)
_ASKED_DIRECTIONS: Final = (
    (
        "order",
        re.compile(
            r"(?P<forward>\b(?:before|above|precedes|ahead of|prior to|then)\b)|"
            r"(?P<backward>\b(?:after|behind|below|following|right of)\b)"
        ),
    ),
    (
        "change",
        re.compile(
            rf"(?P<forward>{_ARROW}|\b(?:(?:renamed|moved|changed) )?to\b|\bbecomes\b|\bnow\b)|"
            r"(?P<backward>\b(?:formerly|was|instead of)\b)"
        ),
    ),
)
_FROM_TO: Final = re.compile(r"(?:(?:\w+ )?from) (?!\d)(.+) to (.+)")
_SIGN: Final = re.compile(r"[^ ]{1,3}|[^ ]*[\d_./][^ ]*")
"""A name or short sign: "to" between two means a change of one for one."""
_VERBS: Final = re.compile(r"\b(?:renamed?|moved?|changed?|changes|moves|git mv|replaces|comes)\b")


@dataclass(frozen=True, slots=True)
class Relation:
    """A direction between two texts: ``first`` before ``second``, or becoming it.

    Without ``first`` the word ``lead`` must stand right before the second.
    """

    kind: str
    first: str
    second: str
    lead: str | None = None

    def leads(self, head: str) -> bool:
        """Whether a text that stands before the second side ends in the asked-for direction."""
        last = " ".join(head.split()[-3:])
        return self.lead is not None and re.search(rf"\b{self.lead}\b", last) is not None

    def is_old(self, head: str, tail: str) -> bool:
        """Whether what stands around a text says that it is the one from before a change."""
        return self.kind == "change" and (
            _OLD_BEHIND.match(tail) is not None or _OLD_BEFORE.search(head) is not None
        )

    def holds(self, between: str, first_leads: bool) -> bool:
        """Whether the words between the two say this direction."""
        forward = _FORWARD[self.kind].search(between) is not None
        backward = _BACKWARD[self.kind].search(between) is not None
        return forward if first_leads else backward and not forward


def relation_of(normal: str) -> Relation | None:
    """The direction that a normalised alternative asks for, if it names one."""
    if change := _FROM_TO.fullmatch(normal):
        return Relation("change", change[1], change[2])
    for kind, pattern in _ASKED_DIRECTIONS:
        match = pattern.search(normal)
        if match is None:
            continue
        left = _VERBS.sub(" ", normal[: match.start()]).strip()
        right = _VERBS.sub(" ", normal[match.end() :]).strip()
        if kind == "order" and not left and right:
            return Relation(kind, "", right, match[0])
        if (
            not left
            or not right
            or (kind == "change" and not all(map(_SIGN.fullmatch, (left, right))))
        ):
            continue
        forward = match.lastgroup == "forward"
        return Relation(kind, left, right) if forward else Relation(kind, right, left)
    return None


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
"""The key of a term: a token form, a value's key, or ``("path", path)``."""


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
    """The hash, which is asked for often."""

    def __post_init__(self) -> None:
        keys = self.keys
        object.__setattr__(self, "among", frozenset(keys))
        object.__setattr__(self, "is_value", bool(keys) and isinstance(keys[0], tuple))
        object.__setattr__(self, "hashed", hash((keys, self.parts)))

    def __hash__(self) -> int:
        return self.hashed

    @property
    def is_name(self) -> bool:
        """Whether it asks for a path or an identifier and not for a word or a value."""
        return not self.keys or (not self.is_value and not str(self.keys[0]).isalpha())


@dataclass(frozen=True, slots=True)
class Alternative:
    """One alternative of a key group; ``negative`` if it denies its own words."""

    normal: str
    terms: tuple[Term, ...]
    negative: bool
    relation: Relation | None = None
    hashed: int = field(init=False, repr=False, compare=False)
    """The hash, which is asked for often."""

    def __post_init__(self) -> None:
        whole = (self.normal, self.terms, self.negative, self.relation)
        object.__setattr__(self, "hashed", hash(whole))

    def __hash__(self) -> int:
        return self.hashed


Wanted = tuple[tuple[Alternative, ...], ...]
"""Key groups as an index asks for them."""


def has_words(wanted: Alternative) -> bool:
    """Whether an alternative asks for more than values."""
    return not all(term.is_value for term in wanted.terms)


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
    found = values_of(normal)
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


def of_term(term: Term) -> Alternative:
    """An alternative that asks for one term alone."""
    return Alternative("", (term,), negative=False)


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
    """Search keys of a path: the path within a longer one, or one of its suffixes alone."""
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
    """An alternative found in a sentence: positions of its words, and the words.

    ``whole`` is the span of an alternative that stands there word for word.
    """

    spans: tuple[tuple[int, int], ...]
    alternative: Alternative
    whole: tuple[int, int] | None = None

    @property
    def start(self) -> int:
        """Start of the first word."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """End of the last word."""
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
