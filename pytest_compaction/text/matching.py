"""Whether a text states a fact: the one definition, for survival, judging and evidence.

A statement with key groups is *stated* where one clause holds an alternative of every group with
the right polarity (see ``groups``); a heading or lead-in may hold some of them for the bullets
below it. It is *contradicted* where that is only negated, replaced or rejected, or where a
counterpart stands instead; *uncertain* where the groups stand in neighbouring sentences or
something is only supposed. A statement without keys is read by its wording (see ``wording``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text import changes, wording
from pytest_compaction.text.alternatives import (
    GENERIC_NAMES as GENERIC_NAMES,
)
from pytest_compaction.text.alternatives import (
    Alternative,
    Key,
    Term,
    alternative,
    is_value,
    path_keys,
)
from pytest_compaction.text.clauses import Sentence, sentences
from pytest_compaction.text.groups import (
    PLAIN,
    RANK,
    Found,
    Signature,
    Weighed,
    weigh,
)
from pytest_compaction.text.groups import (
    Outcome as Outcome,
)
from pytest_compaction.text.held import held_values
from pytest_compaction.text.overlap import PreparedText
from pytest_compaction.text.parsed import Parsed, bounded_find, parse
from pytest_compaction.text.polarity import Cue, heading_cue
from pytest_compaction.text.words import (
    canonical_number,
    clipped,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    stem,
    token_forms,
)

_CAMEL: Final = re.compile(r"\b[A-Za-z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+")
_SHOWN: Final = 240
"""Characters of a clause that an explanation shows."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text may state: a fact, or its counterpart.

    ``keys`` are groups of alternatives; one alternative of every group must stand in one
    clause. Without keys the wording of ``text`` or of one of the ``aliases`` decides.
    ``counterparts`` are what would be wrong in its place, such as a value from before.
    ``change`` is what happened to the file that the keys name: created, modified, deleted,
    renamed or read.
    """

    text: str
    aliases: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    counterparts: tuple[Statement, ...] = ()
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text was read for one statement: the outcome, the clause and words that decided."""

    outcome: Outcome
    clause: str = ""
    words: tuple[str, ...] = ()
    why: str = ""


ABSENT: Final = Reading("absent", why="not all groups in one clause")


