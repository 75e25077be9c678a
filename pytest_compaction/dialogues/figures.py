"""Compared dialogues: the figures of each task and of all, from which every table is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pytest_compaction.dialogues.dialogue import RECORD_TYPE, BothArms
from pytest_compaction.dialogues.measures import (
    PASS_CONSISTENCY,
    Spending,
    Spread,
    Suitability,
    TurnDistribution,
    effectiveness,
    mean,
    mean_interval,
    pearson,
    spread,
    suitability,
    total,
    turn_distribution,
)
from pytest_compaction.metrics import is_over_budget, mean_pass_hat_k


class InForce(NamedTuple):
    """How many dialogues had a summary in some prompt, had none, or do not record it.

    In ``shrank`` a smaller prompt shows a summary; ``paid`` ones of ``none`` paid for failed ones.
    """

    some: int
    none: int
    unknown: int
    shrank: int
    paid: int = 0


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """All figures of some dialogues: those of a task, or all; ``None`` where not recorded.

    Shares and scores are 0..1; savings are shares of the baseline. ``scored`` dialogues have a
    consistency in every trial. ``saved`` is the 95 % interval of the mean tokens saved per
    dialogue, after the cost of summaries if that is recorded.
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
    saved: tuple[float, float] | None
    turns: TurnDistribution
    in_force: InForce
    unscored_trials: int

    @property
    def mean_prompt(self) -> float:
        return self.spending.baseline_prompt / self.dialogues if self.dialogues else 0.0

    @property
    def mean_completion(self) -> float:
        return self.spending.baseline_completion / self.dialogues if self.dialogues else 0.0

    @property
    def suitability(self) -> Suitability | None:
        turns = self.turns.mean
        return None if turns is None else suitability(turns, self.mean_prompt)

    @property
    def effectiveness(self) -> float | None:
        """Consistency, mean savings and retention as 50/30/20; ``None`` if one is unknown."""
        if self.consistency is None or self.tokens.mean is None or self.retention is None:
            return None
        return effectiveness(self.consistency, self.tokens.mean, self.retention)

    @property
    def net_effectiveness(self) -> float | None:
        net = None if self.net is None else self.net.mean
        if self.consistency is None or net is None or self.retention is None:
            return None
        return effectiveness(self.consistency, net, self.retention)


def spending_of(comparison: BothArms) -> Spending:
    """Tokens of one dialogue; for each arm the mean over its trials, of which it must have some."""
    baseline, summary = comparison.baseline, comparison.summary
    if not baseline or not summary:
        raise ValueError(f"dialogue {comparison.dialogue_id!r} has an arm without trials")
    return Spending(
        baseline_prompt=sum(trial.prompt_tokens for trial in baseline) / len(baseline),
        baseline_completion=sum(trial.completion_tokens for trial in baseline) / len(baseline),
        summary_prompt=sum(trial.prompt_tokens for trial in summary) / len(summary),
        summary_completion=sum(trial.completion_tokens for trial in summary) / len(summary),
        generation=_mean_of_all([trial.generation_tokens for trial in summary]),
    )


def consistency_of(comparison: BothArms) -> float | None:
    return _mean_of_all([agreed.consistency for agreed in comparison.agreements])


def retention_of(comparison: BothArms) -> float | None:
    if comparison.unscored:
        return None
    return _mean_of_all([agreed.retention for agreed in comparison.agreements])


def outcome_of(comparison: BothArms, threshold: float = PASS_CONSISTENCY) -> tuple[int, int]:
    """Trials of a dialogue, and how many reach the threshold; (0, 0) if one was not scored."""
    scores = [a.consistency for a in comparison.agreements if a.consistency is not None]
    if comparison.unscored:
        return 0, 0
    return len(scores), sum(score >= threshold for score in scores)


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if len(known) == len(values) else None


