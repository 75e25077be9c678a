"""Consistency: does the arm with summaries answer what the arm with full history answers?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

PASS_CONSISTENCY: Final = 0.7
"""Least consistency of a dialogue that passes; "Evaluating Session Summarization
Effectiveness", section 2.2."""

TOOL_WEIGHT: Final = 0.4
SIMILARITY_WEIGHT: Final = 0.6
"""Weights of the published evaluation, section 2.2."""


def lexical_similarity(one: str, other: str) -> float:
    """Overlap of two texts in words, 0..1: common / (len A + len B - common).

    Words are separated by white space and compared in lower case; a word that occurs
    twice in both texts counts twice. This is the Jaccard index of multisets. The published
    evaluation uses it without a model, but counts every repetition of a word in the second
    text, so that its figure is not symmetric and can exceed 1. Two texts without words are
    the same (1); a text without words has nothing in common with another (0).
    """
    first, second = Counter(one.lower().split()), Counter(other.lower().split())
    if first == second:
        return 1.0
    common = (first & second).total()
    return common / (first.total() + second.total() - common)


def tools_match(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the same tools were called in the same order; arguments are not looked at."""
    return tuple(one) == tuple(other)


def turn_consistency(similarity: float, tools: bool | None) -> float:
    """Consistency of a turn, 0..1: 0.4 * tool match + 0.6 * similarity of the answers.

    ``tools`` is ``None`` in a dialogue without any tool call; there the similarity
    counts alone. (The published run gave such turns the 0.4 as well, so that no turn
    scored below it.) Raises ``ValueError`` for a similarity outside 0..1.
    """
    if not 0 <= similarity <= 1:
        raise ValueError(f"a similarity of {similarity}; it goes from 0 to 1")
    if tools is None:
        return similarity
    return TOOL_WEIGHT * tools + SIMILARITY_WEIGHT * similarity


def dialogue_consistency(turns: Sequence[float], baseline_turns: int, other_turns: int) -> float:
    """Consistency of a dialogue, 0..1: mean over turns that both arms have, times min / max.

    ``turns`` are the consistencies of those turns. The result is 1 if neither arm has a
    turn, and 0 if only one of them has turns. Source: section 2.2 of the published
    evaluation and its code. Raises ``ValueError`` unless there is one consistency for
    each common turn.
    """
    fewest, most = sorted((baseline_turns, other_turns))
    if len(turns) != fewest:
        raise ValueError(f"{len(turns)} consistencies for {fewest} common turns")
    if not most:
        return 1.0
    if not fewest:
        return 0.0
    return min(math.fsum(turns) / fewest, 1.0) * (fewest / most)
