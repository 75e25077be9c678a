"""Retention: which key items of the baseline's answers are in the other arm's answers?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MAX_ITEMS: Final = 10
"""Key items of a turn that are looked at: the first ten."""

MIN_NUMBER: Final = 2
MIN_QUOTE: Final = 3
MIN_NOUN: Final = 3
"""Characters of the shortest number, quotation and proper noun that count as key items."""

_NUMBER: Final = re.compile(r"\b\d+[\d,\.]*\b", re.ASCII)
_QUOTED: Final = re.compile(r"[\"']([^\"']+)[\"']")
_NOUN: Final = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*\b", re.ASCII)
_NUMERIC: Final = re.compile(r"[0-9.,]+")
OPENERS: Final = frozenset(
    """The This That These There Then When Where What Which How Why And But For With From Into
    About After Before During Without""".split()
)
"""Words that open a sentence: capitalised, but not proper nouns."""


@dataclass(frozen=True, slots=True)
class Retained:
    """Key items of a dialogue: how many were extracted, how many kept, and the rate by turn."""

    kept: int
    extracted: int
    turns: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Kept / extracted over all turns, 0..1; 1 when nothing was extracted."""
        return self.kept / self.extracted if self.extracted else 1.0


def key_items(text: str) -> tuple[str, ...]:
    """Key items of an answer: numbers, then quoted text, then proper nouns; the first ten.

    Each is listed once, in order of occurrence within its group; words that open
    sentences are not proper nouns. Source: "Evaluating Session Summarization
    Effectiveness", appendix C.
    """
    found = [number for number in _NUMBER.findall(text) if len(number) >= MIN_NUMBER]
    found += [quoted for quoted in _QUOTED.findall(text) if len(quoted) >= MIN_QUOTE]
    found += [noun for noun in _NOUN.findall(text) if len(noun) >= MIN_NOUN and noun not in OPENERS]
    return tuple(dict.fromkeys(found))[:MAX_ITEMS]


def keeps(text: str, item: str) -> bool:
    """Whether an answer has a key item, in any case; a number also without its commas."""
    lowered = text.lower()
    if item.lower() in lowered:
        return True
    return _NUMERIC.fullmatch(item) is not None and item.replace(",", "") in lowered


def retention_by_rules(baseline: Sequence[str], other: Sequence[str]) -> Retained:
    """Retention by extraction and matching, turn by turn, over the answers of both arms.

    A turn that the other arm does not have keeps nothing. A turn without key items has
    the rate 1, unless the other arm does not have it. Turns beyond those of the baseline
    are left out. Source: appendix C of the published evaluation and its code.
    """
    kept = extracted = 0
    rates = []
    for index, answer in enumerate(baseline):
        items = key_items(answer)
        there = index < len(other)
        found = sum(keeps(other[index], item) for item in items) if there else 0
        kept, extracted = kept + found, extracted + len(items)
        rates.append((found / len(items) if items else 1.0) if there else 0.0)
    return Retained(kept, extracted, tuple(rates))


def retention_by_judge(rates: Sequence[float], baseline_turns: int) -> float:
    """Retention of a dialogue from a judge's rate for each turn, 0..1: their mean.

    A turn of the baseline without a rate counts as 0. A baseline without turns has
    nothing to lose, which gives 1. Source: the published evaluation, whose figures were
    made in this way. Raises ``ValueError`` for rates outside 0..1 or more
    rates than turns.
    """
    if len(rates) > baseline_turns:
        raise ValueError(f"{len(rates)} rates for {baseline_turns} turns")
    if not all(0 <= rate <= 1 for rate in rates):
        raise ValueError("a retention outside 0..1")
    return min(math.fsum(rates) / baseline_turns, 1.0) if baseline_turns else 1.0
