"""A statement's things and other content words, and where a passage holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from pytest_compaction.text.alternatives import Term, Wanted
from pytest_compaction.text.cues import REVERSING
from pytest_compaction.text.excerpts import proper_names
from pytest_compaction.text.minimal_clauses import VERB, Thing, minimal_clauses, things, within
from pytest_compaction.text.parsed import Meaning, Parsed, Span, meaning

_PRONOUN: Final = re.compile(
    r"[\W_]*(?:and |but |now |then |where |there )*"
    r"(?!it (?:is|was) (?:only |not )?[^,;]+,? (?:that|who|which)\b)"
    r"(?:it|they|this|these|he|she)\b"
)
"""A pronoun for what stands before; not the "it" of "it was the cook who rang"."""
_COPULA: Final = re.compile("is|are|was|were")
_CONJUNCTION: Final = re.compile(r",? ?(?:and |or |but |then )?(?:(?:at|in|on|to) )?")
_Groups = Sequence[tuple[list[Span], list[tuple[Span, ...]]]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A word or thing of the statement at ``own`` in its text, and where the passage holds it."""

    own: Span
    places: tuple[Span, ...]
    thing: Thing | None = None


@dataclass(frozen=True)
class Comparison:
    """A statement's units beside the passage: its minimal clauses, and things of its own.

    Where its clauses reach, and what they hold of a unit, is read once for all that ask.
    """

    own: Parsed
    units: tuple[Placed, ...]
    passage: Parsed
    clauses: tuple[Span, ...]
    foreign: tuple[Thing, ...]
    parts: tuple[Span, ...]
    groups: tuple[tuple[Span, ...], ...] = ()

    @cached_property
    def keyed(self) -> list[Span]:
        """Places of words of the key groups in the passage."""
        return [span for group in self.groups for span in group]

    def groups_in(self, number: int) -> list[bool]:
        """For each key group, whether a minimal clause has a word of it."""
        clause = self.clauses[number]
        return [any(within(span, clause) for span in group) for group in self.groups]

    def beside(self, places: Sequence[Span]) -> list[Placed]:
        """The other units in the clauses of the statement's own text that hold these places.

        Where these hold no other, and a colon follows, all others.
        """
        parts = [part for part in self.parts if meets(part, places)]
        others = [unit for unit in self.units if not meets(unit.own, places)]
        near = [unit for unit in others if not parts or meets(unit.own, parts)]
        labels = any(self.own.normal.startswith(": ", end) for _, end in parts)
        return near or (others if labels else [])

    def held(self, units: Sequence[Placed]) -> list[int]:
        """Number of these units in each minimal clause; a pronoun stands for a subject."""
        if not units:
            return [0] * len(self.clauses)
        for places in {unit.places for unit in units} - self._holding.keys():
            self._holding[places] = [
                any(within(span, region) for span in places for region in regions)
                for regions in self._full_regions
            ]
        columns = (self._holding[unit.places] for unit in units)
        return [sum(column) for column in zip(*columns, strict=True)]

    @cached_property
    def _holding(self) -> dict[tuple[Span, ...], list[bool]]:
        return {}

    @cached_property
    def _full_regions(self) -> list[list[Span]]:
        """Each minimal clause with its subject, and with what is left out in it.

        Words may be said once for two clauses: "the burn takes 19 s when warm, and 41 s when cold".
        Where a clause opens with a thing and no verb follows, they stand before the first thing of
        the clause before.
        """
        heard = [one.span for one in self.foreign]
        heard += [span for unit in self.units if unit.thing for span in unit.places]
        found, normal = [[*one] for one in self._regions], self.passage.normal
        for ((before, _), (start, end)), spans in zip(
            pairwise(self.clauses), found[1:], strict=True
        ):
            opened = _CONJUNCTION.match(normal, start, end)
            led = next((span for span in heard if opened and start < span[0] == opened.end()), None)
            if led and not VERB.match(normal, led[1] + 1):
                first = min(
                    (span[0] for span in heard if before <= span[0] < start), default=before
                )
                spans.append((before, first))
        return found

    @cached_property
    def _regions(self) -> list[list[Span]]:
        """Each minimal clause, and the subject before it if it opens with a pronoun."""
        normal = self.passage.normal
        regions = [[clause] for clause in self.clauses]
        for ((start, end), (begin, _)), region in zip(
            pairwise(self.clauses), regions[1:], strict=True
        ):
            if _PRONOUN.match(normal[begin:]):
                verb = VERB.search(normal, start, end)
                named = verb and _COPULA.fullmatch(verb[0]) and normal.startswith(": ", end)
                region.append((start, verb.start() if verb and not named else end))
        return regions

    def homes(self, places: Sequence[Span]) -> list[int]:
        """The numbers of the minimal clauses that hold one of these places."""
        key = tuple(places)
        if key not in self._homes:
            self._homes[key] = [
                number
                for number, spans in enumerate(self._regions)
                if any(within(place, span) for place in places for span in spans)
            ]
        return self._homes[key]

    @cached_property
    def _homes(self) -> dict[tuple[Span, ...], list[int]]:
        return {}


