"""What a passage says was rejected, where the statement tells of no rejection, or of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.groups import REVERSING, Found
from pytest_compaction.text.keys.alternatives import Term, is_value
from pytest_compaction.text.meaning import is_name, meaning
from pytest_compaction.text.negation.cue_forms import NO_PART, REJECT
from pytest_compaction.text.negation.polarity import NOWHERE, Cue
from pytest_compaction.text.negatives import denies
from pytest_compaction.text.parsed import Parsed
from pytest_compaction.text.things import within

_AND: Final = re.compile(r"(?s:.*)\b(?P<and>(?:and|but|or|then)\b(?: \w+){0,2} )$")
"""The last "and" before a cue, with two words between them at most."""
_STATE: Final = re.compile(r" (?:is|are|was|were) (?!(?:\w+ly )?\w+(?:ed|en|t|n)\b)")
"""Where it is said what a subject is, and not what was done with it."""
_JUDGED: Final = re.compile(r"(?:is|was|are|were) ")


def idea_rejected(text: str, passage: Parsed, groups: Sequence[Sequence[Found]] = ()) -> str | None:
    """A word that stands only in what was rejected, where the statement tells of no rejection.

    A statement may say of what was rejected why it was: then its other words stand behind.
    """
    rejections = [cue for cue in passage.sense.cues if _is_rejection(passage, cue)]
    if not rejections or _asks_rejection(groups):
        return None
    own = meaning(text)
    negative = bool(own.parsed.sense.cues) or denies(own.parsed)
    held = [(term, places) for term in own.terms if (places := passage.term_places(term))]
    firm = [term for term, _ in held if not _is_reached(own.parsed, term)]
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
        words = [
            term
            for term in inside
            if term in firm and (idle or not (is_value(term) or is_name(term)))
        ]
        if words and not behind:
            start, end = passage.term_places(words[0])[0]
            return f'"{passage.normal[start:end]}" was rejected'
    return None


def subject_of_rejection(normal: str, start: int, end: int) -> tuple[int, int]:
    """Whose rejection a cue behind ``end`` tells of: "the loft is the store and was given up".

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


def _is_rejection(passage: Parsed, cue: Cue) -> bool:
    """Whether a cue rejects an idea, and is not itself denied."""
    return (
        cue.kind == "rejected"
        and not _JUDGED.match(passage.normal, cue.at[0])
        and not any(
            other.kind in REVERSING and other.reaches(*cue.at) for other in passage.sense.cues
        )
    )


def _is_reached(parsed: Parsed, term: Term) -> bool:
    """Whether a cue of a sentence reverses what it says with this term."""
    return any(
        cue.kind in REVERSING and (cue.reaches(*span) or cue.reaches_back(*span))
        for cue in parsed.sense.cues
        for span in parsed.term_places(term)
    )


def _asks_rejection(groups: Sequence[Sequence[Found]]) -> bool:
    """Whether a word found for a group is one of rejection."""
    return any(REJECT.search(one.match.alternative.normal) for group in groups for one in group)
