"""Measures of dialogues in two arms, one with summaries and one with full history."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal

from pytest_compaction.metrics import removed_share


def mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    """Quartiles by linear interpolation: definition 7 of Hyndman and Fan (1996)."""
    if not values:
        return None
    # Python before 3.13 refuses a single value, which is all of its quartiles.
    pair = values if len(values) > 1 else [*values, *values]
    first, second, third = statistics.quantiles(pair, n=4, method="inclusive")
    return first, second, third


@dataclass(frozen=True, slots=True)
class Spread:
    """How a figure is spread over dialogues, and how many of them lie below 0."""

    mean: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    negative: int
    negative_rate: float | None


def spread(values: Sequence[float]) -> Spread:
    p25, p50, p75 = quartiles(values) or (None, None, None)
    negative = sum(value < 0 for value in values)
    rate = negative / len(values) if values else None
    return Spread(mean(values), p25, p50, p75, negative, rate)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean of two independent values or more, by normal approximation."""
    if len(values) < 2:
        return None
    centre = statistics.fmean(values)
    margin = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return centre - margin, centre + margin


PASS_CONSISTENCY: Final = 0.7
"""Least consistency of a dialogue that passes; "Evaluating Session Summarization
Effectiveness", section 2.2."""


def lexical_similarity(one: str, other: str) -> float:
    """Jaccard index of the multisets of words of two texts; 1 for two texts without any.

    The published evaluation counts every repetition of a word in the second text, so that its
    figure is not symmetric and can exceed 1.
    """
    first, second = Counter(one.lower().split()), Counter(other.lower().split())
    if first == second:
        return 1.0
    common = (first & second).total()
    return common / (first.total() + second.total() - common)


def turn_consistency(similarity: float, tools: bool | None) -> float:
    """Consistency of a turn, 0..1: 0.4 * tool match + 0.6 * similarity (published, section 2.2).

    Without any tool call in a dialogue ``tools`` is ``None`` and the similarity counts alone; the
    published run gave such turns the 0.4.
    """
    return similarity if tools is None else 0.4 * tools + 0.6 * similarity


def dialogue_consistency(turns: Sequence[float], baseline_turns: int, other_turns: int) -> float:
    """Consistency of a dialogue, 0..1: mean over common turns, times min / max of both numbers.

    Source: section 2.2 of the published evaluation and its code.
    """
    fewest, most = sorted((baseline_turns, other_turns))
    if not most:
        return 1.0
    if not fewest:
        return 0.0
    return min(math.fsum(turns) / fewest, 1.0) * (fewest / most)


MAX_ITEMS: Final = 10
"""Key items of a turn that are looked at: the first ten."""
_NUMERIC: Final = re.compile(r"[0-9.,]+")
OPENERS: Final = frozenset(
    """The This That These There Then When Where What Which How Why And But For With From Into
    About After Before During Without""".split()
)
"""Words that open a sentence: capitalised, but not proper nouns."""
_KEY_ITEMS: Final = (
    (re.compile(r"\b\d+[\d,\.]*\b", re.ASCII), 2, frozenset[str]()),
    (re.compile(r"[\"']([^\"']+)[\"']"), 3, frozenset[str]()),
    (
        re.compile(r"[「『《“]([^「」『』《》“”]{0,60}[ぁ-鿿][^「」『』《》“”]{0,60})[」』》”]"),
        2,
        frozenset[str](),
    ),
    (re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)*\b", re.ASCII), 3, OPENERS),
)
"""Numbers, quotations, and proper nouns: their fewest characters, and what is none of them."""


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
    """Numbers, then quoted text, then proper nouns of an answer, each once; the first ten.

    Source: "Evaluating Session Summarization Effectiveness", appendix C.
    """
    found = (
        item
        for kind, least, excluded in _KEY_ITEMS
        for item in kind.findall(text)
        if len(item) >= least and item not in excluded
    )
    return tuple(dict.fromkeys(found))[:MAX_ITEMS]


def keeps(text: str, item: str) -> bool:
    """Whether an answer has a key item, in any case; a number also without its commas."""
    lowered = text.lower()
    if item.lower() in lowered:
        return True
    return _NUMERIC.fullmatch(item) is not None and item.replace(",", "") in lowered


def retention_by_rules(baseline: Sequence[str], other: Sequence[str]) -> Retained:
    """Retention by extraction and matching over the baseline's turns; a missing one keeps nothing.

    Source: appendix C of the published evaluation and its code.
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
    """Mean of a judge's rates over the turns of the baseline; one without a rate counts as 0."""
    return min(math.fsum(rates) / baseline_turns, 1.0) if baseline_turns else 1.0


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens that both arms spent, on one dialogue (mean over trials) or on many (sum).

    ``generation`` made the summaries.
    """

    baseline_prompt: float
    baseline_completion: float
    summary_prompt: float
    summary_completion: float
    generation: float

    @property
    def baseline(self) -> float:
        return self.baseline_prompt + self.baseline_completion

    @property
    def summary(self) -> float:
        """Prompt and answer tokens of the summary arm, without those that made the summaries."""
        return self.summary_prompt + self.summary_completion

    @property
    def savings(self) -> float:
        """Share of all tokens saved without the cost of summaries, as published."""
        return removed_share(self.baseline, self.summary)

    @property
    def net_savings(self) -> float:
        """Share of all tokens saved after the cost of the summaries."""
        return removed_share(self.baseline, self.summary + self.generation)

    @property
    def prompt_savings(self) -> float:
        return removed_share(self.baseline_prompt, self.summary_prompt)


def total(spendings: Sequence[Spending]) -> Spending:
    """The sum over dialogues; its savings are the ratio of sums, not the mean of ratios."""
    names = (each.name for each in fields(Spending))
    return Spending(*(math.fsum(getattr(each, name) for each in spendings) for name in names))


Suitability = Literal["recommended", "conditional", "not recommended"]
Outcome = Literal["saves", "costs", "no difference"]


def effectiveness(consistency: float, mean_savings: float, retention: float) -> float:
    """Published score: 0.5 * consistency + 0.3 * savings (within 0..1) + 0.2 * retention."""
    return 0.5 * consistency + 0.3 * min(max(mean_savings, 0.0), 1.0) + 0.2 * retention


def suitability(mean_turns: float, mean_prompt: float) -> Suitability:
    """The published class of a kind of dialogue by mean turns and mean baseline prompt in tokens.

    Source: section 5.1 of the published evaluation, which leaves gaps and places tasks by eye.
    """
    if mean_turns <= 2 or mean_prompt < 1000:
        return "not recommended"
    if mean_turns >= 4 and mean_prompt > 2000:
        return "recommended"
    return "conditional"


def outcome(saved: tuple[float, float] | None) -> Outcome | None:
    """Whether an interval of mean tokens saved per dialogue lies above 0, below, or around it."""
    if saved is None:
        return None
    low, high = saved
    if low > 0:
        return "saves"
    return "costs" if high < 0 else "no difference"