def compared(text: str, wanted: Wanted, passage: Parsed) -> Comparison:
    """Lay a statement with this text and these key groups beside a passage."""
    own = meaning(text)
    proper = passage.proper | proper_names(text)
    mine, parts = _laid_out(own.parsed.normal, _in(proper, own.parsed.normal), ())
    heard, clauses = _laid_out(passage.normal, _in(proper, passage.normal), passage.joints)
    terms, spans = _own_spans(text, wanted)
    groups = [
        (
            placed,
            [  # the words of a denial ("no longer stands") count only as they are
                one.spans
                for one in passage.matches_of(group)
                if one.whole is not None or not one.alternative.negative
            ],
        )
        for placed, group in zip(spans, wanted, strict=True)
    ]
    units = _units(own, terms, mine, heard, groups, passage)
    taken = [span for unit in units for span in unit.places]
    persons = (unit for unit in units if unit.thing and unit.thing.kind == "person")
    named = [span for unit in persons for span in unit.places]
    denies = any(cue.kind in REVERSING for cue in own.parsed.sense.cues)
    foreign = tuple(  # what the passage names only to take it back is not foreign
        one
        for one in (heard if len(clauses) > 1 else ())
        if not any(one.names(other) for other in mine)
        and not meets(one.span, taken)
        and not _is_of_name(one, named, passage.normal)
        and (denies or not any(cue.reverses(one.span) for cue in passage.sense.cues))
    )
    keyed = tuple(tuple(span for spans in theirs for span in spans) for _, theirs in groups)
    return Comparison(own.parsed, tuple(units), passage, clauses, foreign, parts, keyed)


@lru_cache(maxsize=2048)
def _laid_out(
    normal: str, proper: frozenset[str], joints: tuple[int, ...]
) -> tuple[tuple[Thing, ...], tuple[Span, ...]]:
    """The things and the minimal clauses of a text, whatever it is compared with."""
    found = things(normal, proper)
    return found, minimal_clauses(normal, found, joints)


def _in(names: Iterable[str], normal: str) -> frozenset[str]:
    return frozenset(name for name in names if name in normal)


def _is_of_name(thing: Thing, taken: Sequence[Span], normal: str) -> bool:
    """Whether a name stands beside one of the statement's, as a first name or a surname."""
    start, end = thing.span
    return thing.kind == "person" and any(
        (span[1] == start - 1 and normal[span[1]] == " ")
        or (end == span[0] - 1 and normal[end] == " ")
        for span in taken
    )


def _units(
    own: Meaning,
    terms: Sequence[tuple[Term, list[Span]]],
    mine: Sequence[Thing],
    heard: Sequence[Thing],
    groups: _Groups,
    passage: Parsed,
) -> list[Placed]:
    """The statement's things and other content words, with the places of their other wordings."""
    units: list[Placed] = []
    for thing in mine:
        places = {one.span for one in heard if one.names(thing)}
        units.append(Placed(thing.span, _with_others(thing.span, places, groups), thing))
    named = [one.span for one in mine]
    named_there = [one.span for one in heard]
    for term, spans in terms:
        for span in [span for span in spans if not meets(span, named)][:1]:
            held = passage.term_places(term)
            places = {place for place in held if not meets(place, named_there)}
            units.append(Placed(span, _with_others(span, places, groups)))
    return units


def _with_others(own: Span, places: set[Span], groups: _Groups) -> tuple[Span, ...]:
    """These places, and those of the other wordings of a group that stands for just this.

    Of a wording that holds one of the places already, the other words are left out.
    """
    found, listed = set(places), list(places)
    for mine, theirs in groups:
        if mine and all(own[0] < end and start < own[1] for start, end in mine):
            for spans in theirs:
                if not any(meets(span, listed) for span in spans):
                    found.update(spans)
    return tuple(sorted(found))


@lru_cache(maxsize=4096)
def _own_spans(text: str, wanted: Wanted) -> tuple[list[tuple[Term, list[Span]]], list[list[Span]]]:
    """The places of each term, and of each key group, in the statement's text."""
    own = meaning(text)
    return [(term, own.parsed.term_places(term)) for term in own.terms], [
        [span for match in own.parsed.matches_of(group) for span in match.spans] for group in wanted
    ]


def meets(span: Span, spans: Sequence[Span]) -> bool:
    start, end = span
    for first, last in spans:  # noqa: SIM110 - faster than a generator, and asked very often
        if start < last and first < end:
            return True
    return False
