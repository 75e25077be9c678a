"""Compared dialogues: the figures of each task and of all, from which every table is made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.dialogues.dialogue import RECORD_TYPE, BothArms
from pytest_compaction.dialogues.measures import (
    PASS_CONSISTENCY,
    Spending,
    Spread,
    Suitability,
    effectiveness,
    mean,
    mean_interval,
    spread,
    suitability,
    total,
)
from pytest_compaction.metrics import is_over_budget, mean_pass_hat_k

if TYPE_CHECKING:
    from pytest_compaction.records import Record


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """All figures of some dialogues: those of a task, or all.

    Shares and scores are 0..1; savings are shares of the baseline. ``scored`` dialogues have a
    consistency in every trial. ``saved`` is the 95 % interval of the mean tokens saved per
    dialogue after the cost of summaries. ``in_force`` counts the dialogues that had a summary in
    some prompt, ``paid`` those that paid for summaries of which none could be used.
    """

    name: str
    dialogues: int
    spending: Spending
    tokens: Spread
    net: Spread
    consistency: float | None
    retention: float | None
    passes: Mapping[int, float]
    scored: int
    saved: tuple[float, float] | None
    turns: float | None
    in_force: int
    paid: int
    unscored_trials: int

    @property
    def mean_prompt(self) -> float:
        return self.spending.baseline_prompt / self.dialogues if self.dialogues else 0.0

    @property
    def suitability(self) -> Suitability | None:
        return None if self.turns is None else suitability(self.turns, self.mean_prompt)

    @property
    def effectiveness(self) -> float | None:
        """Consistency, mean savings and retention as 50/30/20; ``None`` if one is unknown."""
        return self._effectiveness(self.tokens.mean)

    @property
    def net_effectiveness(self) -> float | None:
        return self._effectiveness(self.net.mean)

    def _effectiveness(self, savings: float | None) -> float | None:
        if self.consistency is None or savings is None or self.retention is None:
            return None
        return effectiveness(self.consistency, savings, self.retention)


def spending_of(comparison: BothArms) -> Spending:
    """Tokens of one dialogue; for each arm the mean over its trials, of which it must have some."""
    baseline, summary = comparison.baseline, comparison.summary
    return Spending(
        baseline_prompt=fmean(trial.prompt_tokens for trial in baseline),
        baseline_completion=fmean(trial.completion_tokens for trial in baseline),
        summary_prompt=fmean(trial.prompt_tokens for trial in summary),
        summary_completion=fmean(trial.completion_tokens for trial in summary),
        generation=fmean(trial.generation_tokens for trial in summary),
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
    consistencies = [value for item in items if (value := consistency_of(item)) is not None]
    retentions = [value for item in items if (value := retention_of(item)) is not None]
    outcomes = [outcome_of(item, threshold) for item in items]
    passes = {
        k: mean_pass_hat_k(outcomes, k)
        for k in range(1, max((trials for trials, _ in outcomes), default=0) + 1)
    }
    return TaskFigures(
        name=name,
        dialogues=len(items),
        spending=total(spendings),
        tokens=spread([s.savings for s in spendings]),
        net=spread([s.net_savings for s in spendings]),
        consistency=mean(consistencies),
        retention=mean(retentions),
        passes={k: value for k, value in passes.items() if value is not None},
        scored=len(consistencies),
        saved=mean_interval([s.baseline - s.summary - s.generation for s in spendings]),
        turns=mean([item.turns for item in items]),
        in_force=sum(item.summarised for item in items),
        paid=sum(item.paid and not item.summarised for item in items),
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


_PREFIX: Final = f"{RECORD_TYPE}."
_FIGURES: Final[Mapping[str, Callable[[TaskFigures], float | None]]] = {
    "consistency": lambda figures: figures.consistency,
    "retention": lambda figures: figures.retention,
    "savings": lambda figures: figures.spending.savings,
    "prompt": lambda figures: figures.spending.prompt_savings,
    "net": lambda figures: figures.spending.net_savings,
    "effectiveness": lambda figures: figures.effectiveness,
    "net_effectiveness": lambda figures: figures.net_effectiveness,
}
NAMES: Final = tuple(_FIGURES)
"""Names of the aggregates: means over dialogues, and savings as ratios of sums."""


def is_dialogue_metric(metric: str) -> bool:
    """Whether a gate's metric is one of dialogues: ``consistency``, ``dialogue.pass^2``."""
    name = metric.removeprefix(_PREFIX)
    return name in _FIGURES or (
        name != metric and re.fullmatch(r"pass\^[1-9]\d{0,5}", name) is not None
    )


def measure_dialogues(metric: str, records: Sequence[Record]) -> float | None:
    compared = [record for record in records if record["comparison"]]
    if not compared:
        return None
    comparisons = [BothArms.from_json(record["comparison"] or {}) for record in compared]
    figures = figures_of("all", comparisons, pass_at(compared))
    name = metric.removeprefix(_PREFIX)
    if name.startswith("pass^"):
        return figures.passes.get(int(name[5:]))
    return _FIGURES[name](figures)


def pass_at(records: Sequence[Record]) -> float:
    """The consistency at which the dialogues of a run pass."""
    return next((float(record["pass_at"]) for record in records), PASS_CONSISTENCY)
