"""The figures of a set of compared dialogues, from which every table is made."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_compaction.dialogues.dialogue import BothArms
from pytest_compaction.dialogues.measures import (
    PASS_CONSISTENCY,
    Spending,
    Spread,
    Suitability,
    TurnDistribution,
    effectiveness,
    mean,
    mean_interval,
    spread,
    suitability,
    total,
    turn_distribution,
)
from pytest_compaction.metrics import mean_pass_hat_k


@dataclass(frozen=True, slots=True)
class InForce:
    """How many dialogues had a summary in some prompt, had none, or do not record it.

    ``shrank`` counts dialogues in which a prompt was smaller than the one before, which
    shows a summary even if none is recorded. ``paid`` counts those of ``none`` that still
    spent tokens on summaries: each of these summaries failed.
    """

    some: int
    none: int
    unknown: int
    shrank: int
    paid: int = 0


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """All figures of some dialogues: those of a task, or all.

    Shares and scores are 0..1; savings are shares of the baseline. A figure is ``None``
    if it is not defined or the data does not record it: ``net`` (savings after the cost
    of summaries) needs recorded costs. ``passes`` has no entry for a k above the number
    of trials. ``scored`` counts the dialogues with a consistency, which every trial must
    have; ``unscored_trials`` counts the trials without. ``saved`` is the 95 % interval of
    the mean tokens saved per dialogue, after the cost of summaries if that is recorded.
    """

    name: str
    dialogues: int
    spending: Spending
    tokens: Spread
    prompt: Spread
    net: Spread | None
    consistency: float | None
    retention: float | None
    passes: Mapping[int, float]
    scored: int
    saved: tuple[float, float] | None = None
    turns: TurnDistribution | None = None
    in_force: InForce | None = None
    unscored_trials: int = 0

    @property
    def mean_prompt(self) -> float:
        """Mean baseline prompt tokens of a dialogue, summed over its turns; 0 without dialogues."""
        return self.spending.baseline_prompt / self.dialogues if self.dialogues else 0.0

    @property
    def mean_completion(self) -> float:
        """Mean baseline answer tokens of a dialogue, summed over its turns; 0 without dialogues."""
        return self.spending.baseline_completion / self.dialogues if self.dialogues else 0.0

    @property
    def suitability(self) -> Suitability | None:
        """The class by turns and prompt length; ``None`` if turns are not recorded."""
        turns = self.turns.mean if self.turns else None
        return None if turns is None else suitability(turns, self.mean_prompt)

    @property
    def effectiveness(self) -> float | None:
        """Consistency, mean savings and retention as 50/30/20; ``None`` if one is unknown."""
        if self.consistency is None or self.tokens.mean is None or self.retention is None:
            return None
        return effectiveness(self.consistency, self.tokens.mean, self.retention)


def spending_of(comparison: BothArms) -> Spending:
    """Tokens of one dialogue; for each arm the mean over its trials.

    Raises ``ValueError`` for an arm without trials, whose tokens are unknown.
    """
    if not comparison.baseline or not comparison.summary:
        raise ValueError(f"dialogue {comparison.dialogue_id!r} has an arm without trials")
    generation = [trial.generation_tokens for trial in comparison.summary]
    known = [value for value in generation if value is not None]
    baseline, summary = comparison.baseline, comparison.summary
    return Spending(
        baseline_prompt=sum(trial.prompt_tokens for trial in baseline) / len(baseline),
        baseline_completion=sum(trial.completion_tokens for trial in baseline) / len(baseline),
        summary_prompt=sum(trial.prompt_tokens for trial in summary) / len(summary),
        summary_completion=sum(trial.completion_tokens for trial in summary) / len(summary),
        generation=sum(known) / len(known) if len(known) == len(generation) else None,
    )


def consistency_of(comparison: BothArms) -> float | None:
    """Mean consistency over the trials; ``None`` if one of them was not scored.

    A dialogue, like its item, is scored as a whole or not at all: over fewer trials its
    Pass^k would be that of another experiment.
    """
    return _mean_of_all([agreed.consistency for agreed in comparison.agreements])


def retention_of(comparison: BothArms) -> float | None:
    """Mean retention over the trials; ``None`` if one of them was not scored."""
    if comparison.unscored:
        return None
    return _mean_of_all([agreed.retention for agreed in comparison.agreements])


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    """The mean; ``None`` if there are no values or one is unknown."""
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def outcome_of(comparison: BothArms, threshold: float = PASS_CONSISTENCY) -> tuple[int, int]:
    """Trials of a dialogue, and how many reach the threshold; (0, 0) if one was not scored."""
    if comparison.unscored:
        return 0, 0
    scores = [a.consistency for a in comparison.agreements if a.consistency is not None]
    return len(scores), sum(score >= threshold for score in scores)


def figures_of(
    name: str, comparisons: Iterable[BothArms], threshold: float = PASS_CONSISTENCY
) -> TaskFigures:
    """The figures of some dialogues; a trial passes if it reaches the threshold.

    Tokens and savings include every dialogue, whether its answers were scored or not.
    """
    items = list(comparisons)
    spendings = [spending_of(item) for item in items]
    net = [s.net_savings for s in spendings]
    known_net = [value for value in net if value is not None]
    consistencies = [value for item in items if (value := consistency_of(item)) is not None]
    retentions = [value for item in items if (value := retention_of(item)) is not None]
    return TaskFigures(
        name=name,
        dialogues=len(items),
        spending=total(spendings),
        tokens=spread(s.savings for s in spendings),
        prompt=spread(s.prompt_savings for s in spendings),
        net=spread(known_net) if len(known_net) == len(net) else None,
        consistency=mean(consistencies),
        retention=mean(retentions),
        passes=_passes([outcome_of(item, threshold) for item in items]),
        scored=len(consistencies),
        saved=mean_interval([_saved(item) for item in spendings]),
        turns=turn_distribution(item.turns for item in items),
        in_force=_in_force(items),
        unscored_trials=sum(item.unscored for item in items),
    )


def _saved(spending: Spending) -> float:
    """Tokens saved on a dialogue, after the cost of summaries if that is recorded."""
    return spending.baseline - spending.summary - (spending.generation or 0.0)


def _passes(outcomes: Sequence[tuple[int, int]]) -> dict[int, float]:
    """Pass^k for every k up to the number of trials."""
    most = max((trials for trials, _ in outcomes), default=0)
    found = {k: mean_pass_hat_k(outcomes, k) for k in range(1, most + 1)}
    return {k: value for k, value in found.items() if value is not None}


def _in_force(items: Sequence[BothArms]) -> InForce:
    states = [item.summarised for item in items]
    return InForce(
        some=sum(state is True for state in states),
        none=sum(state is False for state in states),
        unknown=sum(state is None for state in states),
        shrank=sum(item.shrank for item in items),
        paid=sum(item.summarised is False and item.paid for item in items),
    )


def by_task(comparisons: Iterable[BothArms]) -> dict[str, list[BothArms]]:
    """Comparisons by task, tasks in alphabetical order."""
    groups: dict[str, list[BothArms]] = {}
    for item in comparisons:
        groups.setdefault(item.task, []).append(item)
    return dict(sorted(groups.items()))


def with_turns(figures: TaskFigures, turns: Iterable[int]) -> TaskFigures:
    """The figures, with the numbers of turns of their dialogues from another source.

    Raises ``ValueError`` if the number of dialogues is not that of the figures.
    """
    found = turn_distribution(turns)
    if found.dialogues != figures.dialogues:
        raise ValueError(f"{found.dialogues} dialogues; the figures are of {figures.dialogues}")
    return replace(figures, turns=found)


def combined(name: str, parts: Sequence[TaskFigures]) -> TaskFigures:
    """The figures of several sets together, from their figures alone.

    Sums add up, and means are weighted by dialogues. Standard deviation and quartiles of
    the whole do not follow from the parts and are ``None``. A figure that is unknown in
    one part is unknown in the whole; an empty part changes nothing.
    """
    parts = [part for part in parts if part.dialogues]
    turns = [part.turns for part in parts if part.turns is not None]
    in_force = [part.in_force for part in parts if part.in_force is not None]
    nets = [part.net for part in parts if part.net is not None]
    every_k = [set(part.passes) for part in parts]
    return TaskFigures(
        name=name,
        dialogues=sum(part.dialogues for part in parts),
        spending=total(part.spending for part in parts),
        tokens=_pooled([part.tokens for part in parts]),
        prompt=_pooled([part.prompt for part in parts]),
        net=_pooled(nets) if len(nets) == len(parts) else None,
        consistency=_weighted([(part.consistency, part.scored) for part in parts]),
        retention=_weighted([(part.retention, part.scored) for part in parts]),
        passes={
            k: value
            for k in sorted(set.intersection(*every_k) if every_k else set())
            if (value := _weighted([(p.passes[k], p.scored) for p in parts])) is not None
        },
        scored=sum(part.scored for part in parts),
        turns=_all_turns(turns) if len(turns) == len(parts) else None,
        in_force=_all_in_force(in_force) if len(in_force) == len(parts) else None,
        unscored_trials=sum(part.unscored_trials for part in parts),
    )


def _pooled(spreads: Sequence[Spread]) -> Spread:
    return Spread(
        count=sum(item.count for item in spreads),
        mean=_weighted([(item.mean, item.count) for item in spreads]),
        std=None,
        p25=None,
        p50=None,
        p75=None,
        negative=sum(item.negative for item in spreads),
    )


def _weighted(values: Iterable[tuple[float | None, int]]) -> float | None:
    """Weighted mean of the values with a weight; ``None`` if there are none or one is unknown."""
    weighty = [(value, weight) for value, weight in values if weight]
    known = [(value, weight) for value, weight in weighty if value is not None]
    if not known or len(known) != len(weighty):
        return None
    return statistics.fmean((value for value, _ in known), [weight for _, weight in known])


def _all_turns(parts: Iterable[TurnDistribution]) -> TurnDistribution:
    return turn_distribution(
        number for part in parts for number, count in part.counts.items() for _ in range(count)
    )


def _all_in_force(parts: Sequence[InForce]) -> InForce:
    return InForce(
        sum(part.some for part in parts),
        sum(part.none for part in parts),
        sum(part.unknown for part in parts),
        sum(part.shrank for part in parts),
        sum(part.paid for part in parts),
    )
