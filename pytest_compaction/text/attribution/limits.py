"""What a passage says of one thing only: "rings only on Sundays", "the cook only washes up".

With "only" the passage denies the same of all others: where what is limited is the statement's
and what it is limited to is not, the statement is not said.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.attribution.units import Comparison, meets, within

_ONLY: Final = re.compile(
    r"(?<!not )\b(?:only|solely|exclusively) (?!(?:then|now|once|one|a few)\b)(?=[a-z])"
)
_REASON: Final = re.compile(r"\b(?:because|since|as|so) $")
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
        if all(both.has_group(number)) or not any(
            within(span, (start, only.start())) for span in places
        ):
            continue
        if any(all(both.has_group(at)) for at in range(len(both.clauses))):
            continue
        return f'"{both.passage.normal[only.start() : end].strip()}"'
    return None