class TextIndex:
    """A text prepared for many questions of the form "is this stated here?".

    Building is linear in the text; each question touches only the sentences that hold its
    rarest group, or stand below or after one that does.
    """

    def __init__(self, text: str) -> None:
        self._normal = f" {normalize(text)} "
        self._sentences = sentences(text)
        self._normals = [normalize(sentence.text) for sentence in self._sentences]
        self._names = _camel_names(text)
        self._holders: dict[Key, list[int]] = defaultdict(list)
        self._held: dict[int, frozenset[Key]] = {}
        self._parsed: dict[int, Parsed] = {}
        self._text = text
        self._graded: PreparedText | None = None
        self.touched = 0
        for number, normal in enumerate(self._normals):
            forms = set[Key]().union(*map(_posted, raw_tokens(normal)))
            for name in self._names.keys() & forms if self._names else ():
                forms.update(self._names[str(name)])
            for form in forms:
                self._holders[form].append(number)

    def has_token(self, token: str) -> bool:
        """Whether the text holds this token, number, identifier or path suffix."""
        normal = normalize(token)
        return canonical_number(normal) in self._holders or (
            is_path(normal) and "/".join(path_suffixes(normal)[:1]) in self._holders
        )

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return bounded_find(normalize(text), self._normal) >= 0

    def has_path(self, path: str) -> bool:
        """Whether the text names this path, fully or by a suffix on component boundaries."""
        return any(key in self._holders for key in path_keys(path)) and bool(path_suffixes(path))

    def states(self, forms: Iterable[str]) -> bool:
        """Whether any of the forms is read as stated, by its wording alone."""
        return any(self._read_wording(form).outcome == "stated" for form in forms)

    def read(self, statement: Statement) -> Reading:
        """What the text does with the statement, and which words decided."""
        own = self._read_alone(statement)
        if own.outcome == "stated" or not statement.counterparts:
            return own
        for counterpart in statement.counterparts:
            other = self._read_alone(counterpart)
            if other.outcome == "stated":
                why = f'the counterpart "{counterpart.text}" stands instead'
                return Reading("contradicted", other.clause, other.words, why)
        return own

    def _read_alone(self, statement: Statement) -> Reading:
        if statement.keys:
            return self._read_keys(statement)
        forms = (statement.text, *statement.aliases)
        best = max(map(self._read_wording, forms), key=lambda reading: RANK[reading.outcome])
        if best.outcome in {"stated", "contradicted"}:
            return best
        graded = [self._read_graded(form) for form in forms if len(form.split()) > 2]
        return max([best, *graded], key=lambda reading: RANK[reading.outcome])

    def _read_graded(self, form: str) -> Reading:
        if self._graded is None:
            self._graded = PreparedText(self._text)
        outcome, clause, words, why = wording.read_graded(form, self._graded)
        return Reading(outcome, clipped(clause, _SHOWN), words, why)

    def _read_wording(self, form: str) -> Reading:
        outcome, number, weighed = wording.read(form, self)
        clause = "" if number is None else clipped(self._sentences[number].text, _SHOWN)
        if weighed is None:
            return Reading(outcome, clause)
        return Reading(outcome, clause, weighed.words, weighed.why)

    def is_removed(self, number: int) -> bool:
        """Whether a diff takes this line away."""
        return self._sentences[number].removed

    def _read_keys(self, statement: Statement) -> Reading:
        wanted = wanted_groups(statement)
        meant = signature_of(statement)
        best: tuple[int, int, Weighed] | None = None
        for number in self._candidates(wanted):
            weighed = self._weigh(number, wanted, meant, statement)
            if weighed is None:
                continue
            rank = RANK[weighed.outcome]
            if best is None or rank > best[0]:
                best = (rank, number, weighed)
            if weighed.outcome == "stated":
                break
        if best is None:
            return ABSENT
        _, number, weighed = best
        clause = clipped(self._sentences[number].text, _SHOWN)
        return Reading(weighed.outcome, clause, weighed.words, weighed.why)

    def _weigh(
        self, number: int, wanted: Wanted, meant: Signature, statement: Statement
    ) -> Weighed | None:
        """What the sentence, with what stands above and before it, does with the groups."""
        self.touched += 1
        sentence = self._sentences[number]
        if sentence.removed:
            return None
        parsed = self.parsed(number)
        groups: list[list[Found]] = []
        beside: list[int] = []
        for place, group in enumerate(wanted):
            found = self._found(number, group)
            if not found:
                found = self._found_above(sentence.context, group)
            if not found:
                found = self._found_beside(number, group)
                beside.append(place)
            if not found:
                return None
            groups.append(found)
        if not any(one.own for group in groups for one in group):
            return None
        weighed = weigh(parsed, groups, self._cues_above(sentence), meant)
        weighed = self._against_counterparts(number, weighed, statement)
        if beside:
            why = "the groups stand in neighbouring sentences"
            weighed = Weighed("uncertain", weighed.words, why, weighed.signature, weighed.width)
        if statement.change and weighed.outcome == "stated":
            above = [self._normals[one] for one in sentence.context]
            planned = changes.is_planned(normalize(statement.text))
            return changes.weigh_change(parsed, above, groups, statement.change, weighed, planned)
        return weighed

    def _against_counterparts(self, number: int, weighed: Weighed, statement: Statement) -> Weighed:
        """A counterpart that stands nearer together in the same sentence takes its place."""
        if weighed.outcome != "stated":
            return weighed
        for counterpart in statement.counterparts:
            if not counterpart.keys:
                continue
            wanted = wanted_groups(counterpart)
            groups = [self._found(number, group) for group in wanted]
            if not all(groups):
                continue
            other = weigh(self.parsed(number), groups, (), signature_of(counterpart))
            if other.outcome == "stated" and other.width < weighed.width:
                why = f'the counterpart "{counterpart.text}" is nearer'
                return Weighed("contradicted", other.words, why, PLAIN, other.width)
        return weighed

    def parsed(self, number: int) -> Parsed:
        """The sentence with this number, prepared for questions."""
        if number not in self._parsed:
            self._parsed[number] = parse(
                self._normals[number], self._names, self._sentences[number].code
            )
        return self._parsed[number]

    def _found(self, number: int, group: Sequence[Alternative]) -> list[Found]:
        parsed = self.parsed(number)
        return [Found(match) for wanted in group for match in parsed.matches(wanted)]

    def _found_above(self, context: Sequence[int], group: Sequence[Alternative]) -> list[Found]:
        for above in reversed(context):
            found = self._found(above, group)
            if found:
                return [Found(one.match, own=False) for one in found]
        return []

    def _found_beside(self, number: int, group: Sequence[Alternative]) -> list[Found]:
        """The group in a sentence next to this one, unless something reverses it there."""
        found: list[Found] = []
        for beside in self._beside(number):
            cues = self.parsed(beside).sense.cues
            found.extend(
                Found(one.match, own=False)
                for one in self._found(beside, group)
                if not any(cue.reaches(one.match.start, one.match.end) for cue in cues)
            )
        return found

    def _beside(self, number: int) -> list[int]:
        """The sentences next to this one in the same bullet or paragraph."""
        block = self._sentences[number].block
        return [
            beside
            for beside in (number - 1, number + 1)
            if 0 <= beside < len(self._sentences) and self._sentences[beside].block == block
        ]

    def _cues_above(self, sentence: Sentence) -> list[Cue]:
        cues = (heading_cue(self._normals[above]) for above in sentence.context)
        return [cue for cue in cues if cue is not None]

    def _candidates(self, wanted: Wanted) -> list[int]:
        """The sentences that may hold all groups, with what stands above or before them."""
        named = [group for group in wanted if all(map(_has_words, group))]
        holders = [self._holders_of_group(group, None) for group in named]
        if not all(holders):
            return []
        near = self._near(min(holders, key=len)) if holders else None
        figures = [group for group in wanted if group not in named]
        holders.extend(self._holders_of_group(group, near) for group in figures)
        if not all(holders):
            return []
        if len(holders) == 1:
            return sorted(holders[0])
        holders.sort(key=len)
        rare, others = holders[0], [sorted(other) for other in holders[1:]]
        candidates = set(rare)
        for number in rare:
            candidates.update(self._beside(number))
            last = self._sentences[number].last
            if last > number:
                for numbers in others:
                    low, high = bisect_right(numbers, number), bisect_right(numbers, last)
                    candidates.update(numbers[low:high])
        return sorted(candidates)

    def _near(self, numbers: set[int]) -> set[int]:
        """These sentences, and those whose groups may count together with theirs."""
        near = set(numbers)
        for number in numbers:
            sentence = self._sentences[number]
            near.update(sentence.context)
            near.update(range(number, max(sentence.last, number) + 1))
            near.update(self._beside(number))
        return near

    def _holders_of_group(self, group: Sequence[Alternative], near: set[int] | None) -> set[int]:
        found: set[int] = set()
        for wanted in group:
            found |= self.holders(wanted.terms, near)
        return found

    def holders(self, terms: Sequence[Term], near: set[int] | None = None) -> set[int]:
        """The sentences, among those in ``near`` if it is given, that hold all of these terms.

        Values are read only in sentences that hold the words of the terms, or that are near.
        """
        found: set[int] | None = None
        for term in terms:
            if not is_value(term):
                holders = self._holders_of_word(term)
                found = holders if found is None else found & holders
                if not found:
                    return set()
        for term in terms:
            if is_value(term):
                within = found if found is not None else near
                numbers = range(len(self._normals)) if within is None else within
                found = {
                    number for number in numbers if not self._values(number).isdisjoint(term.keys)
                }
        return found or set()

    def _holders_of_word(self, term: Term) -> set[int]:
        found = {number for key in term.keys for number in self._holders.get(key, ())}
        if term.parts:
            rows = [set(self._holders.get(part, ())) for part in term.parts]
            found |= set.intersection(*rows)
        return found

    def _values(self, number: int) -> frozenset[Key]:
        if number not in self._held:
            self._held[number] = frozenset(key for key, _ in held_values(self._normals[number]))
        return self._held[number]

    def literal(self, normal: str) -> list[int]:
        """The sentences in which the normalised text stands, if it has words."""
        forms = [form for token in raw_tokens(normal) for form in token_forms(token)[:1]]
        if not forms:
            return []
        rare = min((self._holders.get(form, []) for form in forms), key=len)
        return [number for number in rare if bounded_find(normal, self._normals[number]) >= 0]


