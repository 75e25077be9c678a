"""The figures of a set of compared dialogues: what every table is made of."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_compaction.dialogues.dialogue import Comparison
from pytest_compaction.metrics.consistency import PASS_CONSISTENCY
from pytest_compaction.metrics.distribution import Spread, mean, mean_interval, spread
from pytest_compaction.metrics.pass_k import mean_pass_hat_k
from pytest_compaction.metrics.suitability import (
    Suitability,
    TurnDistribution,
    effectiveness,
    suitability,
    turn_distribution,
)
from pytest_compaction.metrics.token_efficiency import Spending, total


@dataclass(frozen=True, slots=True)
class InForce:
    """How many dialogues had a summary in a prompt, never had one, or do not say.

    ``shrank`` counts dialogues with a prompt smaller than the one before: evidence of
    a summary also where none is recorded, ``paid`` those of ``none`` that spent tokens
    on summaries all the same: each of them failed.
    """

    some: int
    none: int
    unknown: int
    shrank: int
    paid: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of some dialogues, those of a task or all.

    Shares and scores are 0..1, savings shares of the baseline. ``None`` is for what
    the data does not record or what is not defined: Pass^k has no entry when k
    exceeds the trials, ``net`` (savings after the making of summaries) none without
    recorded costs. ``scored`` of the ``dialogues`` have a consistency: those of which
    every trial was scored; ``unscored_trials`` counts the trials that were not.
    ``saved`` is the 95 % interval of the mean tokens saved a dialogue, summaries paid
    where that is recorded.
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
        """Mean baseline prompt tokens of a dialogue, summed over its turns; 0 of none."""
        return self.spending.baseline_prompt / self.dialogues if self.dialogues else 0.0

    @property
    def mean_completion(self) -> float:
        """Mean baseline answer tokens of a dialogue, summed over its turns; 0 of none."""
        return self.spending.baseline_completion / self.dialogues if self.dialogues else 0.0

    @property
    def suitability(self) -> Suitability | None:
        """The class by turns and prompt length; ``None`` where turns are not recorded."""
        turns = self.turns.mean if self.turns else None
        return None if turns is None else suitability(turns, self.mean_prompt)

    @property
    def effectiveness(self) -> float | None:
        """The 50/30/20 of consistency, mean savings and retention; ``None`` if one is not known."""
        if self.consistency is None or self.tokens.mean is None or self.retention is None:
            return None
        return effectiveness(self.consistency, self.tokens.mean, self.retention)


def spending_of(comparison: Comparison) -> Spending:
    """Tokens of one dialogue, each arm's the mean over its trials.

    Raises ``ValueError`` for an arm without trials, which spent no known amount.
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


def consistency_of(comparison: Comparison) -> float | None:
    """Mean consistency over the trials; ``None`` when one of them was not scored.

    A dialogue is scored as a whole or not at all, as its item is: over fewer trials its
    Pass^k would be that of another experiment.
    """
    return _mean_of_all([agreed.consistency for agreed in comparison.agreements])


def retention_of(comparison: Comparison) -> float | None:
    """Mean retention over the trials; ``None`` when one of them was not scored."""
    if comparison.unscored:
        return None
    return _mean_of_all([agreed.retention for agreed in comparison.agreements])


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    """The mean; ``None`` of no values, or where one is not known."""
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def outcome_of(comparison: Comparison, threshold: float = PASS_CONSISTENCY) -> tuple[int, int]:
    """Trials of a dialogue, and how many reach the threshold; (0, 0) when one was not scored."""
    if comparison.unscored:
        return 0, 0
    scores = [a.consistency for a in comparison.agreements if a.consistency is not None]
    return len(scores), sum(score >= threshold for score in scores)


def figures_of(
    name: str, comparisons: Iterable[Comparison], threshold: float = PASS_CONSISTENCY
) -> Figures:
    """The figures of some dialogues; a dialogue passes a trial from the threshold on.

    Tokens and savings count every dialogue, whether its answers were scored or not.
    """
    items = list(comparisons)
    spendings = [spending_of(item) for item in items]
    net = [s.net_savings for s in spendings]
    known_net = [value for value in net if value is not None]
    consistencies = [value for item in items if (value := consistency_of(item)) is not None]
    retentions = [value for item in items if (value := retention_of(item)) is not None]
    return Figures(
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
    """Tokens saved on a dialogue, summaries paid where that is recorded."""
    return spending.baseline - spending.summary - (spending.generation or 0.0)


def _passes(outcomes: Sequence[tuple[int, int]]) -> dict[int, float]:
    """Pass^k for every k that the trials allow."""
    most = max((trials for trials, _ in outcomes), default=0)
    found = {k: mean_pass_hat_k(outcomes, k) for k in range(1, most + 1)}
    return {k: value for k, value in found.items() if value is not None}


def _in_force(items: Sequence[Comparison]) -> InForce:
    states = [item.summarised for item in items]
    return InForce(
        some=sum(state is True for state in states),
        none=sum(state is False for state in states),
        unknown=sum(state is None for state in states),
        shrank=sum(item.shrank for item in items),
        paid=sum(item.summarised is False and item.paid for item in items),
    )


def by_task(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """Comparisons by task, tasks in alphabetical order."""
    groups: dict[str, list[Comparison]] = {}
    for item in comparisons:
        groups.setdefault(item.task, []).append(item)
    return dict(sorted(groups.items()))


def with_turns(figures: Figures, turns: Iterable[int]) -> Figures:
    """Figures without turns, and the numbers of turns of their dialogues from elsewhere.

    Raises ``ValueError`` for another number of dialogues than the figures are of.
    """
    found = turn_distribution(turns)
    if found.dialogues != figures.dialogues:
        raise ValueError(f"{found.dialogues} dialogues; the figures are of {figures.dialogues}")
    return replace(figures, turns=found)


def combined(name: str, parts: Sequence[Figures]) -> Figures:
    """The figures of several sets together, from theirs alone.

    Sums add up, means are weighted by their dialogues, and what cannot be had from
    the parts (standard deviation and quartiles of the whole) is ``None``. A part
    that does not know a figure leaves the whole without it; an empty part changes
    nothing.
    """
    parts = [part for part in parts if part.dialogues]
    turns = [part.turns for part in parts if part.turns is not None]
    in_force = [part.in_force for part in parts if part.in_force is not None]
    nets = [part.net for part in parts if part.net is not None]
    every_k = [set(part.passes) for part in parts]
    return Figures(
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
