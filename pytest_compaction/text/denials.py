"""Statements that a passage with their words denies or rejects.

A word of the statement may stand only where it is negated, a whole group only where it is rejected,
and a predicate only in a clause about something else ("only the cellar is locked", "the others are
off the list").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.text.cues import NOWHERE, REVERSING, Cue
from pytest_compaction.text.groups import KeyMatch
from pytest_compaction.text.languages.en import NO_PART, REJECT
from pytest_compaction.text.minimal_clauses import within
from pytest_compaction.text.parsed import Parsed, Span, meaning, spans_between
from pytest_compaction.text.statement_keys import denies
from pytest_compaction.text.words import is_path, stem

_BUT: Final = re.compile(r"[^,;:.]{1,40}? but\b")
_NOT_THERE: Final = re.compile(
    r" (?:be |been |being |yet |\w+ly )*(?:used|exist|needed|wanted|present|there|taken|chosen|"
    r"given)\b(?! (?:again|any more|for))"
    r"| (?:cause|reason|problem|obstacle|hindrance|issue|factor|concern)\b"
)
"""Denials of a subject, and not only of its action."""
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
"""Subjects of a clause about something other than what was named before it."""
_SPEAKS_OF_OTHERS: Final = re.compile(r"(?<![\w-])(?:only|others?|rest|remaining|else|alone)\b")
_SIGN: Final = re.compile(r"[^a-z ;,]")
_CLOSE: Final = 4
"""Letters that a verb must have for its negation with "un" to be looked for."""


def word_denied(text: str, passage: Parsed, around: Parsed | None = None) -> str | None:
    """A word of an assertion that stands in the passage, or else beside it, only denied."""
    if any(cue.whole for cue in passage.sense.cues):
        return None
    for term in meaning(text).words:
        heard, places = passage, passage.term_places(term)
        if not places and around is not None and term.keys:
            heard, places = around, list(around.places.of(term.keys[0]))
        places = [span for span in places if not is_path(heard.normal[slice(*span)])]
        if places and all(is_denied(heard, span) for span in places):
            start, end = places[0]
            return f'"{heard.normal[start:end]}" is denied'
        verb = str(term.keys[0]) if term.keys and not places else ""
        if len(verb) >= _CLOSE - 1 and verb.isalpha():
            for un in (f"un{verb}", stem(f"un{verb}ed"), stem(f"un{verb}d")):
                for span in passage.places.of(un):
                    return f'"{passage.normal[slice(*span)]}" denies it'
    return None


def group_denied(text: str, groups: Sequence[Sequence[KeyMatch]], passage: Parsed) -> str | None:
    """A group that stands in the passage only where it is denied or rejected."""
    cues = passage.sense.cues
    asked = any(  # the groups themselves ask for the rejection
        cue.kind == "rejected" and one.match.start < cue.at[1] and cue.at[0] < one.match.end
        for cue in cues
        for group in groups
        for one in group
        if one.own
    )
    if asked or any(cue.whole for cue in cues):
        return None
    for group in groups:
        own = [one.match for one in group if one.own]
        if not own or len(own) < len(group) or any(one.alternative.negative for one in own):
            continue
        spans = [(one.start, one.end) for one in own]
        others = [one.match.start for other in groups if other is not group for one in other]
        if any(
            max(spans)[1] <= place <= min(others, default=0) for place in passage.sense.explains
        ):
            continue
        if all(is_denied(passage, span, rejected=True) for span in spans):
            start, end = spans[0]
            return f'"{passage.normal[start:end]}" is denied'
    return None


def said_of_others(text: str, groups: Sequence[Sequence[KeyMatch]], passage: Parsed) -> str | None:
    """A group that stands only in a clause about something else than the statement's subject."""
    own = meaning(text)
    if _SPEAKS_OF_OTHERS.search(own.parsed.normal):
        return None
    for clause in spans_between(_CLAUSE, passage.normal):
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
    """Possible ends of the words that open a clause here, the nearest first."""
    if opening := _OPENING.match(said, at):
        yield opening.end()
    if of := _OF.match(said, at):
        for place in range(of.start("what") + 1, of.end() + 1):
            end = place + said.startswith(",", place)
            if said.startswith(" ", end):
                yield end + 1


def _stands_in(normal: str, clause: Span, group: Sequence[KeyMatch]) -> bool:
    """Whether a group of words stands in this clause alone."""
    found = [
        one.match
        for one in group
        if one.own and (one.match.whole or not one.match.alternative.negative)
    ]
    if any(_SIGN.search(normal, one.start, one.end) for one in found):
        return False
    return bool(found) and all(clause[0] < one.end <= clause[1] for one in found)


def is_denied(passage: Parsed, span: Span, rejected: bool = False) -> bool:
    """Whether an odd number of cues denies what stands here; "not a but b" denies only a.

    The subject of a negated verb is not denied; that of a rejecting one is, if ``rejected``.
    """
    cues = [cue for cue in passage.sense.cues if _denies_span(passage, cue, span, rejected)]
    corrected = any(
        not cue.reaches(*span) and _BUT.match(passage.normal, cue.at[1]) for cue in cues
    )
    return len(cues) % 2 == 1 and not corrected


def _denies_span(passage: Parsed, cue: Cue, span: Span, rejected: bool) -> bool:
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


