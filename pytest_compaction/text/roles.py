"""Agent and patient, and the order of things.

"Ops write to the desk" and "the desk writes to ops" share all words. A verb of the statement is
compared with the same verb in one minimal clause of the passage: what stands before and behind it,
and whether it is active or passive there. "Start tiller, helm, keel" and "start keel, helm, tiller"
hold the same words too, as do "the tag comes after the nightly" and "the tag first; then the
nightly", "12 files" and "12 months in one file", "into the header" and "out of the header".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from pytest_compaction.text.comparison import Comparison, Placed, meets
from pytest_compaction.text.minimal_clauses import FINITE, within
from pytest_compaction.text.parsed import STOP, Span
from pytest_compaction.text.vocabulary import IRREGULAR_FORMS, base_stem
from pytest_compaction.text.words import STOPWORDS

_AUXILIARY: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)(?: not| \w+ly| also| only)? $"
)
_DETERMINER: Final = re.compile(r" (?:the |an? |its |their |our )?")
_BY: Final = re.compile(r" by\b")
_NOUN: Final = re.compile(rf" of\b| (?:{FINITE})\b|$")
"""Words behind a noun that ends as a verb does: "failures of", "workers are"."""
_BASES: Final = frozenset(base_stem(word) for word in IRREGULAR_FORMS)
_PARTICIPLES: Final = frozenset(form for forms in IRREGULAR_FORMS.values() for form in forms)
_INFLECTED: Final = re.compile(r"[a-z]{2,}(?:ed|[^s\W\d]s)")

_MODAL: Final = re.compile(r"\b(?:would|will|can|could|must|may|might|should|shall|to) $")

_ACTOR: Final = re.compile(r"\b(?:that|which|who|whom)? ?(?:i|we|you|he|she|they) $")
"""A subject of its own: who is named before it is the object."""
_ADVERBS: Final = frozenset("first last next then now once twice again already only".split())

Voice = Literal["active", "passive", "agent"]
"""Active, passive, or passive with the agent behind "by"."""


def exchanged_roles(both: Comparison) -> str | None:
    """Agent and patient are swapped."""
    nouns = [unit for unit in both.units if both.own.normal[slice(*unit.own)] not in _ADVERBS]
    own = [unit.own for unit in nouns]
    held = [span for unit in nouns for span in unit.places]
    for verb, before, behind in _verbs(both):
        meant = _voice(both.own.normal, verb.own, own)
        for place, clause in _verb_places(both, verb):
            heard = _voice(both.passage.normal, place, held)
            if meant is None or heard is None or _ACTOR.search(both.passage.normal[: place[0]]):
                continue
            order = _order(before, behind[0], place, clause)
            if (
                (order == -1 and heard == meant)
                or (
                    order == 1
                    and {meant, heard} in ({"active", "agent"}, {"active", "passive"})
                    and (meant == "active") <= (heard == "agent")
                )
                or (heard == meant == "active" and _around(before, behind, place, clause))
            ):
                return f'who and whom of "{both.own.normal[slice(*verb.own)]}" are exchanged'
    return None


def _verb_places(both: Comparison, verb: Placed) -> Iterator[tuple[Span, Span]]:
    """Places of the same verb in the passage, each with its minimal clause.

    Another verb may turn the roles by itself.
    """
    mine = base_stem(both.own.normal[slice(*verb.own)])
    for place in verb.places:
        clause = next((one for one in both.clauses if within(place, one)), None)
        if clause is not None and base_stem(both.passage.normal[slice(*place)]) == mine:
            yield place, clause


def _around(before: Placed, behind: Sequence[Placed], place: Span, clause: Span) -> bool:
    """Whether the verb keeps its object and the two around these have changed places.

    "A poll eats the tokens of a booking", "a booking eats the tokens of a poll".
    """
    kept = _sides(behind[0], place, clause) == {1}
    return kept and any(
        _order(before, last, place, clause) == -1
        and all(within(span, clause) for span in (*before.places, *last.places))
        for last in behind[1:]
    )


def _verbs(both: Comparison) -> Iterator[tuple[Placed, Placed, list[Placed]]]:
    """Each verb of the statement, with the unit before it and those behind it in its clause."""
    units = sorted(both.units, key=lambda unit: unit.own)
    for number, (before, verb) in enumerate(pairwise(units)):
        behind: list[Placed] = []
        for unit in units[number + 2 :]:
            if STOP.search(both.own.normal, before.own[1], unit.own[0]):
                break
            behind.append(unit)
        noun = _NOUN.match(both.own.normal, verb.own[1])
        if verb.thing is None and behind and not noun and is_verb(both.own.normal, verb.own):
            yield verb, before, behind


def is_verb(normal: str, span: Span) -> bool:
    word = normal[slice(*span)]
    if _INFLECTED.fullmatch(word) is not None or base_stem(word) in _BASES:
        return True
    return _MODAL.search(normal[: span[0]]) is not None


def _voice(normal: str, verb: Span, objects: Sequence[Span]) -> Voice | None:
    """The voice of a verb, where its form or an object right behind it shows it.

    A participle alone shows none.
    """
    word = normal[slice(*verb)]
    if _AUXILIARY.search(normal[: verb[0]]):
        return "agent" if _BY.match(normal, verb[1]) else "passive"
    if word.endswith("ing") or _BY.match(normal, verb[1]):
        return None
    behind = _DETERMINER.match(normal, verb[1])
    if any(behind is not None and behind.end() == start for start, _ in objects):
        return "active"
    return None if word.endswith("ed") or word in _PARTICIPLES else "active"


def _order(before: Placed, behind: Placed, place: Span, clause: Span) -> int:
    """1 if the two units stand around the verb as in the statement, -1 if exchanged, else 0.

    Where only the first of them is there, a person, it counts alone.
    """
    first, second = (_sides(unit, place, clause) for unit in (before, behind))
    if first == {-1} and (second == {1} or (not second and before.thing is not None)):
        return 1
    return -1 if first == {1} and second == {-1} else 0


def _sides(unit: Placed, place: Span, clause: Span) -> set[int]:
    """On which sides of a place, within the clause, the passage holds the unit."""
    inside = [span for span in unit.places if within(span, clause)]
    return {-1 if span[1] <= place[0] else 1 for span in inside if span != place}


_LEAST_ROW: Final = 3
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
    """Words in another order, or counted or moved the other way round."""
    return _reordered(both) or _led(both) or _counted(both) or _left(both)


def _reordered(both: Comparison) -> str | None:
    """A list of which the order counts stands there in another order."""
    if not _ORDER.search(both.own.normal):
        return None
    units = {unit.own: unit for unit in both.units}
    for row in _spans_in_a_row(both.own.normal, sorted(units)):
        places = {span: number for number, own in enumerate(row) for span in units[own].places}
        for heard in _spans_in_a_row(both.passage.normal, sorted(places)):
            numbers = [places[span] for span in heard]
            if len(set(numbers)) == len(row) and numbers != sorted(numbers):
                return "the list stands in another order"
    return None


def _spans_in_a_row(normal: str, spans: Sequence[Span]) -> Iterator[list[Span]]:
    """The lists of a text: spans with nothing between them but a comma, arrow or "and"."""
    row: list[Span] = list(spans[:1])
    for before, span in pairwise(spans):
        if not _JOINT.fullmatch(normal[before[1] : span[0]]):
            if len(row) >= _LEAST_ROW:
                yield row
            row = []
        row.append(span)
    if len(row) >= _LEAST_ROW:
        yield row


def _led(both: Comparison) -> str | None:
    """Two things in reversed order in the passage."""
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
        if number.thing is None or not number.thing.text[:1].isdigit():
            continue
        counted = _COUNTED.match(both.own.normal, number.own[0])
        nouns = [unit for unit in both.units if counted and unit.own == counted.span(1)]
        if not nouns or not nouns[0].places:
            continue
        counts = [_COUNTED.match(normal, start) for start, _ in number.places]
        others = [one for one in counts if one and one[1] not in STOPWORDS]
        if not others or len(others) < len(counts):
            continue
        taken = [span for unit in both.units if unit is not number for span in unit.places]
        taken += [span for span in both.keyed if not meets(span, number.places)]
        if any(meets(one.span(1), taken) for one in others):
            continue
        if all(_NUMERAL.search(normal[:start]) for start, _ in nouns[0].places):
            noun = both.own.normal[slice(*nouns[0].own)]
            return f'"{others[0][1]}" are counted and not "{noun}"'
    return None


def _left(both: Comparison) -> str | None:
    """Source and goal of a movement are swapped."""
    for unit in both.units:
        if _ENTRY.search(both.own.normal[: unit.own[0]]) and unit.places:
            before = [both.passage.normal[:start] for start, _ in unit.places]
            if all(_EXIT.search(text) for text in before):
                return f'out of "{both.own.normal[slice(*unit.own)]}" and not into it'
    return None
