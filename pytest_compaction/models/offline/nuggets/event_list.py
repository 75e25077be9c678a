"""The events of an answer in its order, each aligned to at most one event of reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.words import content_stems, normalize, segments

_ALIKE: Final = 0.5
"""The least share of the words of an event that its counterpart holds."""
_NUMBERED: Final = re.compile(r"(?:^|[\s,;])(?:\(?\d{1,2}[.)]|\d{1,2}(?:st|nd|rd|th):)\s+")
_LISTED: Final = re.compile(r"\s*[-*+•]\s+(.*\S)")
_LEAST: Final = 2


def events_of(answer: str, reference: Sequence[str]) -> tuple[int | None, ...]:
    """The number of the reference event (from 0) for each event of an answer, in order.

    ``None`` stands for an event that is none of them. The events of an answer are the items of its
    list, or else its lines and sentences. Each takes the most alike of those left.
    """
    wanted = [frozenset(content_stems(normalize(event))) for event in reference]
    left = dict(enumerate(wanted))
    found: list[int | None] = []
    for item in _items(answer):
        stems = frozenset(content_stems(normalize(item)))
        shares = {n: len(stems & event) / len(event) for n, event in left.items() if event}
        best = max(shares, key=lambda n: (shares[n], -n), default=None)
        if best is None or shares[best] < _ALIKE:
            found.append(None)
        else:
            found.append(best)
            del left[best]
    return tuple(found)


def _items(answer: str) -> list[str]:
    """The items of a list, if there is one; what stands before and between them is no event."""
    parts = _NUMBERED.split(answer)
    if len(parts) > _LEAST:
        return [part for part in parts[1:] if part.strip()]
    listed = [match[1] for line in answer.splitlines() if (match := _LISTED.match(line))]
    return listed if len(listed) >= _LEAST else segments(answer)