_NEGATION: Final = re.compile(
    r"not|never|no longer|cannot|\w+n't|(?:fail|refus|neglect|declin|omit|forg[eo]t|unable)\w* to"
)
_AUXILIARY: Final = re.compile(r"(?: (?:be|been|being|have|to|yet|really|\w+ly))* ")
"""Words between a negation and its verb."""
_AFFIRMING: Final = re.compile(
    r"\b(?:is|are|was|were|may|can|could|might|does|do|did|has|have|will|been|"
    r"(?:to|may|can|will) be)"
    r" (?:(?:now|again|\w+ly|still|the|an?|well) )*$"
)
_CONDITION: Final = re.compile(r"\b(?:if|unless|until|when|whether|where|because|since)\b")
_NEGATED: Final = re.compile(r"(?:\bnot|n't) (?:\w+ly )?$")


def verb_denied(text: str, passage: Parsed) -> str | None:
    """A verb that the statement affirms and the passage only negates: "does not keep"."""
    own = meaning(text).parsed
    for term in meaning(text).words:
        spans = own.term_places(term)
        if any(
            cue.kind in REVERSING and cue.at[0] <= end + 1
            for cue in own.sense.cues
            for _, end in spans
        ):
            continue
        same = passage.places.of(term.keys[0])
        if same and all(_is_negated_verb(passage, span) for span in same):
            return f'"{passage.normal[slice(*same[0])]}" is denied'
    return None


def verb_affirmed(text: str, passage: Parsed) -> str | None:
    """A verb that the statement negates and the passage only affirms: "may be changed"."""
    own = meaning(text)
    for term in own.words:
        spans, same = own.parsed.term_places(term), passage.places.of(term.keys[0])
        if not same or not all(_is_negated_verb(own.parsed, span) for span in spans):
            continue
        if any(_CONDITION.search(own.parsed.normal, 0, start) for start, _ in spans):
            continue
        if all(
            _AFFIRMING.search(passage.normal, 0, span[0])
            and not any(cue.reverses(span) for cue in passage.sense.cues)
            for span in same
        ):
            return f'"{passage.normal[slice(*same[0])]}" without its negation'
    return None


def _is_negated_verb(passage: Parsed, span: Span) -> bool:
    """Whether a negation stands right before the word, or in an expression that ends with it."""
    if _NEGATED.search(passage.normal, 0, span[0]) and any(
        cue.at[0] < span[0] and cue.at[1] == span[1] for cue in passage.sense.cues
    ):
        return True
    return is_denied(passage, span) and any(
        _NEGATION.fullmatch(passage.normal, *cue.at)
        and cue.reaches(*span)
        and _AUXILIARY.fullmatch(passage.normal, cue.at[1], span[0])
        for cue in passage.sense.cues
    )


_AND: Final = re.compile(r"(?s:.*)\b(?P<and>(?:and|but|or|then)\b(?: \w+){0,2} )$")
"""The last "and" before a cue, with two words between them at most."""
_STATE: Final = re.compile(r" (?:is|are|was|were) (?!(?:\w+ly )?\w+(?:ed|en|t|n)\b)")
"""Where it is said what a subject is, and not what was done with it."""
_JUDGED: Final = re.compile(r"(?:is|was|are|were) ")


def idea_rejected(
    text: str, passage: Parsed, groups: Sequence[Sequence[KeyMatch]] = ()
) -> str | None:
    """A word that stands only in what was rejected, where the statement tells of no rejection.

    A statement may say of what was rejected why it was: then its other words stand behind.
    """
    rejections = [
        cue
        for cue in passage.sense.cues
        if cue.kind == "rejected"
        and not _JUDGED.match(passage.normal, cue.at[0])
        and not any(  # the rejection is not itself denied
            other.kind in REVERSING and other.reaches(*cue.at) for other in passage.sense.cues
        )
    ]
    if not rejections or any(
        REJECT.search(one.match.alternative.normal) for group in groups for one in group
    ):
        return None
    own = meaning(text)
    negative = bool(own.parsed.sense.cues) or denies(own.parsed)
    held = [(term, places) for term in own.terms if (places := passage.term_places(term))]
    firm = [
        term
        for term, _ in held
        if not any(
            cue.reverses(span)
            for cue in own.parsed.sense.cues
            for span in own.parsed.term_places(term)
        )
    ]
    for cue in rejections:
        idle = NO_PART.match(passage.normal, cue.at[0]) is not None
        if negative and not idle:
            continue
        subject = subject_of_rejection(passage.normal, *cue.before)
        if passage.normal.startswith(":", cue.at[1]):
            subject = NOWHERE
        inside = [
            term
            for term, places in held
            if all(cue.reaches(*span) or within(span, subject) for span in places)
        ]
        behind = any(min(places)[0] >= cue.at[1] for term, places in held if term not in inside)
        words = [term for term in inside if term in firm and (idle or term in own.words)]
        if words and not behind:
            start, end = passage.term_places(words[0])[0]
            return f'"{passage.normal[start:end]}" was rejected'
    return None


def subject_of_rejection(normal: str, start: int, end: int) -> tuple[int, int]:
    """Subject of a cue of rejection behind ``end``: "the loft is the store and was given up".

    The subject ends where it is said what it is; a comma between that and the "and" parts them.
    """
    joined = _AND.match(normal, start, end)
    if joined:
        at = joined.start("and")
        clause = max(start, normal.rfind(",", start, at) + 1, normal.rfind(";", start, at) + 1)
        state = _STATE.search(normal, clause, end)
        if state and state.end() <= at:
            return start, state.start()
    return start, end
