"""The events of an answer in its order, each aligned to at most one event of reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.words import content_stems, normalize, segments

_ALIKE: Final = 0.5
"""The least share of the words of an event that its counterpart holds."""
_NUMBERED: Final = re.compile(r"(?:^|[\s,;])(?:\(?(\d{1,2})[.)]|(\d{1,2})(?:st|nd|rd|th):)\s+")
_LISTED: Final = re.compile(r"(\s*)[-*+•]\s+(\S.*)")
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
    if len(numbers := _numbers(answer)) >= _LEAST:
        ends = [*(number.start() for number in numbers[1:]), len(answer)]
        parts = [answer[n.end() : end] for n, end in zip(numbers, ends, strict=True)]
        return [part for part in parts if part.strip()]
    listed = [match for line in answer.splitlines() if (match := _LISTED.match(line))]
    if len(listed) < _LEAST:
        return segments(answer)
    outer = min(len(match[1]) for match in listed)
    return [match[2] for match in listed if len(match[1]) == outer]


def _numbers(answer: str) -> list[re.Match[str]]:
    """The numbers of a list: at the start of lines, or else those within that count from 1.

    Other numbers end sentences, as in "on March 29. Then".
    """
    found = list(_NUMBERED.finditer(answer))
    lines = [number for number in found if number.start() == 0 or answer[number.start()] == "\n"]
    if len(lines) >= _LEAST:
        return lines
    counted: list[re.Match[str]] = []
    for number in found:
        if int(number[1] or number[2]) == len(counted) + 1:
            counted.append(number)
    return counted
