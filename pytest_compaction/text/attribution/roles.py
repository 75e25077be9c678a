"""Who does it to whom: a verb with the same two things on its other sides.

"Ops write to the desk" and "the desk writes to ops" share all words. A verb of the statement is
compared with the same verb in one minimal clause of the passage: what stands before and behind it,
and whether it is active or passive there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from pytest_compaction.text.attribution.minimal_clauses import FINITE
from pytest_compaction.text.attribution.units import Comparison, Unit
from pytest_compaction.text.lexicon.synonyms import IRREGULAR_FORMS, base_stem
from pytest_compaction.text.meaning import STOP
from pytest_compaction.text.parsed import Span
from pytest_compaction.text.things import within

_AUXILIARY: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)(?: not| \w+ly| also| only)? $"
)
_DETERMINER: Final = re.compile(r" (?:the |an? |its |their |our )?")
_BY: Final = re.compile(r" by\b")
_NOUN: Final = re.compile(rf" of\b| (?:{FINITE})\b|$")
"""What stands behind a noun that ends as a verb does: "failures of", "workers are"."""
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
    """The one who does it there is the one to whom it is done here, or the reverse."""
    for verb, before, behind in _verbs(both):
        nouns = [unit for unit in both.units if not _is_adverb(both, unit)]
        own = [unit.own for unit in nouns]
        held = [span for unit in nouns for span in unit.places]
        meant = _voice(both.own.normal, verb.own, own)
        for place, clause in _places(both, verb):
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


def _is_adverb(both: Comparison, unit: Unit) -> bool:
    return both.own.normal[slice(*unit.own)] in _ADVERBS


def _places(both: Comparison, verb: Unit) -> Iterator[tuple[Span, Span]]:
    """Where the passage has the same verb, each with its minimal clause.

    Another verb may turn the roles by itself.
    """
    mine = base_stem(both.own.normal[slice(*verb.own)])
    for place in verb.places:
        clause = next((one for one in both.clauses if within(place, one)), None)
        if clause is not None and base_stem(both.passage.normal[slice(*place)]) == mine:
            yield place, clause


def _around(before: Unit, behind: Sequence[Unit], place: Span, clause: Span) -> bool:
    """Whether the verb keeps its object and the two around these have changed places.

    "A poll eats the tokens of a booking", "a booking eats the tokens of a poll".
    """
    kept = _sides(behind[0], place, clause) == {1}
    return kept and any(
        _order(before, last, place, clause) == -1
        and all(within(span, clause) for span in (*before.places, *last.places))
        for last in behind[1:]
    )


def _verbs(both: Comparison) -> Iterator[tuple[Unit, Unit, list[Unit]]]:
    """Each verb of the statement, with the unit before it and those behind it in its clause."""
    units = sorted(both.units, key=lambda unit: unit.own)
    for number, (before, verb) in enumerate(pairwise(units)):
        behind: list[Unit] = []
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


def _order(before: Unit, behind: Unit, place: Span, clause: Span) -> int:
    """1 if the two units stand around the verb as in the statement, -1 if exchanged, else 0.

    Where only the first of them is there, a person, it counts alone.
    """
    first, second = (_sides(unit, place, clause) for unit in (before, behind))
    if first == {-1} and (second == {1} or (not second and before.thing is not None)):
        return 1
    return -1 if first == {1} and second == {-1} else 0


def _sides(unit: Unit, place: Span, clause: Span) -> set[int]:
    """On which sides of a place, within the clause, the passage holds the unit."""
    inside = [span for span in unit.places if within(span, clause)]
    return {-1 if span[1] <= place[0] else 1 for span in inside if span != place}
