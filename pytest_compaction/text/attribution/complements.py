"""Whether another word stands where a statement has the object or complement of its verb.

"The cook salted the soup" is not said by "the cook salted the beans; the soup stood cold": the
verb has an object, and what the statement has in its place is the subject of another clause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from pytest_compaction.text.attribution.roles import is_verb
from pytest_compaction.text.attribution.subjects import opens_with
from pytest_compaction.text.attribution.units import Comparison, Unit, meets
from pytest_compaction.text.parsed import Span
from pytest_compaction.text.things import within
from pytest_compaction.text.words import STOPWORDS

_LEAST: Final = 2
"""The least number of the statement's other words in the clause with the other complement."""
_COPULA: Final = re.compile(r" (?:is|are|was|were) (?:the |an? )?")
_OBJECT: Final = re.compile(r" (?:the |an? |its |their |his |her )?")
_INDEFINITE: Final = re.compile(r"(?:any|every|no|some)(?:body|one|thing)")
_PREPOSITIONS: Final = tuple(
    re.compile(rf" {word} (?:the |an? |its |their |his |her )?")
    for word in ("of", "for", "in", "on", "at", "by", "from", "with", "after", "before", "to")
)
_LINKS: Final = tuple(
    (link, re.compile(rf"{link.pattern}(?:[a-z]+ )?"))
    for link in (_COPULA, _OBJECT, *_PREPOSITIONS)
)
"""Each link, and the same with a word before what it leads to."""
_WORDS: Final = 2
"""How many words behind the link may be the other complement."""
_FILLER: Final = re.compile(r"(?:(?<![./@-])[./@-]+\w+|\w+)(?:[./@-]+\w+)*")


def other_complement(both: Comparison) -> str | None:
    """What stands behind the verb or copula in place of the statement's own word."""
    for unit in both.units:
        homes = both.homes(unit.places)
        if not homes or (unit.thing is not None and unit.thing.held):
            continue
        opens = all(opens_with(both, at, [unit]) for at in homes)
        held = both.held([other for other in both.units if other is not unit])
        for head, link in _heads(both, unit):
            if link in {_COPULA, _OBJECT} and not opens:
                continue
            for end, number in _ends(both, head):
                if number in homes or _explains(both, number, homes) or held[number] < _LEAST:
                    continue
                if held[number] < max(held[at] for at in homes):
                    continue
                word = _filler(both, end, number, link)
                if word:
                    return f'"{word}" for "{both.own.normal[slice(*unit.own)]}"'
    return None


def _explains(both: Comparison, number: int, homes: Sequence[int]) -> bool:
    """Whether a colon leads from this clause to one with the statement's word."""
    return number + 1 in homes and both.passage.normal.startswith(": ", both.clauses[number][1])


def _heads(both: Comparison, unit: Unit) -> list[tuple[Unit, re.Pattern[str]]]:
    """The units before this one that it is linked to by a copula, or as an object."""
    found = []
    normal, end = both.own.normal, unit.own[0]
    for head in both.units:
        start = head.own[1]
        if start >= end or normal[start] != " ":
            continue
        for link, whole in _LINKS:
            if link in _PREPOSITIONS and head.thing is not None:
                continue
            if whole.fullmatch(normal, start, end) and (
                link is not _OBJECT or is_verb(normal, head.own)
            ):
                found.append((head, link))
    return found


def _ends(both: Comparison, head: Unit) -> list[tuple[int, int]]:
    """Where each place of the head ends, with the number of its clause."""
    return [
        (span[1], number)
        for span in head.places
        for number, clause in enumerate(both.clauses)
        if within(span, clause)
    ]


def _filler(both: Comparison, end: int, number: int, link: re.Pattern[str]) -> str | None:
    """The word linked in the same way, if it is none of the statement's."""
    stop = both.clauses[number][1]
    match = link.match(both.passage.normal, end, stop)
    if match is None:
        return None
    taken: list[Span] = [span for unit in both.units for span in unit.places]
    counts = [one.span for one in both.foreign if one.held]
    for word in islice(_FILLER.finditer(both.passage.normal, match.end(), stop), _WORDS):
        if meets(word.span(), [*taken, *counts]):
            return None
        if word[0] not in STOPWORDS and not _INDEFINITE.fullmatch(word[0]):
            return word[0]
    return None
