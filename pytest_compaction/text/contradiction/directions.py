"""Two things in an order or direction: "a before b", "a became b", "a overrides b".

A passage is compared with a statement's own text: it may name both in the other direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.text.keys.alternatives import Term, is_value
from pytest_compaction.text.meaning import STOP, Meaning
from pytest_compaction.text.parsed import Parsed, Span

_DIRECTIONS: Final = {
    "order": (
        re.compile(r"\b(?:before|precedes?|preceded|preceding|ahead of|prior to|above)\b"),
        re.compile(r"\b(?:after|follows|followed|following|behind|once|below)\b"),
    ),
    "change": (
        re.compile(
            r"→|⇒|(?<!-)-+>|(?<!=)=+>|\b(?:to|into|becomes?|became|replaced by|replaced with)\b"
        ),
        re.compile(r"\b(?:formerly|replaces|used to be)\b"),
    ),
    "effect": (
        re.compile(
            r"\b(?:overrid(?:es?|ing)|overrode|beats|wins over|outranks|contains?|includes?|"
            r"calls|imports|extends|wraps|blocks|holds)\b"
        ),
        re.compile(
            r"\b(?:(?:overridden|beaten|outranked|called|imported|extended|wrapped|blocked|held|"
            r"contained) by|part of|belongs? to)\b"
        ),
    ),
}
"""Expressions for an order, a change and an effect: from left to right, and from right to left."""
_SIDE: Final = 50
"""Characters to either side of an expression of direction in which its two things are sought."""


def turned(own: Meaning, passage: Parsed) -> str | None:
    for kind, (forward, backward) in _DIRECTIONS.items():
        asked = list(_directed(own.parsed, forward, backward))
        for left, right, sign in asked:
            terms = [term for term in own.terms if kind != "change" or _is_sign(term)]
            first = [one for one in terms if _in(own.parsed, one, left)]
            second = [one for one in terms if _in(own.parsed, one, right) and one not in first]
            if not first or not second:
                continue
            signs = set()
            for there_left, there_right, there in _directed(passage, forward, backward):
                straight = _both(passage, first, there_left, second, there_right)
                crossed = _both(passage, first, there_right, second, there_left)
                if straight != crossed:
                    signs.add(there if straight > crossed else -there)
            if signs == {-sign}:
                return "the two stand in the other direction"
    return None


def _is_sign(term: Term) -> bool:
    """Whether a term is a value, a name or a few letters, so that "to" between two is a change."""
    if is_value(term) or not term.keys:
        return True
    key = str(term.keys[0])
    return len(key) <= 3 or not key.isalpha()


def _both(parsed: Parsed, one: list[Term], here: Span, other: list[Term], there: Span) -> int:
    first = sum(_in(parsed, term, here) for term in one)
    second = sum(_in(parsed, term, there) for term in other)
    return min(first, 1) * min(second, 1) * (first + second)


def _in(parsed: Parsed, term: Term, within: Span) -> bool:
    return any(within[0] <= start and end <= within[1] for start, end in parsed.term_places(term))


def _directed(
    parsed: Parsed, forward: re.Pattern[str], backward: re.Pattern[str]
) -> Iterator[tuple[Span, Span, int]]:
    """The places left and right of each expression of direction, and 1 if it goes to the right."""
    normal = parsed.normal
    for sign, pattern in ((1, forward), (-1, backward)):
        for match in pattern.finditer(normal):
            start, end = match.span()
            left = max((m.end() for m in STOP.finditer(normal, 0, start)), default=0)
            stop = STOP.search(normal, end + 1)
            right = stop.start() if stop else len(normal)
            if normal[left:start].strip():
                yield (max(left, start - _SIDE), start), (end, min(right, end + _SIDE)), sign
            elif stop and stop[0] == ", ":
                beyond = STOP.search(normal, stop.end())
                last = beyond.start() if beyond else len(normal)
                yield (stop.end(), last), (end, right), sign
