"""A sentence prepared for questions: where each of its words, names and values stands.

Up to three sentences of one bullet or paragraph are read as one passage, because writers spread one
fact over neighbouring clauses ("Working tree clean, all committed; nothing has been pushed."). A
passage keeps what each of its sentences negates or supposes within that sentence; places are
positions in the joined text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pytest_compaction.text.alternatives import (
    MAX_MATCHES,
    Alternative,
    Key,
    Match,
    Relation,
    Term,
    alternative,
    nearest_places,
    needs_of,
)
from pytest_compaction.text.cues import Cue, Sense, sense_of
from pytest_compaction.text.ideographs import SIGN
from pytest_compaction.text.value_forms import ORDINALS
from pytest_compaction.text.values import held_values
from pytest_compaction.text.vocabulary import expressions_in, phrases_in
from pytest_compaction.text.words import (
    STOPWORDS,
    is_path,
    normalize,
    path_suffixes,
    token_forms,
    token_places,
)

Span = tuple[int, int]

FARTHEST: Final = 70
"""Characters that may stand between two words of one alternative."""
VALUE_FARTHEST: Final = 40
LETTER_FARTHEST: Final = 12
"""Characters between two words of which one is a value, or a single letter."""
_STOP: Final = re.compile(r": | - ")
_LIST_BREAK: Final = re.compile(r",(?: and| or)? |\band\b|\bwhile\b|\bwhereas\b| - ")
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_PREPOSITION: Final = re.compile(
    r"\s*(?:in|at|on|with|for|after|by|from|to|of|over|per|under|since|until|within|not|now|then|"
    r"so|but|instead|rather|up|down|i\.?e|e\.?g)\b"
)
_RELATIVE: Final = re.compile(r"\s*(?:which|who|whose|that|where)\b")
_PREDICATE: Final = re.compile(
    r"\s*(?:(?:will|would|shall|should|can|could|may|might|must|is|are|was|were|has|have|had|does|"
    r"did|do)\b"
    r"|[a-z]{3,}(?:s|ed) (?:an?|the|its|their|his|her|up|down|off|out|back|away|only|to|into)\b)"
)
"""A verb without a subject of its own; below a lead-in with a colon it may begin an entry."""
_ATTRIBUTE: Final = re.compile(r"\b(?:with|has|having) (?:[\w-]+ ){0,4}\S+$")
"""A thing's attribute, beside which "and" puts another one of the same thing."""
_WORD: Final = re.compile(r"[a-z_]{2,}")
_TERMS: Final = 64
"""Terms of which a sentence keeps the places."""
_NO_PLACES: Final[list[Span]] = []
_LONGEST: Final = 2000
"""Characters of a sentence that is kept when it was prepared."""
SENTENCES: Final = 3
"""The most sentences that a passage has."""
JOINT: Final = " ; "
_NO_SUBJECT: Final = re.compile(
    r"(?:(?:that|this|it|the|both|which|idea|approach|proposal|option|attempt|plan|was|is|were|then|"
    r"later|finally|user|has been|had been|got)\b ?)*"
)
_NO_OBJECT: Final = re.compile(
    r"\s*(?:$|[.,;:(]|(?:it|this|that|since|because|as|for|in favou?r|after|by|on|due|when)\b)"
)
STOP: Final = re.compile(r"[;:()]|, |\. | - |\b(?:and|but|while|so|because|since|which)\b")
"""Where a clause ends, or something else begins."""
_UNITS: Final = frozenset(
    """s ms sec secs second seconds min mins minute minutes hour hours day days week weeks month
    months year years kb mb gb tb bytes byte percent times lines tokens""".split()
)


class SentencePlaces(dict[Key, list[Span]]):
    """The places in one sentence."""

    def of(self, key: Key) -> Sequence[Span]:
        """The places of one key."""
        return self.get(key, ())

    def among(self, keys: frozenset[Key]) -> set[Span]:
        """The places of any of the keys."""
        if self.keys().isdisjoint(keys):
            return set()
        return {span for key in self.keys() & keys for span in self[key]}

    def has_any(self, keys: frozenset[Key]) -> bool:
        """Whether any of the keys stands there."""
        return not self.keys().isdisjoint(keys)

    def add(self, key: Key, span: Span) -> None:
        """Note one place more."""
        if key in self:
            self[key].append(span)
        else:
            self[key] = [span]


