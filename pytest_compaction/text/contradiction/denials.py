"""What a statement asserts, and a passage with its words denies.

A word of the statement may stand only where it is negated, a whole group only where it is rejected,
and a predicate only in a clause about something else ("only the cellar is locked", "the others are
off the list").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.text.groups import REVERSING, Found
from pytest_compaction.text.keys.alternatives import Term, is_value
from pytest_compaction.text.meaning import is_name, meaning
from pytest_compaction.text.negation.polarity import Cue
from pytest_compaction.text.parsed import Parsed, Span
from pytest_compaction.text.words import is_path, stem

_BUT: Final = re.compile(r"[^,;:.]{1,40}? but\b")
_NOT_THERE: Final = re.compile(
    r" (?:be |been |being |yet |\w+ly )*(?:used|exist|needed|wanted|present|there|taken|chosen|"
    r"given)\b(?! (?:again|any more|for))"
    r"| (?:cause|reason|problem|obstacle|hindrance|issue|factor|concern)\b"
)
"""What a subject is denied by, and not only what it does."""
_CLAUSE: Final = re.compile(
    r"[;.!?](?=\s|$)|, (?=and|but|so|while|whereas|only|the (?:other|rest))| - "
)
_MARKS: Final = " \t\r\n,;.-"
_OPENING: Final = re.compile(r"(?:and|but|so|while|whereas|next time|now|then|later) ")
_OF: Final = re.compile(r"of (?P<what>[\w ]{1,30})")
_OTHERS: Final = re.compile(
    r"only (?!(?:if|when|after|once|by|in|on|at|then|because|with|for|from|to|as|until|now)\b)"
    r"|(?:all )?the (?:others?|rest|remaining|other \w+)\b|everything else|everybody else|"
    r"(?:all|the) others?\b"
)
"""What a clause is about that is about something else than what was named before it."""
_SPEAKS_OF_OTHERS: Final = re.compile(r"(?<![\w-])(?:only|others?|rest|remaining|else|alone)\b")
_NAME: Final = re.compile(r"[^a-z ;,]")
_CLOSE: Final = 4
"""Letters that a verb must have for its negation with "un" to be looked for."""


def word_denied(text: str, passage: Parsed, around: Parsed | None = None) -> str | None:
    """A word of an assertion that stands in the passage, or else beside it, only denied."""
    if any(cue.whole for cue in passage.sense.cues):
        return None
    for term in meaning(text).terms:
        if is_value(term) or is_name(term):
            continue
        heard, places = passage, passage.term_places(term)
        if not places and around is not None and term.keys:
            heard, places = around, list(around.places.of(term.keys[0]))
        places = [span for span in places if not is_path(heard.normal[slice(*span)])]
        if places and all(is_denied(heard, span) for span in places):
            start, end = places[0]
            return f'"{heard.normal[start:end]}" is denied'
        if not places and (un := _undone(passage, term)):
            return f'"{un}" denies it'
    return None


def group_denied(text: str, groups: Sequence[Sequence[Found]], passage: Parsed) -> str | None:
    """A group that stands in the passage only where it is denied or rejected."""
    if _tells_of_it(groups, passage) or any(cue.whole for cue in passage.sense.cues):
        return None
    for group in groups:
        own = [one.match for one in group if one.own]
        if not own or len(own) < len(group) or any(one.alternative.negative for one in own):
            continue
        spans = [(one.start, one.end) for one in own]
        others = [one.match.start for other in groups if other is not group for one in other]
        if _explained(passage, max(spans)[1], others):
            continue
        if all(is_denied(passage, span, rejected=True) for span in spans):
            start, end = spans[0]
            return f'"{passage.normal[start:end]}" is denied'
    return None


def _tells_of_it(groups: Sequence[Sequence[Found]], passage: Parsed) -> bool:
    """Whether the groups themselves ask for the rejection."""
    return any(
        cue.kind == "rejected" and one.match.start < cue.at[1] and cue.at[0] < one.match.end
        for cue in passage.sense.cues
        for group in groups
        for one in group
        if one.own
    )


def _explained(passage: Parsed, end: int, others: Sequence[int]) -> bool:
    """Whether all else stands in an explanation behind what is rejected."""
    return any(end <= place <= min(others, default=0) for place in passage.sense.explains)


def said_of_others(text: str, groups: Sequence[Sequence[Found]], passage: Parsed) -> str | None:
    """A group that stands only in a clause about something else than the statement's subject."""
    own = meaning(text)
    if _SPEAKS_OF_OTHERS.search(own.parsed.normal):
        return None
    for clause in _clauses(passage.normal):
        said = passage.normal[slice(*clause)]
        opened = _named_others(said)
        if not opened or clause[0] == 0:
            continue
        inside = any(_stands_in(passage.normal, clause, group) for group in groups[1:])
        first = [one.match for one in groups[0] if one.own]
        subject = passage.term_places(own.terms[0]) if own.terms else []
        outside = bool(first) and all(one.end <= clause[0] for one in first)
        before = bool(subject) and all(end <= clause[0] for _, end in subject)
        if (inside and outside) or (
            before and (inside or _stands_in(passage.normal, clause, groups[0]))
        ):
            return f'said of others: "{opened.strip(_MARKS)}"'
    return None


