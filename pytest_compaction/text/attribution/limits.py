"""What a passage says of one thing only, and what it names as of no matter.

With "only" ("rings only on Sundays", "the cook only washes up") the passage denies the same of all
others: where what is limited is the statement's and what it is limited to is not, the statement
is not said. Nor is it where a part of it is named alone in "the weather played no part".
"""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.attribution.units import Comparison, meets
from pytest_compaction.text.things import within

_ONLY: Final = re.compile(
    r"(?<!not )\b(?:only|solely|exclusively) (?!(?:then|now|once|one|a few)\b)(?=[a-z])"
)
_REASON: Final = re.compile(r"\b(?:because|since|as|so) $")
_IRRELEVANT: Final = re.compile(
    r"\b(?:(?:did|does|do) not (?:matter|count|enter)|(?:ha[sd]|have) nothing to do with"
    r"|(?:plays?|played|ha[sd]|have) no (?:part|role|share|bearing|influence|say)"
    r"|(?:is|are|was|were) (?:no (?:obstacle|issue|concern|factor|reason)|irrelevant"
    r"|beside the point|not the (?:reason|point|issue|cause)))\b"
)
_NEGATED: Final = re.compile(r"\b(?:no|not|never|none|nothing|without|irrelevant)\b|n't\b")
_LIMITED: Final = re.compile(r"\b(?:only|solely|exclusively|alone|just)\b")


def limited_to_other(both: Comparison) -> str | None:
    """What else alone the passage says something of that the statement says of its own."""
    if _LIMITED.search(both.own.normal):
        return None
    places = [span for unit in both.units for span in unit.places] + both.keyed
    for number, (start, end) in enumerate(both.clauses):
        only = _ONLY.search(both.passage.normal, start, end)
        if only is None or meets((only.end(), end), places):
            continue
        if _REASON.search(both.passage.normal[:start]):
            continue
        if all(both.groups_in(number)) or not any(
            within(span, (start, only.start())) for span in places
        ):
            continue
        if any(all(both.groups_in(at)) for at in range(len(both.clauses))):
            continue
        return f'"{both.passage.normal[only.start() : end].strip()}"'
    return None


def set_aside(both: Comparison) -> str | None:
    """What of the statement the passage names only to say that it does not matter."""
    if _NEGATED.search(both.own.normal):
        return None
    named = [unit.places for unit in both.units if unit.places] + list(both.groups)
    for start, end in both.clauses:
        aside = _IRRELEVANT.search(both.passage.normal, start, end)
        if aside is None:
            continue
        alone = [places for places in named if all(within(span, (start, end)) for span in places)]
        if alone:
            return f'"{aside[0]}" is said of it'
    return None
