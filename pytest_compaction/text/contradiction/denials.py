"""What a statement asserts, and a passage with its words denies.

A word of the statement may stand only where it is negated, a whole group only where it is rejected,
and a predicate only in a clause about something else ("only the cellar is locked", "the others are
off the list").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.keys.alternatives import Term, is_value
from pytest_compaction.text.negation.polarity import NOWHERE, Cue
from pytest_compaction.text.sentences.groups import REVERSING, Found
from pytest_compaction.text.sentences.meaning import is_name, meaning
from pytest_compaction.text.sentences.negatives import denies
from pytest_compaction.text.sentences.parsed import Parsed, Span, parse
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
_OTHERS: Final = re.compile(
    r"^[\s,;.-]*(?:(?:and|but|so|while|whereas|of [\w ]{1,30}?,?|next time|now|then|later)"
    r" )*(?:only (?!(?:if|when|after|once|by|in|on|at|then|because|with|for|from|to|as|until|"
    r"now)\b)"
    r"|(?:all )?the (?:others?|rest|remaining|other \w+)\b|everything else|everybody else|"
    r"(?:all|the) others?\b)"
)
"""A clause about something else than what was named before it."""
_SPEAKS_OF_OTHERS: Final = re.compile(r"(?<![\w-])(?:only|others?|rest|remaining|else|alone)\b")
_NAME: Final = re.compile(r"[^a-z ;,]")
_JOINED: Final = re.compile(
    r" (?:is|are|was|were) (?!(?:\w+ly )?\w+(?:ed|en|t|n)\b)[^,;]*\b(?:and|but|or|then)\b"
    r"(?: \w+){0,2} $"
)
"""What a subject is, before "and": "the loft is the store and was given up"."""
_JUDGED: Final = re.compile(r"(?:is|was|are|were) ")
_NEGATION: Final = re.compile(
    r"not|never|no longer|cannot|\w+n't|(?:fail|refus|neglect|declin|omit|forg[eo]t|unable)\w* to"
)
_AFFIRMING: Final = re.compile(
    r"\b(?:is|are|was|were|may|can|could|might|does|do|did|has|have|will|been|"
    r"(?:to|may|can|will) be)"
    r" (?:(?:now|again|\w+ly|still|the|an?|well) )*$"
)
_CONDITION: Final = re.compile(r"\b(?:if|unless|until|when|whether|where|because|since)\b")
_NEGATED: Final = re.compile(r"(?:\bnot|n't) (?:\w+ly )?$")
_AUXILIARY: Final = re.compile(r"(?: (?:be|been|being|have|to|yet|really|\w+ly))* ")
"""What may stand between a negation and its verb."""
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
            heard, places = around, around.places.get(term.keys[0], [])
        places = [span for span in places if not is_path(heard.normal[slice(*span)])]
        if places and all(_is_denied(heard, span) for span in places):
            start, end = places[0]
            return f'"{heard.normal[start:end]}" is denied'
        if not places and (un := _undone(passage, term)):
            return f'"{un}" denies it'
    return None


def verb_denied(text: str, passage: Parsed) -> str | None:
    """A verb that the statement affirms and the passage only negates: "does not keep"."""
    own = meaning(text).parsed
    for term in meaning(text).terms:
        if is_value(term) or is_name(term):
            continue
        spans = own.term_places(term)
        if any(
            cue.kind in REVERSING and cue.at[0] <= end + 1
            for cue in own.sense.cues
            for _, end in spans
        ):
            continue
        same = passage.places.get(term.keys[0], [])
        if same and all(_is_negated_verb(passage, span) for span in same):
            return f'"{passage.normal[slice(*same[0])]}" is denied'
    return None


def verb_affirmed(text: str, passage: Parsed) -> str | None:
    """A verb that the statement negates and the passage only affirms: "may be changed"."""
    own = meaning(text)
    for term in own.terms:
        if is_value(term) or is_name(term):
            continue
        spans, same = own.parsed.term_places(term), passage.places.get(term.keys[0], [])
        if not same or not all(_is_negated_verb(own.parsed, span) for span in spans):
            continue
        if any(_CONDITION.search(own.parsed.normal, 0, start) for start, _ in spans):
            continue
        if all(_is_affirmed_verb(passage, span) for span in same):
            return f'"{passage.normal[slice(*same[0])]}" without its negation'
    return None


def _is_affirmed_verb(passage: Parsed, span: Span) -> bool:
    return _AFFIRMING.search(passage.normal, 0, span[0]) is not None and not any(
        cue.kind in REVERSING and (cue.reaches(*span) or cue.reaches_back(*span))
        for cue in passage.sense.cues
    )


def _is_negated_verb(passage: Parsed, span: Span) -> bool:
    """Whether a negation stands right before the word, or in an expression that ends with it."""
    if _NEGATED.search(passage.normal, 0, span[0]) and any(
        cue.at[0] < span[0] and cue.at[1] == span[1] for cue in passage.sense.cues
    ):
        return True
    return _is_denied(passage, span) and any(
        _NEGATION.fullmatch(passage.normal, *cue.at)
        and cue.reaches(*span)
        and _AUXILIARY.fullmatch(passage.normal, cue.at[1], span[0])
        for cue in passage.sense.cues
    )


def idea_rejected(text: str, passage: Parsed, groups: Sequence[Sequence[Found]] = ()) -> str | None:
    """A word that stands only in what was rejected, where the statement tells of no rejection.

    A statement may say of what was rejected why it was: then its other words stand behind.
    """
    own = meaning(text)
    if own.parsed.sense.cues or denies(own.parsed) or _ask_rejection(groups):
        return None
    held = [(term, places) for term in own.terms if (places := passage.term_places(term))]
    for cue in passage.sense.cues:
        if cue.kind != "rejected" or _JUDGED.match(passage.normal, cue.at[0]):
            continue
        if any(other.kind in REVERSING and other.reaches(*cue.at) for other in passage.sense.cues):
            continue
        joined = _JOINED.search(passage.normal, *cue.before)
        subject = (cue.before[0], joined.start() if joined else cue.before[1])
        if passage.normal.startswith(":", cue.at[1]):
            subject = NOWHERE
        inside = [
            term
            for term, places in held
            if all(cue.reaches(*span) or _within(subject, span) for span in places)
        ]
        behind = any(min(places)[0] >= cue.at[1] for term, places in held if term not in inside)
        words = [term for term in inside if not is_value(term) and not is_name(term)]
        if words and not behind:
            start, end = passage.term_places(words[0])[0]
            return f'"{passage.normal[start:end]}" was rejected'
    return None


def _ask_rejection(groups: Sequence[Sequence[Found]]) -> bool:
    """Whether a word found for a group is one of rejection."""
    return any(
        cue.kind == "rejected"
        for group in groups
        for one in group
        for cue in parse(one.match.alternative.normal, {}).sense.cues
    )


def _within(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


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
        if all(_is_denied(passage, span, rejected=True) for span in spans):
            start, end = spans[0]
            return f'"{passage.normal[start:end]}" is denied'
    return None


def ban_rejected(groups: Sequence[Sequence[Found]], passage: Parsed) -> str | None:
    """A rejection of what one group asks for as a rejection: "banning it was turned down"."""
    for cue in passage.sense.cues:
        if cue.kind != "rejected":
            continue
        for group in groups:
            own = [one.match for one in group if one.own]
            told = any(one.start < cue.at[1] and cue.at[0] < one.end for one in own)
            gerunds = [
                passage.normal[slice(*span)]
                for one in own
                for span in one.spans
                if cue.reaches_back(*span) and passage.normal[: span[1]].endswith("ing")
            ]
            if told and gerunds:
                return f'"{gerunds[0]}" was rejected'
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
        opened = _OTHERS.match(said)
        if opened is None or clause[0] == 0:
            continue
        inside = any(_stands_in(passage.normal, clause, group) for group in groups[1:])
        first = [one.match for one in groups[0] if one.own]
        subject = passage.term_places(own.terms[0]) if own.terms else []
        outside = bool(first) and all(one.end <= clause[0] for one in first)
        before = bool(subject) and all(end <= clause[0] for _, end in subject)
        if (inside and outside) or (
            before and (inside or _stands_in(passage.normal, clause, groups[0]))
        ):
            return f'said of others: "{opened[0].strip(" ,;.-")}"'
    return None


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
            start, end = passage.places[un][0]
            return passage.normal[start:end]
    return None


def _is_denied(passage: Parsed, span: Span, rejected: bool = False) -> bool:
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
