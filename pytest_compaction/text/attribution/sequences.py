"""Orders and exchanges of a statement's own words: lists, "first" and "after", counted nouns.

"Start tiller, helm, keel" and "start keel, helm, tiller" hold the same words, as do "the tag comes
after the nightly" and "the tag first; then the nightly", "12 files" and "12 months in one file",
"into the header" and "out of the header".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pytest_compaction.text.attribution.units import Comparison, Unit, meets
from pytest_compaction.text.parsed import Span
from pytest_compaction.text.things import within
from pytest_compaction.text.words import STOPWORDS

_LEAST: Final = 3
"""The least length of a list whose order counts."""
_JOINT: Final = re.compile(r"\s*(?:,|;|→|->|>|/|and|then|, and|, then|and then)\s*")
_ORDER: Final = re.compile(r"\b(?:order|sequence|first|then|last|followed by|one after)\b|→|->|>")
_LATER: Final = re.compile(r"\b(?:after|once|follows|until|later than|last)\b")
_FIRST: Final = re.compile(r"\bfirst\b(?= ?(?:[.,;:]|$))")
_NUMERAL: Final = re.compile(r"\b(?:\d+|one|an?|each|every|per|single|number of|any) $")
_COUNTED: Final = re.compile(r"[\w.,]*[ -]([a-z]{3,})\b")
"""A number from its first sign on, and the noun behind it; "12 months" is one value."""
_ENTRY: Final = re.compile(r"\b(?:in)?to (?:the |an? |its )?$")
_EXIT: Final = re.compile(r"\b(?:out of|away from) (?:the |an? |its )?$")


def other_sequence(both: Comparison) -> str | None:
    """What the passage has in another order, or counts or moves the other way round."""
    return _reordered(both) or _led(both) or _counted(both) or _left(both)


def _reordered(both: Comparison) -> str | None:
    """A list of which the order counts stands there in another order."""
    if not _ORDER.search(both.own.normal):
        return None
    for row in _rows(both.own.normal, both.units):
        places = {span: number for number, unit in enumerate(row) for span in unit.places}
        for heard in _spans_in_a_row(both.passage.normal, sorted(places)):
            numbers = [places[span] for span in heard]
            if len(set(numbers)) == len(row) and numbers != sorted(numbers):
                return "the list stands in another order"
    return None


def _rows(normal: str, units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """The lists of the statement: units with nothing between them but a comma, arrow or "and"."""
    by_span = {unit.own: unit for unit in units}
    for spans in _spans_in_a_row(normal, sorted(by_span)):
        yield [by_span[span] for span in spans]


def _spans_in_a_row(normal: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
    row: list[Span] = list(spans[:1])
    for before, span in pairwise(spans):
        if not _JOINT.fullmatch(normal[before[1] : span[0]]):
            if len(row) >= _LEAST:
                yield row
            row = []
        row.append(span)
    if len(row) >= _LEAST:
        yield row


def _led(both: Comparison) -> str | None:
    """What comes after something in the statement comes first there."""
    later = _LATER.search(both.own.normal)
    if later is None or _FIRST.search(both.own.normal):
        return None
    ahead = [unit for unit in both.units if unit.own[1] <= later.start()]
    held = both.held(ahead)
    for first in _FIRST.finditer(both.passage.normal):
        at = next((n for n, one in enumerate(both.clauses) if within(first.span(), one)), None)
        if at is None or not ahead or not held[at] or held[at] < max(held):
            continue
        rest = [unit for unit in both.units if unit.own[0] >= later.end()]
        if any(both.held(rest)[at + 1 :]) or not rest:
            return 'first there, "' + later[0] + '" here'
    return None


def _counted(both: Comparison) -> str | None:
    """A number of the statement counts another noun there, and its own noun is counted apart."""
    normal = both.passage.normal
    for number in both.units:
        taken = [span for unit in both.units if unit is not number for span in unit.places]
        taken += [span for span in both.keyed if not meets(span, number.places)]
        noun = _noun_of(both, number)
        if noun is None or not noun.places:
            continue
        counts = [_COUNTED.match(normal, start) for start, _ in number.places]
        others = [one for one in counts if one and one[1] not in STOPWORDS]
        if not others or len(others) < len(counts):
            continue
        if any(meets(one.span(1), taken) for one in others):
            continue
        if all(_NUMERAL.search(normal[:start]) for start, _ in noun.places):
            return f'"{others[0][1]}" are counted and not "{both.own.normal[slice(*noun.own)]}"'
    return None


def _noun_of(both: Comparison, number: Unit) -> Unit | None:
    """The noun that a number counts in the statement's own text."""
    if number.thing is None or not number.thing.text[:1].isdigit():
        return None
    counted = _COUNTED.match(both.own.normal, number.own[0])
    if counted is None:
        return None
    return next((unit for unit in both.units if unit.own == counted.span(1)), None)


def _left(both: Comparison) -> str | None:
    """What something goes into is what it comes out of there."""
    for unit in both.units:
        if _ENTRY.search(both.own.normal[: unit.own[0]]) and unit.places:
            before = [both.passage.normal[:start] for start, _ in unit.places]
            if all(_EXIT.search(text) for text in before):
                return f'out of "{both.own.normal[slice(*unit.own)]}" and not into it'
    return None
