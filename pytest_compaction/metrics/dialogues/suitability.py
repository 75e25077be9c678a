"""Whether a kind of dialogue is worth summarising: by turns, prompt length, effectiveness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

Suitability = Literal["recommended", "conditional", "not recommended"]

Outcome = Literal["saves", "costs", "no difference"]

MANY_TURNS: Final = 4
FEW_TURNS: Final = 2
LONG_PROMPT: Final = 2000
SHORT_PROMPT: Final = 1000
"""Bounds of the classes, from section 5.1 of the published evaluation."""

CONSISTENCY_WEIGHT: Final = 0.5
SAVINGS_WEIGHT: Final = 0.3
RETENTION_WEIGHT: Final = 0.2
"""Weights of effectiveness, from its section 2.2."""


def effectiveness(consistency: float, mean_savings: float, retention: float) -> float:
    """Overall effectiveness, 0..1: 0.5 * consistency + 0.3 * savings + 0.2 * retention.

    Savings are the mean over dialogues as a share, clipped to 0..1: a loss counts as
    no savings. Source: "Evaluating Session Summarization Effectiveness", section 2.2.
    """
    clipped = min(max(mean_savings, 0.0), 1.0)
    return (
        CONSISTENCY_WEIGHT * consistency + SAVINGS_WEIGHT * clipped + RETENTION_WEIGHT * retention
    )


def suitability(mean_turns: float, mean_prompt: float) -> Suitability:
    """The class of a kind of dialogue by its mean turns and mean baseline prompt in tokens.

    ``not recommended`` with at most 2 turns or below 1,000 tokens; ``recommended``
    from 4 turns on with more than 2,000 tokens; everything between is
    ``conditional``. The prompt is the sum over the turns of a dialogue. Source:
    section 5.1 of the published evaluation. Its table leaves gaps between the classes
    (at 2.4 turns, for example) and places its own tasks by eye: CM, with 3.99 turns, is
    among the recommended ones.
    """
    if mean_turns <= FEW_TURNS or mean_prompt < SHORT_PROMPT:
        return "not recommended"
    if mean_turns >= MANY_TURNS and mean_prompt > LONG_PROMPT:
        return "recommended"
    return "conditional"


def outcome(saved: tuple[float, float] | None) -> Outcome | None:
    """The meaning of an interval of mean tokens saved per dialogue; ``None`` without one.

    ``saves`` if all of it lies above 0, ``costs`` if all of it lies below,
    ``no difference`` if it contains 0.
    """
    if saved is None:
        return None
    low, high = saved
    if low > 0:
        return "saves"
    return "costs" if high < 0 else "no difference"


@dataclass(frozen=True, slots=True)
class TurnDistribution:
    """How many dialogues have how many user turns; ``counts`` by number of turns, sorted."""

    counts: Mapping[int, int]

    @property
    def dialogues(self) -> int:
        """All dialogues."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float | None:
        """Mean number of turns; ``None`` without dialogues."""
        turns = sum(number * count for number, count in self.counts.items())
        return turns / self.dialogues if self.dialogues else None

    def share(self, fewest: int, most: int | None = None) -> float | None:
        """Share of dialogues with ``fewest`` to ``most`` turns (open end when ``None``)."""
        found = sum(
            count
            for number, count in self.counts.items()
            if number >= fewest and (most is None or number <= most)
        )
        return found / self.dialogues if self.dialogues else None


def turn_distribution(turns: Iterable[int]) -> TurnDistribution:
    """The distribution of dialogues by their number of turns."""
    return TurnDistribution(dict(sorted(Counter(turns).items())))
