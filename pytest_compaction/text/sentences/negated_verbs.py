"""What a negation is of: the verb beside it, a need, or another verb than the one asked for."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.keys.alternatives import Match
from pytest_compaction.text.negation.polarity import Cue

_ACTS: Final = re.compile(
    r".{0,5}?\b(?:do|does|did)(?:n't| not) (?!(?:happen|occur|exist|appear|work|apply|show|matter|"
    r"help|arise|do|take place|fit|match|count|run)\b)\w"
)
"""What does not do something else is there all the same."""
_DETERMINER: Final = re.compile(r"\b(?:the|an?|this|that|its|their|our|as|to|in|of|for)\b|[,:;(]")
_NEED: Final = re.compile(r" (?:need|require|have to|has to|call for)")


def acts(normal: str, place: int) -> bool:
    """Whether the negation at this place is of something that its subject does."""
    return _ACTS.match(normal[max(place - 5, 0) :]) is not None


def denies_verb(normal: str, cue: Cue, match: Match) -> bool:
    """Whether a negation is of the verb that it was put for: "not the table checks" is not."""
    return any(
        not _DETERMINER.search(normal, cue.at[1], start)
        for start, end in match.spans
        if cue.reaches(start, end)
    )


def denies_need(normal: str, end: int, start: int) -> bool:
    """Whether a negation is of a need: what needs no change may have been changed."""
    return _NEED.match(normal, end, max(end, start)) is not None