class JoinedPlaces:
    """The places in sentences that are read as one; they are moved when they are asked for.

    ``parts`` are the places in each sentence and where it begins.
    """

    def __init__(self, parts: Sequence[tuple[int, Places]]) -> None:
        self._parts = parts

    def of(self, key: Key) -> Sequence[Span]:
        """The places of one key."""
        return [
            (start + offset, end + offset)
            for offset, places in self._parts
            for start, end in places.of(key)
        ]

    def items(self) -> Iterator[tuple[Key, Sequence[Span]]]:
        """All keys with their places."""
        return ((key, self.of(key)) for key in self)

    def among(self, keys: frozenset[Key]) -> set[Span]:
        """The places of any of the keys."""
        return {
            (start + offset, end + offset)
            for offset, places in self._parts
            for start, end in places.among(keys)
        }

    def has_any(self, keys: frozenset[Key]) -> bool:
        """Whether any of the keys stands there."""
        return any(places.has_any(keys) for _, places in self._parts)

    def __contains__(self, key: object, /) -> bool:
        return any(key in places for _, places in self._parts)

    def __iter__(self) -> Iterator[Key]:
        return iter(dict.fromkeys(key for _, places in self._parts for key in places))


Places = SentencePlaces | JoinedPlaces
"""Where what can be asked for stands in a sentence or passage, in order; by its keys."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A normalised sentence, the places of its words, its cues, and where its parts begin.

    ``parts`` are the places where another subject with a value of its own begins, as in
    "the lease takes 45 seconds, the poll 30". What stands before ``header`` belongs to all parts.
    """

    normal: str
    places: Places
    sense: Sense
    parts: tuple[int, ...]
    header: int = 0
    joints: tuple[int, ...] = ()
    proper: frozenset[str] = frozenset()
    _found: dict[Term, list[Span]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """The places of the terms that were asked for lately."""

    def sentence(self, place: int) -> int:
        """The number of the sentence of a passage that holds this place."""
        return bisect_right(self.joints, place)

    def part(self, place: int) -> int:
        """The number of the part that holds this place."""
        return bisect_right(self.parts, place)

    def matches_of(self, group: tuple[Alternative, ...]) -> list[Match]:
        """Matches of the alternatives of a group, in the order of the group."""
        needs = needs_of(group)
        if needs is not None and not self.places.has_any(needs[0]):
            for text in needs[1]:
                if text in self.normal:
                    break
            else:
                return []
        return [match for wanted in group for match in self.matches(wanted)]

    def matches(self, wanted: Alternative) -> list[Match]:
        """Matches of one alternative, words close together first."""
        found: list[Match] = []
        start = bounded_find(wanted.normal, self.normal) if wanted.normal in self.normal else -1
        while start >= 0 and len(found) < MAX_MATCHES:
            span = (start, start + len(wanted.normal))
            found.append(Match((span,), wanted, span))
            start = bounded_find(wanted.normal, self.normal, start + 1)
        if found:
            return found
        if wanted.relation:
            return self._related(wanted, wanted.relation)
        places: list[list[Span]] = []
        for term in wanted.terms:
            places.append(self.term_places(term))
            if not places[-1]:
                return []
        chosen = nearest_places(places)
        farthest = VALUE_FARTHEST if any(term.is_value for term in wanted.terms) else FARTHEST
        return [Match(spans, wanted) for spans in chosen if self._is_close(spans, farthest)]

    def _is_close(self, spans: tuple[Span, ...], farthest: int) -> bool:
        """Whether the words of one alternative stand close enough to mean one thing."""
        if any(end - start == 1 and self.normal[start].isalpha() for start, end in spans):
            farthest = LETTER_FARTHEST
        for (_, end), (start, _) in pairwise(spans):
            gap = self.normal[end:start]
            if len(gap) > farthest or (len(gap) > FARTHEST // 3 and _STOP.search(gap)):
                return False
        return True

    def _related(self, wanted: Alternative, relation: Relation) -> list[Match]:
        """The places where the two sides of a direction stand in it."""
        found: list[Match] = []
        if not relation.first:
            seconds = self.matches(alternative(relation.second))
            return [
                Match(second.spans, wanted)
                for second in seconds
                if relation.leads(self.normal[: second.start])
            ]
        for first in self.matches(alternative(relation.first)):
            for second in self.matches(alternative(relation.second)):
                leads = first.end <= second.start
                between = (
                    self.normal[first.end : second.start]
                    if leads
                    else self.normal[second.end : first.start]
                )
                old = [
                    relation.is_old(self.normal[: one.start], self.normal[one.end :])
                    for one in (first, second)
                ]
                said = old[0] if any(old) else relation.holds(between, leads)
                if len(between) <= FARTHEST and said:
                    span = (min(first.start, second.start), max(first.end, second.end))
                    found.append(Match((span,), wanted, span))
        return found[:MAX_MATCHES]

    def term_places(self, term: Term) -> list[Span]:
        """Places of one term, in order. Do not change the list."""
        known = self._found.get(term)
        if known is not None:
            return known
        spans = self.places.among(term.among)
        for start, end in self.places.of(term.parts[0]) if term.parts else ():
            last = end
            for part in term.parts[1:]:
                following = [span for span in self.places.of(part) if 0 <= span[0] - last <= 1]
                if not following:
                    break
                last = following[0][1]
            else:
                spans.add((start, last))
        if len(self._found) >= _TERMS:
            self._found.clear()
        places = self._found[term] = sorted(spans) if spans else _NO_PLACES
        return places

    def stands_in(self, term: Term, whole: Span) -> bool:
        """Whether a term stands within a span."""
        return any(whole[0] <= start and end <= whole[1] for start, end in self.term_places(term))


def parse(
    normal: str,
    names: Mapping[str, tuple[str, ...]],
    code: bool = False,
    proper: frozenset[str] = frozenset(),
) -> Parsed:
    """Prepare a normalised sentence; ``names`` gives the words of names in camel case.

    A sentence that was prepared lately is not prepared again: answers and views quote the log.
    """
    here = tuple((name, names[name]) for name in sorted(names) if name in normal) if names else ()
    read = _parse if len(normal) <= _LONGEST else _parse.__wrapped__
    return read(normal, here, code, proper)


@lru_cache(maxsize=1024)
def _parse(
    normal: str,
    named: tuple[tuple[str, tuple[str, ...]], ...],
    code: bool,
    proper: frozenset[str],
) -> Parsed:
    names = dict(named)
    places = SentencePlaces()
    tokens = token_places(normal)
    for token, start in tokens:
        span = (start, start + len(token))
        for form in token_forms(token):
            places.add(form, span)
        for form in names.get(token, ()):
            places.add(form, span)
        if is_path(token):
            places.add(("path", "/".join(path_suffixes(token)[:1])), span)
    for word, span in (*phrases_in(normal), *expressions_in(tokens)):
        places.add(word, span)
    sense = sense_of(normal, code)
    for cue in sense.cues:
        if cue.kind == "past":
            first, last = cue.at  # the words of "used to" are no words of the statement
            for spans in places.values():
                spans[:] = [span for span in spans if not (first <= span[0] and span[1] <= last)]
    held = held_values(normal)
    for key, span in held:
        if span not in places.get(key, ()):
            places.add(key, span)
    row = " | " in normal
    said = {at for _, at in held if normal[slice(*at)] not in ORDINALS}
    parts = () if row else _parts(normal, sorted(said))
    colon = normal.find(": ")
    header = colon if parts and colon >= 0 and normal.count(": ") == 1 else 0
    if code and parts and '": ' not in normal and "': " not in normal:
        header = max(header, parts[0])
    return Parsed(normal, places, sense, parts, header, proper=proper)


def _parts(normal: str, held: list[Span]) -> tuple[int, ...]:
    """Starts of later parts with a subject and a value; brackets are no part."""
    held = [span for span in held if not re.match(r"[-_./\w]", normal[span[0] - 1 : span[0]])]
    if len(held) < 2:
        return ()
    inside = [match.span() for match in _BRACKETS.finditer(normal)]
    breaks = [
        match.start()
        for match in _LIST_BREAK.finditer(normal)
        if not any(start < match.start() < end for start, end in inside)
    ]
    starts: list[int] = []
    before_is_full = False
    colon = max(normal.find(": "), 0)
    for start, end in pairwise([0, *breaks, len(normal)]):
        body = normal[start:end].lstrip(", -")
        joint = next((word for word in ("and", "or", "while") if body.startswith(f"{word} ")), "")
        body = body.removeprefix(f"{joint} ") if joint else body
        low = max(start, colon if colon < end else 0)
        subject = any(word not in STOPWORDS and word not in _UNITS for word in _WORD.findall(body))
        full = subject and any(low <= at[0] and at[1] <= end for at in held)
        goes_on = (
            _PREPOSITION.match(body)
            or _RELATIVE.match(body)
            or ((joint or not colon) and _PREDICATE.match(body))
        )
        beside = joint == "and" and _ATTRIBUTE.search(normal[:start].rstrip())
        if full and before_is_full and not goes_on and not beside:
            starts.append(start)
        before_is_full = before_is_full or full
    return tuple(starts)


def joined(sentences: Sequence[Parsed]) -> Parsed:
    """The sentences as one, each cue with the reach that it has in its own."""
    places: list[tuple[int, Places]] = []
    cues: list[Cue] = []
    starts: list[int] = []
    explains: list[int] = []
    joints: list[int] = []
    offset = 0
    for sentence in sentences:
        places.append((offset, sentence.places))
        shifted = [cue.moved(offset) for cue in sentence.sense.cues]
        cues += [_widened(cue, joints, sentence, offset) for cue in shifted] if joints else shifted
        joints.append(offset)
        starts += [offset, *(place + offset for place in sentence.sense.starts)]
        explains += [place + offset for place in sentence.sense.explains]
        offset += len(sentence.normal) + len(JOINT)
    normal = JOINT.join(sentence.normal for sentence in sentences)
    sense = Sense(tuple(cues), tuple(starts), tuple(explains))
    proper = frozenset[str]().union(*(sentence.proper for sentence in sentences))
    return Parsed(normal, JoinedPlaces(places), sense, (), 0, tuple(joints), proper)


def _widened(cue: Cue, joints: Sequence[int], sentence: Parsed, offset: int) -> Cue:
    """A rejection without a subject of its own is of what the sentence before says."""
    if cue.kind != "rejected" or not _NO_SUBJECT.fullmatch(sentence.normal[: cue.at[0] - offset]):
        return cue
    behind = sentence.normal[cue.at[1] - offset :]
    if not _NO_OBJECT.match(behind):
        return cue
    return replace(cue, before=(joints[-1], cue.at[0]))


@dataclass(frozen=True, slots=True)
class Meaning:
    """A statement's own text, read, with its content words and values."""

    parsed: Parsed
    terms: tuple[Term, ...]
    words: tuple[Term, ...]
    """The terms that are neither a value nor a name."""


@lru_cache(maxsize=4096)
def meaning(text: str) -> Meaning:
    """Read the text of a statement."""
    normal = normalize(text)
    terms = alternative(normal).terms
    relation = alternative(normal).relation
    if relation:
        terms = tuple(
            term for side in (relation.first, relation.second) for term in alternative(side).terms
        )
    words = tuple(term for term in terms if not (term.is_value or term.is_name))
    return Meaning(parse(normal, {}), terms, words)


def spans_between(pattern: re.Pattern[str], normal: str) -> list[Span]:
    """The spans that a text falls into where the pattern begins."""
    ends = [match.start() for match in pattern.finditer(normal)]
    return list(zip([0, *ends], [*ends, len(normal)], strict=True))


def bounded_find(needle: str, hay: str, begin: int = 0) -> int:
    """The place of a substring that cuts neither words nor numbers; -1 if there is none."""
    if not needle:
        return -1
    start = hay.find(needle, begin)
    while start >= 0:
        end = start + len(needle)
        before, after = hay[start - 1 : start] if start else "", hay[end : end + 2]
        if not (
            _joins(before, needle[0])
            or _joins(after[:1], needle[-1])
            or (
                needle[-1].isdigit() and len(after) == 2 and after[0] in ".," and after[1].isdigit()
            )
            or (
                needle[0].isdigit()
                and before in {".", ","}
                and hay[start - 2 : start - 1].isdigit()
            )
        ):
            return start
        start = hay.find(needle, start + 1)
    return -1


def _joins(outside: str, edge: str) -> bool:
    return _in_word(outside) and _in_word(edge)


def _in_word(sign: str) -> bool:
    """Whether a sign may be part of a longer word; one of Chinese or Japanese is a word alone."""
    return (sign.isalnum() or sign == "_") and (sign.isascii() or SIGN.match(sign) is None)
