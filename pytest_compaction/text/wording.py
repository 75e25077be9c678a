"""Statements without keys: how much of their wording a text holds, with the same polarity.

A form that stands in the text as it is, or of one or two words, is read in its sentences. For any
other the *graded overlap* counts: its words are looked for around one sentence of the text: there
in full, a name also a few sentences away, another word there for half. Words are compared by stem,
by family ("discovery", "discovered") and by common synonym, numbers and dates by value. A value
weighs more than a word, and a word more the later it comes, because a statement opens with what it
is about and ends with what it says of it. The share is the weight of what was found over the weight
of the whole statement.

The constants of the overlap were chosen on one half of the documents of a public set of human
judgements; see tests/calibration/realsumm.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from pytest_compaction.text.alternatives import Term, Wanted, alternative, of_term
from pytest_compaction.text.binding import bound_otherwise
from pytest_compaction.text.denials import idea_rejected, verb_affirmed, verb_denied, word_denied
from pytest_compaction.text.differences import affirmed, difference, one_word_changed
from pytest_compaction.text.groups import (
    CLAIMED,
    PLAIN,
    RANK,
    KeyMatch,
    Signature,
    weigh,
)
from pytest_compaction.text.parsed import Parsed, joined, parse
from pytest_compaction.text.statement import Outcome
from pytest_compaction.text.statement_keys import denies
from pytest_compaction.text.values import Key, values_of
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

GRADED_STATED: Final = 0.6
"""From this share on a statement is stated."""
GRADED_UNCERTAIN: Final = 0.5
"""From this share on it is uncertain; below, absent."""

VALUE_WEIGHT: Final = 2.0
"""Weight of a value or identifier; any other word weighs 1."""
FIRST: Final = 0.6
LAST: Final = 1.4
"""Factors of the weight of the first and of the last term, rising evenly between."""
NEAR: Final = 2
"""Sentences to either side that are read with a sentence."""
NEAR_CREDIT: Final = 0.5
"""The weight of a word in such a sentence. Names count in full: later sentences say
"he" or "it" for them."""
SYNONYM_CREDIT: Final = 0.7
"""The weight of a word of which only a synonym stands there."""
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
    """Overlap of a statement with the text around one sentence, and the words that decided.

    ``share`` is from 0 to 1. ``exact`` says whether every value, identifier and path of the
    statement is there: in that very sentence, if the statement has one clause. ``number`` is the
    place of the sentence in the text, from 0.
    """

    share: float
    exact: bool
    found: tuple[str, ...]
    sentence: str
    number: int

    @property
    def outcome(self) -> Literal["stated", "uncertain", "absent"]:
        """Outcome by the share; nothing is stated without its exact tokens."""
        if self.share >= GRADED_STATED:
            return "stated" if self.exact else "uncertain"
        return "uncertain" if self.share >= GRADED_UNCERTAIN else "absent"


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
        pieces = (piece for segment in segments(text) for piece in _END.split(segment))
        self.sentences = tuple(piece for piece in pieces if piece.strip())
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


def overlaps(statement: str, text: PreparedText, least: float, most: int) -> list[Overlap]:
    """The sentences of the text by how much of the statement they hold, best first.

    Only sentences that hold a word of it, with a share of at least ``least``; no more than
    ``most``.
    """
    terms = _terms(statement)
    total = sum(term.weight for term in terms)
    held = [text.holders(term.keys) for term in terms]
    last = len(text.sentences) - 1
    credits: list[dict[int, float]] = [{} for _ in terms]  # of a sentence with it, or near one
    for term, places, around in zip(terms, held, credits, strict=True):
        for number, credit in places.items():
            away = credit if term.is_name else credit * NEAR_CREDIT
            for near in range(max(number - NEAR, 0), min(number + NEAR, last) + 1):
                around[near] = max(around.get(near, 0.0), credit if near == number else away)
    weights: dict[int, float] = dict.fromkeys((number for one in held for number in one), 0.0)
    for term, around in zip(terms, credits, strict=True):
        for number in around.keys() & weights.keys():
            weights[number] += term.weight * around[number]
    enough = [number for number, weight in weights.items() if weight >= least * total]
    one_clause = _JOINT.search(statement) is None
    enough.sort(key=lambda number: (-weights[number], number))
    return [
        Overlap(
            min(weights[number] / total, 1.0),
            all(
                number in one or not term.exact
                for term, one in zip(terms, held if one_clause else credits, strict=True)
            ),
            tuple(term.text for term, one in zip(terms, credits, strict=True) if number in one),
            text.sentences[number],
            number,
        )
        for number in enough[:most]
    ]


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
    for value in values_of(sentence):
        keys |= value.held
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
    rest = statement.replace("’", "'")
    for start, end in (value.span for value in values):
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for match in re.finditer(r"\S+", rest):
        opens = match.start() == 0 and not rest[match.end() :].lstrip()[:1].isupper()
        name = match[0].lstrip("\"'(`[")[:1].isupper() and not opens
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
    """The identifiers ("singer/actor" is two words), which must be there as they are, and words."""
    for token in raw_tokens(normalize(piece)):
        if re.search(r"[\d_\\]|/.*[/.]", token) or (is_path(token) and "/" not in token):
            forms = path_suffixes(token) if is_path(token) else [token]
            keys: frozenset[Key] = frozenset(("token", form) for form in forms)
            yield _Term(token, keys, start, VALUE_WEIGHT, exact=True)
            continue
        for word in _WORD.findall(token):
            if keys := _word_keys(word):
                yield _Term(word, keys, start, is_name=name)


CENTRAL: Final = 0.5
"""Share of the words found that a negation must reach to contradict a graded statement."""

PLACES: Final = 4
"""The most places of a text that are read for one graded statement, the fullest first."""

_APPOSED: Final = re.compile(r"(?<=[a-z]) ?, \d{1,3} ?,(?= [a-z])")
"""A bare number between commas, such as an age: it belongs to the name before it."""


def read_graded(
    form: str, text: PreparedText, type: str | None = None
) -> tuple[Outcome, str, tuple[str, ...], str]:
    """The outcome by graded overlap: how much of the form one place of the text holds.

    The words found must have its polarity, and the place must not say something else with them
    or say it of another thing. ``type`` is that of the statement.
    Gives the outcome, the passage, the words found, and why.
    """
    places = overlaps(form, text, GRADED_UNCERTAIN, PLACES)
    readings = [_read_place(form, type, held, text) for held in places]
    if not readings:
        return "absent", "", (), "too few of its words in one place"
    return max(readings, key=lambda one: RANK[one[0]])


def _read_place(
    form: str, type: str | None, held: Overlap, text: PreparedText
) -> tuple[Outcome, str, tuple[str, ...], str]:
    """Outcome of a form at one place of a text, by its share of the words and their polarity."""
    outcome: Outcome = held.outcome
    why = f"{held.share:.0%} of its words in one place"
    parsed, own = parse(normalize(held.sentence), {}), parse(normalize(form), {})
    groups = {term: _found(parsed, term) for term in alternative(form).terms}
    terms = [term for term, found in groups.items() if found]
    weighed = None
    if terms:
        mine = [_found(own, term) for term in terms]
        said = Signature(open=CLAIMED)
        meant = weigh(own, mine, (), said).signature if all(mine) else PLAIN
        weighed = weigh(parsed, [groups[term] for term in terms], (), meant, strict=all(mine))
    found = [one.match for term in terms for one in groups[term]]
    reached = (sum(cue.reaches(one.start, one.end) for one in found) for cue in parsed.sense.cues)
    much = max(reached, default=0) >= CENTRAL * len(found)
    if weighed and weighed.outcome == "contradicted":
        if (weighed.signature.last or much) and not _deny_alike(own, parsed, terms):
            outcome = "contradicted" if outcome == "stated" else "absent"
            why = weighed.why
    elif weighed and weighed.outcome == "uncertain" and "only" in weighed.why:
        outcome = "uncertain"
    if outcome == "stated" and any(cue.whole for cue in parsed.sense.cues):
        outcome, why = "contradicted", "the sentence is taken back"
    if outcome == "stated" and (other := _said_otherwise(form, type, own, parsed, held, text)):
        outcome, why = "uncertain", other
    return outcome, held.sentence, held.found, why


def _deny_alike(own: Parsed, parsed: Parsed, terms: Sequence[Term]) -> bool:
    """Whether both deny something, and no word that stands in both only in one of them."""
    denied = []
    for one in (own, parsed):
        cues = [cue for cue in one.sense.cues if cue.kind == "negated"]
        if not cues:
            return False
        denied.append(
            [
                any(cue.reaches(*at) for cue in cues for at in one.term_places(term))
                for term in terms
            ]
        )
    return all(mine >= theirs for mine, theirs in zip(*denied, strict=True))


def _said_otherwise(
    form: str, type: str | None, own: Parsed, parsed: Parsed, held: Overlap, text: PreparedText
) -> str | None:
    """Another statement made with the words: another value, or another subject.

    Clauses between semicolons are read together: one may give to another thing what the
    statement says. Capitals tell nothing there, since a prose name may be of a person, a place or
    a house, and only what is of one kind can stand in the other's place.
    """
    first, end = held.number, held.number + 1
    while first and text.sentences[first - 1].endswith(";"):
        first -= 1
    while end < len(text.sentences) and text.sentences[end - 1].endswith(";"):
        end += 1
    sentences = [_APPOSED.sub("", normalize(one)) for one in text.sentences[first:end]]
    around = joined([parse(one, {}) for one in sentences])
    groups: Wanted = tuple((of_term(term),) for term in alternative(form).terms)
    return (
        one_word_changed(form, around)
        or difference(form, around, type)
        or affirmed(form, parsed)
        or verb_denied(form, around)
        or verb_affirmed(form, around)
        or idea_rejected(form, around)
        or (not own.sense.cues and not denies(own) and word_denied(form, around))
        or bound_otherwise(form, groups, around)
    )


def _found(parsed: Parsed, term: Term) -> list[KeyMatch]:
    return [KeyMatch(match) for match in parsed.matches(of_term(term))][:1]