def _named_others(said: str) -> str:
    """The beginning of a clause about others, with the words that open it; empty if it is not.

    Openings can be told apart in many ways ("of the two, now of both,"): each place is tried once.
    """
    start = len(said) - len(said.lstrip(_MARKS))
    tried = {start}
    ways = [(start, _after_opening(said, start))]
    while ways:
        at, following = ways[-1]
        place = next(following, None)
        if place is None:
            ways.pop()
            if found := _OTHERS.match(said, at):
                return said[: found.end()]
        elif place not in tried:
            tried.add(place)
            ways.append((place, _after_opening(said, place)))
    return ""


def _after_opening(said: str, at: int) -> Iterator[int]:
    """Where the words that open a clause may end, if they begin here; the nearest first."""
    if opening := _OPENING.match(said, at):
        yield opening.end()
    if of := _OF.match(said, at):
        for place in range(of.start("what") + 1, of.end() + 1):
            end = place + said.startswith(",", place)
            if said.startswith(" ", end):
                yield end + 1


def _stands_in(normal: str, clause: Span, group: Sequence[Found]) -> bool:
    """Whether a group of words stands in this clause alone."""
    found = [
        one.match
        for one in group
        if one.own and (one.match.whole or not one.match.alternative.negative)
    ]
    if any(_NAME.search(normal, one.start, one.end) for one in found):
        return False
    return bool(found) and all(clause[0] < one.end <= clause[1] for one in found)


def _clauses(normal: str) -> list[Span]:
    ends = [match.start() for match in _CLAUSE.finditer(normal)]
    return list(zip([0, *ends], [*ends, len(normal)], strict=True))


def _undone(passage: Parsed, term: Term) -> str | None:
    """A word that says with "un" that the verb was not done."""
    verb = str(term.keys[0]) if term.keys else ""
    if len(verb) < _CLOSE - 1 or not verb.isalpha():
        return None
    for un in (f"un{verb}", stem(f"un{verb}ed"), stem(f"un{verb}d")):
        if un in passage.places:
            start, end = passage.places.of(un)[0]
            return passage.normal[start:end]
    return None


def is_denied(passage: Parsed, span: Span, rejected: bool = False) -> bool:
    """Whether an odd number of cues denies what stands here; "not a but b" denies only a.

    The subject of a negated verb is not denied; that of a rejecting one is, if ``rejected``.
    """
    cues = [cue for cue in passage.sense.cues if _reaches(passage, cue, span, rejected)]
    corrected = any(
        not cue.reaches(*span) and _BUT.match(passage.normal, cue.at[1]) for cue in cues
    )
    return len(cues) % 2 == 1 and not corrected


def _reaches(passage: Parsed, cue: Cue, span: Span, rejected: bool) -> bool:
    if cue.kind not in REVERSING or (cue.at[0] < span[1] and span[0] < cue.at[1]):
        return False
    if cue.kind == "negated":
        if any(
            one.kind == "rejected" and cue.reaches(*one.at) and one.reaches_back(*span)
            for one in passage.sense.cues
        ):
            return False
        gone = _NOT_THERE.match(passage.normal, cue.at[1]) is not None
        return cue.reaches(*span) or (gone and cue.reaches_back(*span))
    if cue.kind == "rejected":
        return rejected and cue.reaches_back(*span)
    return rejected and cue.reaches(*span)
