"""Whether what a passage says with the words of a statement is said of the statement's own subject.

A passage that holds all keys may say it of something else: "ALERT-34 fires after 25 lines,
ALERT-21 after 2" has "ALERT-21", "fires" and "25". Each of the statement's things (a value, a
name, a noun with its modifier) is looked for in the minimal clauses of the passage. If another
thing of the same kind stands in its place, in a clause that holds more of the statement's other
words than any clause with the thing itself, then the passage speaks of that one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.text.alternatives import Alternative, Wanted
from pytest_compaction.text.meaning import Meaning, meaning
from pytest_compaction.text.minimal_clauses import minimal_clauses
from pytest_compaction.text.parsed import Parsed, Span
from pytest_compaction.text.things import Thing, may_replace, proper_names, things
from pytest_compaction.text.words import STOPWORDS

_MODIFIED: Final = re.compile(r"\b([a-z][\w-]*) ([a-z][\w-]*)\b")
_COMPARED: Final = re.compile(
    r"\b(?:versus|vs\.?|against|than|compared (?:with|to)|instead of|rather than|from|not|unlike)"
    r"(?: an?| the| in| at)* $"
)
"""What stands behind one of these is named for comparison alone."""
_OTHERNESS: Final = re.compile(r"(?:another|other|others|else|elsewhere|later|different)")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word or thing of the statement, and where the passage holds it."""

    own: Span
    places: tuple[Span, ...]


def bound_otherwise(text: str, wanted: Wanted, passage: Parsed) -> str | None:
    """The other thing of which the passage says what the statement says of its own, if it shows."""
    own = meaning(text)
    proper = passage.proper | proper_names(text)
    mine = things(own.parsed.normal, proper)
    heard = things(passage.normal, proper)
    clauses = minimal_clauses(passage.normal, heard, passage.joints)
    if len(clauses) < 2:
        return None
    groups = [_group(own.parsed, passage, group) for group in wanted]
    units = _units(own, mine, heard, groups, passage)
    taken = [span for unit in units for span in unit.places]
    foreign = [
        one
        for one in heard
        if not any(one.names(other) for other in mine)
        and not _meets(one.span, taken)
        and not _COMPARED.search(passage.normal[: one.span[0]])
    ]
    for thing in mine:
        places = next(unit.places for unit in units if unit.own == thing.span)
        rivals = [one.span for one in foreign if may_replace(one, thing)]
        alike = [one.span for one in mine if one.kind == thing.kind]
        others = [unit for unit in units if not _meets(unit.own, alike)]
        rival = _rival(places, rivals, others, clauses)
        if rival:
            return f'"{passage.normal[slice(*rival)]}" for "{thing.text}"'
    return None


def _units(
    own: Meaning,
    mine: Sequence[Thing],
    heard: Sequence[Thing],
    groups: Sequence[tuple[list[Span], list[Span]]],
    passage: Parsed,
) -> list[_Unit]:
    """The statement's things and other content words, with the places of their other wordings."""
    units: list[_Unit] = []
    for thing in mine:
        places = {one.span for one in heard if one.names(thing)}
        units.append(_Unit(thing.span, _with_others(thing.span, places, groups)))
    named = [one.span for one in mine]
    for term in own.terms:
        spans = [span for span in own.parsed.term_places(term) if not _meets(span, named)]
        for span in spans[:1]:
            within = [one.span for one in heard]
            places = {place for place in passage.term_places(term) if not _meets(place, within)}
            units.append(_Unit(span, _with_others(span, places, groups)))
    return units


def _with_others(
    own: Span, places: set[Span], groups: Sequence[tuple[list[Span], list[Span]]]
) -> tuple[Span, ...]:
    """These places, and those of the other wordings of a group that stands for just this."""
    for mine, theirs in groups:
        if mine and all(_meet(own, span) for span in mine):
            places = places | set(theirs)
    return tuple(sorted(places))


def _group(
    own: Parsed, passage: Parsed, group: Sequence[Alternative]
) -> tuple[list[Span], list[Span]]:
    """The places of a key group in the statement's text and in the passage."""
    mine = [span for one in group for match in own.matches(one) for span in match.spans]
    return mine, [span for one in group for match in passage.matches(one) for span in match.spans]


def _rival(
    places: Sequence[Span],
    rivals: Sequence[Span],
    others: Sequence[_Unit],
    clauses: Sequence[Span],
) -> Span | None:
    """The rival in a clause that has more of the other words than any with the thing itself."""
    if not places or not rivals:
        return None
    held = [sum(any(_in(span, clause) for span in unit.places) for unit in others) for clause in clauses]
    home = [any(_in(span, clause) for span in places) for clause in clauses]
    most = max((count for count, at in zip(held, home, strict=True) if at), default=None)
    if most is None:
        return None
    for clause, count, at in zip(clauses, held, home, strict=True):
        if at or count <= most:
            continue
        inside = [span for span in rivals if _in(span, clause)]
        if inside:
            return inside[0]
    return None


def _in(span: Span, clause: Span) -> bool:
    return clause[0] <= span[0] and span[1] <= clause[1]


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _meets(span: Span, spans: Sequence[Span]) -> bool:
    return any(_meet(span, other) for other in spans)
