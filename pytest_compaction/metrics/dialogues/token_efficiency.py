"""Token efficiency: how much less an arm with summaries spends than one with full history."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


def saved_share(baseline: float, spent: float) -> float:
    """Savings of the summary arm: (baseline - spent) / baseline, in (-inf, 1].

    Negative when the summary arm spends more. Source: "Evaluating Session
    Summarization Effectiveness", section 2.2. If the baseline spent nothing, there is
    nothing to save: 0, whatever the other arm spent.
    """
    return (baseline - spent) / baseline if baseline else 0.0


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens that both arms spent, on one dialogue (mean over trials) or on many (sum).

    ``generation`` counts the prompts and completions that made the summaries; ``None`` if
    it was not recorded, which differs from 0.
    """

    baseline_prompt: float
    baseline_completion: float
    summary_prompt: float
    summary_completion: float
    generation: float | None

    @property
    def baseline(self) -> float:
        """All tokens of the baseline arm."""
        return self.baseline_prompt + self.baseline_completion

    @property
    def summary(self) -> float:
        """Prompt and answer tokens of the summary arm, without those that made the summaries."""
        return self.summary_prompt + self.summary_completion

    @property
    def savings(self) -> float:
        """Share of all tokens saved without the cost of summaries, as published."""
        return saved_share(self.baseline, self.summary)

    @property
    def net_savings(self) -> float | None:
        """Share of all tokens saved after the cost of the summaries.

        Total = prompt + completion + summary generation; section 4.3.1 of the source.
        ``None`` if that cost was not recorded.
        """
        if self.generation is None:
            return None
        return saved_share(self.baseline, self.summary + self.generation)

    @property
    def prompt_savings(self) -> float:
        """Share of prompt tokens saved."""
        return saved_share(self.baseline_prompt, self.summary_prompt)

    @property
    def prompt_change(self) -> float:
        """Change of prompt tokens, (S - B) / B: the negative of the savings."""
        return -self.prompt_savings

    @property
    def completion_change(self) -> float:
        """Change of answer tokens, (S - B) / B; 0 if the baseline has no answer tokens."""
        return -saved_share(self.baseline_completion, self.summary_completion)


def total(spendings: Iterable[Spending]) -> Spending:
    """The sum over dialogues; its savings are the ratio of sums, not the mean of ratios.

    Savings% = (sum of baseline - sum of summary) / sum of baseline; appendix C of the
    source. If the generation of one dialogue was not recorded, that of the sum is
    unknown. Without dialogues all sums and savings are 0.
    """
    items = list(spendings)
    generation = [item.generation for item in items]
    known = [value for value in generation if value is not None]
    return Spending(
        baseline_prompt=math.fsum(item.baseline_prompt for item in items),
        baseline_completion=math.fsum(item.baseline_completion for item in items),
        summary_prompt=math.fsum(item.summary_prompt for item in items),
        summary_completion=math.fsum(item.summary_completion for item in items),
        generation=math.fsum(known) if len(known) == len(items) else None,
    )
