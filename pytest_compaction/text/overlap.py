"""Graded overlap: how much of a statement a text holds, for facts that have no key groups.

The words of a statement are looked for around one sentence of the text: there in full, a name also
a few sentences away, another word there for half. Words are compared by stem, by family
("discovery", "discovered") and by common synonym, numbers and dates by value. A value weighs more
than a word, and a word more the later it comes, because a statement opens with what it is about
and ends with what it says of it. The share is the weight of what was found over the weight of the
whole statement.

The constants were chosen on one half of the documents of a public set of human judgements; see
tests/calibration/realsumm.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from pytest_compaction.text.values import Key, Value, shares_said_first, values_of
from pytest_compaction.text.vocabulary import base_stem, expression_senses, expressions_in, senses
from pytest_compaction.text.words import (
    NEGATIONS,
    STOPWORDS,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    segments,
    token_forms,
    token_places,
)

STATED_SHARE: Final = 0.6
"""From this share on a statement is stated."""
UNCERTAIN_SHARE: Final = 0.5
"""From this share on it is uncertain; below, absent."""

VALUE_WEIGHT: Final = 2.0
"""Weight of a value or identifier; any other word weighs 1."""
FIRST: Final = 0.6
LAST: Final = 1.4
"""Factors of the weight of the first and of the last term, rising evenly between."""
NEAR: Final = 2
"""Sentences to either side that are read with a sentence."""
NEAR_CREDIT: Final = 0.5
"""What a word counts that stands in such a sentence. Names count in full: later sentences say
"he" or "it" for them."""
SYNONYM_CREDIT: Final = 0.7
"""What a word counts of which only a synonym stands there."""
FAMILY: Final = 5
"""Letters that the stems of one family of words share."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_CAMEL: Final = re.compile(r"(?!Mac?[A-Z]|Mc[A-Z])(?=[A-Za-z]+?[a-z][A-Z][a-z])[A-Za-z]+")
"""A name of a program, such as ``KeyError``; no name of a person."""
_JOINT: Final = re.compile(r"[,;:()]|\b(?:and|but|because|since|so|while|which|although)\b")
"""Where a statement has more than one clause, which a text may put into different sentences."""
_MARKS: Final = "\"'`()[].,;:!?"
_END: Final = re.compile(r"(?<=[.!?;])\s+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a statement a text holds around one sentence, and which words decided.

    ``share`` is from 0 to 1. ``exact`` says whether every value, identifier and path of the
    statement is there: in that very sentence, if the statement has one clause. ``number`` is the
    place of the sentence in the text, from 0.
    """

    share: float
    exact: bool = False
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    sentence: str = ""
    number: int | None = None

    @property
    def outcome(self) -> Literal["stated", "uncertain", "absent"]:
        """What the share means; nothing is stated without its exact tokens."""
        if self.share >= STATED_SHARE:
            return "stated" if self.exact else "uncertain"
        return "uncertain" if self.share >= UNCERTAIN_SHARE else "absent"


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or value of a statement, with the keys under which a text may hold it."""

    text: str
    keys: frozenset[Key]
    start: int
    weight: float = 1.0
    is_name: bool = False
    exact: bool = False


class PreparedText:
    """A text with an index of its sentences, built once for many statements. Linear."""

    def __init__(self, text: str) -> None:
        self.sentences = split_sentences(text)
        holders: dict[Key, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            for key in sentence_keys(sentence):
                holders[key].append(number)
        self._holders = dict(holders)

    def holders(self, keys: Iterable[Key]) -> dict[int, float]:
        """The sentences that hold one of the keys, each with the credit of the best one."""
        credits: dict[int, float] = {}
        for key in keys:
            credit = SYNONYM_CREDIT if key[0] == "sense" else 1.0
            for number in self._holders.get(key, ()):
                credits[number] = max(credits.get(number, 0.0), credit)
        return credits


def overlaps(
    statement: str, text: PreparedText, least: float = 0.0, most: int | None = None
) -> list[Overlap]:
    """The sentences of the text by how much of the statement they hold, best first.

    Only sentences that hold a word of it, with a share of at least ``least``; no more than
    ``most``.
    """
    terms = _terms(statement)
    total = sum(term.weight for term in terms)
    held = [text.holders(term.keys) for term in terms]
    credits = [
        _credits(term, places, len(text.sentences))
        for term, places in zip(terms, held, strict=True)
    ]
    weights: dict[int, float] = dict.fromkeys((number for one in held for number in one), 0.0)
    for term, around in zip(terms, credits, strict=True):
        for number in around.keys() & weights.keys():
            weights[number] += term.weight * around[number]
    enough = [number for number, weight in weights.items() if weight >= least * total]
    one_clause = _JOINT.search(statement) is None
    enough.sort(key=lambda number: (-weights[number], number))
    return [
        _explained(
            min(weights[number] / total, 1.0),
            _has_exact(number, one_clause, terms, credits, held),
            terms,
            credits,
            text.sentences[number],
            number,
        )
        for number in enough[:most]
    ]


def _explained(
    share: float,
    exact: bool,
    terms: Sequence[_Term],
    credits: Sequence[dict[int, float]],
    sentence: str,
    number: int,
) -> Overlap:
    held = [number in around for around in credits]
    return Overlap(
        share,
        exact,
        tuple(term.text for term, found in zip(terms, held, strict=True) if found),
        tuple(term.text for term, found in zip(terms, held, strict=True) if not found),
        sentence,
        number,
    )


def _has_exact(
    number: int,
    one_clause: bool,
    terms: Sequence[_Term],
    credits: Sequence[dict[int, float]],
    places: Sequence[dict[int, float]],
) -> bool:
    """Whether the values, identifiers and paths are there: for one clause, in that sentence."""
    held = places if one_clause else credits
    return all(number in one or not term.exact for term, one in zip(terms, held, strict=True))


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, and the parts that semicolons part."""
    pieces = (piece for segment in segments(text) for piece in _END.split(segment))
    return tuple(piece for piece in pieces if piece.strip())


def _credits(term: _Term, places: dict[int, float], sentences: int) -> dict[int, float]:
    """What the term counts in each sentence that holds it or is near one that does."""
    around: dict[int, float] = {}
    last = sentences - 1
    for number, credit in places.items():
        away = credit if term.is_name else credit * NEAR_CREDIT
        for near in range(max(number - NEAR, 0), min(number + NEAR, last) + 1):
            around[near] = max(around.get(near, 0.0), credit if near == number else away)
    return around


def sentence_keys(sentence: str) -> set[Key]:
    """All keys under which a sentence can be found."""
    keys: set[Key] = set()
    tokens = token_places(normalize(sentence))
    for expression, _ in expressions_in(tokens):
        numbers = expression_senses(tuple(expression.split(" ")))
        keys.update(("sense", number) for number in numbers)
    for token, _ in tokens:
        if not token.isalpha():
            keys.update(("token", form) for form in token_forms(token))
        for word in _WORD.findall(token):
            keys |= _word_keys(word)
    found = values_of(sentence)
    for value in found:
        keys |= value.held
    keys.update(key for key, _ in shares_said_first(sentence, found))
    return keys


@lru_cache(maxsize=65536)
def _word_keys(word: str) -> frozenset[Key]:
    """Keys of a word of normalised text; none if it carries no content."""
    word = word.removesuffix("'s")
    if word in NEGATIONS or word.endswith("n't"):
        return frozenset({("word", "not")})
    if word in STOPWORDS or (len(word) == 1 and word.isalpha()):
        return frozenset()
    if not word.isalpha():
        return frozenset({("word", word)})
    root = base_stem(word)
    keys: set[Key] = {("word", root), *(("sense", number) for number in senses(root))}
    if len(word) > FAMILY and len(root) >= FAMILY:
        keys.add(("family", root[:FAMILY]))
    return frozenset(keys)


@lru_cache(maxsize=8192)
def _terms(statement: str) -> tuple[_Term, ...]:
    """The values, identifiers, names and other content words of a statement, each once."""
    values = values_of(statement)
    terms: dict[frozenset[Key], _Term] = {}
    for value in values:
        start, end = value.span
        text = statement[start:end]
        exact = value.kind != "ordinal" and not text.isalpha()
        terms[value.asked] = _Term(text, value.asked, start, VALUE_WEIGHT, exact=exact)
    rest = _without(values, statement.translate(str.maketrans("’", "'")))
    for match in re.finditer(r"\S+", rest):
        name = match[0].lstrip("\"'(`[")[:1].isupper() and not _opens(match, rest)
        camel = _CAMEL.fullmatch(match[0].strip(_MARKS)) is not None
        for term in _piece_terms(match[0], match.start(), name):
            if camel:
                term = replace(term, weight=VALUE_WEIGHT, exact=True)
            terms.setdefault(term.keys, term)
    ordered = sorted(terms.values(), key=lambda term: term.start)
    step = (LAST - FIRST) / max(len(ordered) - 1, 1)
    return tuple(
        replace(term, weight=term.weight * (FIRST + step * number))
        for number, term in enumerate(ordered)
    )


def _piece_terms(piece: str, start: int, name: bool) -> Iterator[_Term]:
    for token in raw_tokens(normalize(piece)):
        if _is_identifier(token):
            forms = path_suffixes(token) if is_path(token) else [token]
            keys: frozenset[Key] = frozenset(("token", form) for form in forms)
            yield _Term(token, keys, start, VALUE_WEIGHT, exact=True)
            continue
        for word in _WORD.findall(token):
            if keys := _word_keys(word):
                yield _Term(word, keys, start, is_name=name)


def _is_identifier(token: str) -> bool:
    """Whether a token must be there as it is; "singer/actor" is two words."""
    return re.search(r"[\d_\\]|/.*[/.]", token) is not None or (is_path(token) and "/" not in token)


def _opens(match: re.Match[str], text: str) -> bool:
    """Whether a capital only opens the statement: its first word, and the next is in small."""
    return match.start() == 0 and not text[match.end() :].lstrip()[:1].isupper()


def _without(values: Iterable[Value], text: str) -> str:
    for start, end in (value.span for value in values):
        text = text[:start] + " " * (end - start) + text[end:]
    return text