def figures_of(
    name: str, comparisons: Iterable[BothArms], threshold: float = PASS_CONSISTENCY
) -> TaskFigures:
    """The figures of some dialogues; tokens and savings include those that were not scored."""
    items = list(comparisons)
    spendings = [spending_of(item) for item in items]
    net = [value for item in spendings if (value := item.net_savings) is not None]
    consistencies = [value for item in items if (value := consistency_of(item)) is not None]
    retentions = [value for item in items if (value := retention_of(item)) is not None]
    outcomes = [outcome_of(item, threshold) for item in items]
    passes = {
        k: mean_pass_hat_k(outcomes, k)
        for k in range(1, max((trials for trials, _ in outcomes), default=0) + 1)
    }
    states = [item.summarised for item in items]
    return TaskFigures(
        name=name,
        dialogues=len(items),
        spending=total(spendings),
        tokens=spread(s.savings for s in spendings),
        prompt=spread(s.prompt_savings for s in spendings),
        net=spread(net) if len(net) == len(items) else None,
        consistency=mean(consistencies),
        retention=mean(retentions),
        passes={k: value for k, value in passes.items() if value is not None},
        scored=len(consistencies),
        saved=mean_interval([s.baseline - s.summary - (s.generation or 0.0) for s in spendings]),
        turns=turn_distribution(item.turns for item in items),
        in_force=InForce(
            some=states.count(True),
            none=states.count(False),
            unknown=states.count(None),
            shrank=sum(item.shrank for item in items),
            paid=sum(item.summarised is False and item.paid for item in items),
        ),
        unscored_trials=sum(item.unscored for item in items),
    )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures under one title: those of each task, and of all dialogues.

    ``errors`` ended without a comparison.
    """

    title: str
    tasks: tuple[TaskFigures, ...]
    whole: TaskFigures
    comparisons: tuple[BothArms, ...] = ()
    threshold: float = PASS_CONSISTENCY
    errors: int = 0
    over_budget: int = 0


def evaluation_of(
    title: str, comparisons: Iterable[BothArms], threshold: float = PASS_CONSISTENCY
) -> Evaluation:
    items = tuple(sorted(comparisons, key=lambda item: (item.task, item.dialogue_id)))
    tasks: dict[str, list[BothArms]] = defaultdict(list)
    for item in items:
        tasks[item.task].append(item)
    figures = tuple(figures_of(task, part, threshold) for task, part in tasks.items())
    return Evaluation(title, figures, figures_of("all", items, threshold), items, threshold)


def evaluations_of_records(
    records: Iterable[Mapping[str, Any]],
    threshold: float | None = None,
    default: float = PASS_CONSISTENCY,
) -> list[Evaluation]:
    """One evaluation per strategy, from the dialogue records of a run; others are ignored.

    Without a ``threshold``, the ``pass_at`` of the records is used, or else ``default``.
    """
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if record.get("type") == RECORD_TYPE:
            groups[record["compactor"]].append(record)
    found = []
    for name, group in groups.items():
        there = [record for record in group if record.get("comparison") is not None]
        passing = group[0].get("pass_at", default) if threshold is None else threshold
        items = [BothArms.from_json(record["comparison"]) for record in there]
        found.append(
            replace(
                evaluation_of(name, items, passing),
                errors=len(group) - len(there),
                over_budget=sum(map(is_over_budget, there)),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's ``r`` of prompt savings with ``what`` over ``count`` tasks or dialogues."""

    what: str
    unit: str
    count: int
    r: float | None


def correlations(evaluation: Evaluation) -> Iterator[Correlation]:
    """Prompt savings with prompt length and with turns, over tasks and over dialogues."""
    tasks = [(item, item.spending) for item in evaluation.tasks]
    dialogues = [(float(item.turns), spending_of(item)) for item in evaluation.comparisons]
    turns = [
        (item.turns.mean, spent.prompt_savings)
        for item, spent in tasks
        if item.turns.mean is not None
    ]
    found = [("prompt length", "tasks", [(i.mean_prompt, s.prompt_savings) for i, s in tasks])]
    found += [("turns", "tasks", turns)] if turns else []
    if dialogues:
        lengths = [(spent.baseline_prompt, spent.prompt_savings) for _, spent in dialogues]
        found.append(("prompt length", "dialogues", lengths))
        found.append(("turns", "dialogues", [(n, s.prompt_savings) for n, s in dialogues]))
    for what, unit, pairs in found:
        yield Correlation(what, unit, len(pairs), pearson(pairs))