@lru_cache(maxsize=65536)
def _posted(token: str) -> tuple[Key, ...]:
    """What a token of a text can be looked up by."""
    if is_path(token):
        return (*token_forms(token), ("path", "/".join(path_suffixes(token)[:1])))
    return token_forms(token)


def _has_words(wanted: Alternative) -> bool:
    return not all(map(is_value, wanted.terms))


Wanted = tuple[tuple[Alternative, ...], ...]
"""Key groups as the index asks for them."""


@lru_cache(maxsize=4096)
def wanted_groups(statement: Statement) -> Wanted:
    """The key groups of a statement, read."""
    return tuple(tuple(alternative(form) for form in group) for group in statement.keys)


@lru_cache(maxsize=4096)
def signature_of(statement: Statement) -> Signature:
    """How the statement's own wording reads by its own keys; plain if it does not hold them."""
    parsed = parse(normalize(statement.text), _camel_names(statement.text))
    groups = [
        [Found(match) for wanted in group for match in parsed.matches(wanted)]
        for group in wanted_groups(statement)
    ]
    if not groups or not all(groups):
        return PLAIN
    return weigh(parsed, groups, ()).signature


def _camel_names(text: str) -> dict[str, tuple[str, ...]]:
    """The stems of the words of each name in camel case, by the name in lower case."""
    names: dict[str, tuple[str, ...]] = {}
    for name in set(_CAMEL.findall(text)):
        parts = _HUMP.findall(name)
        if len(parts) > 1:
            names[name.casefold()] = tuple(stem(part.lower()) for part in parts)
    return names
