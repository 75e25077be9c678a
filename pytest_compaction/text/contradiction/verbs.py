"""A verb that the statement affirms and the passage negates, or the reverse."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.contradiction.denials import is_denied
from pytest_compaction.text.groups import REVERSING
from pytest_compaction.text.keys.alternatives import is_value
from pytest_compaction.text.meaning import is_name, meaning
from pytest_compaction.text.parsed import Parsed, Span

_NEGATION: Final = re.compile(
    r"not|never|no longer|cannot|\w+n't|(?:fail|refus|neglect|declin|omit|forg[eo]t|unable)\w* to"
)
_AUXILIARY: Final = re.compile(r"(?: (?:be|been|being|have|to|yet|really|\w+ly))* ")
"""What may stand between a negation and its verb."""
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
        same = passage.places.of(term.keys[0])
        if same and all(_is_negated_verb(passage, span) for span in same):
            return f'"{passage.normal[slice(*same[0])]}" is denied'
    return None


def verb_affirmed(text: str, passage: Parsed) -> str | None:
    """A verb that the statement negates and the passage only affirms: "may be changed"."""
    own = meaning(text)
    for term in own.terms:
        if is_value(term) or is_name(term):
            continue
        spans, same = own.parsed.term_places(term), passage.places.of(term.keys[0])
        if not same or not all(_is_negated_verb(own.parsed, span) for span in spans):
            continue
        if any(_CONDITION.search(own.parsed.normal, 0, start) for start, _ in spans):
            continue
        if all(_is_affirmed_verb(passage, span) for span in same):
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


def _is_affirmed_verb(passage: Parsed, span: Span) -> bool:
    return _AFFIRMING.search(passage.normal, 0, span[0]) is not None and not any(
        cue.kind in REVERSING and (cue.reaches(*span) or cue.reaches_back(*span))
        for cue in passage.sense.cues
    )
