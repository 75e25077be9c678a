"""An evaluation: compared dialogues, or published figures, under one title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_compaction.dialogues.aggregates import RECORD_TYPE
from pytest_compaction.dialogues.dialogue import BothArms
from pytest_compaction.dialogues.figures import (
    TaskFigures,
    by_task,
    combined,
    figures_of,
    spending_of,
)
from pytest_compaction.dialogues.measures import PASS_CONSISTENCY, pearson
from pytest_compaction.metrics import is_over_budget


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures under one title, by task and of all dialogues.

    ``comparisons`` is empty if only figures are known, as for a published summary.
    ``errors`` counts dialogues that ended without a comparison; no figure includes them.
    ``over_budget`` counts those with a view over its budget.
    ``threshold`` is the least consistency of a trial that passes.
    """

    title: str
    tasks: tuple[TaskFigures, ...]
    whole: TaskFigures
    comparisons: tuple[BothArms, ...] = ()
    threshold: float = PASS_CONSISTENCY
    errors: int = 0
    over_budget: int = 0


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's ``r`` of prompt savings with ``what`` over ``count`` tasks or dialogues.

    ``r`` is ``None`` if it is not defined.
    """

    what: str
    unit: str
    count: int
    r: float | None


def evaluation_of(
    title: str,
    comparisons: Iterable[BothArms],
    threshold: float = PASS_CONSISTENCY,
    errors: int = 0,
) -> Evaluation:
    """The evaluation of compared dialogues; their order does not matter."""
    items = tuple(sorted(comparisons, key=lambda item: (item.task, item.dialogue_id)))
    return Evaluation(
        title=title,
        tasks=tuple(figures_of(task, part, threshold) for task, part in by_task(items).items()),
        whole=figures_of("all", items, threshold),
        comparisons=items,
        threshold=threshold,
        errors=errors,
    )


def evaluation_of_figures(title: str, tasks: Sequence[TaskFigures]) -> Evaluation:
    """The evaluation for which only the figures of each task are known."""
    return Evaluation(title, tuple(tasks), combined("all", tasks))


def evaluations_of_records(
    records: Iterable[Mapping[str, Any]],
    threshold: float | None = None,
    default: float = PASS_CONSISTENCY,
) -> list[Evaluation]:
    """One evaluation per strategy, from the dialogue records of a run; others are ignored.

    A dialogue record has the ``type`` :data:`RECORD_TYPE`, a ``compactor`` and a
    ``comparison`` (:meth:`Comparison.as_json`), which is ``None`` after an error. Without
    a ``threshold``, the ``pass_at`` of the records is used, or ``default`` for records
    that do not have it.
    """
    found: dict[str, list[BothArms]] = {}
    passing: dict[str, float] = {}
    errors: dict[str, int] = {}
    over: Counter[str] = Counter()
    for record in records:
        if record.get("type") == RECORD_TYPE:
            name = record["compactor"]
            group = found.setdefault(name, [])
            passing.setdefault(name, record.get("pass_at", default))
            if record.get("comparison") is None:
                errors[name] = errors.get(name, 0) + 1
            else:
                group.append(BothArms.from_json(record["comparison"]))
                over[name] += is_over_budget(record)
    return [
        replace(
            evaluation_of(
                name, items, passing[name] if threshold is None else threshold, errors.get(name, 0)
            ),
            over_budget=over[name],
        )
        for name, items in found.items()
    ]


def correlations(evaluation: Evaluation) -> Iterator[Correlation]:
    """Prompt savings with prompt length and with turns, over tasks and over dialogues.

    Over tasks both figures are those of the whole task (savings as ratio of sums),
    as in table 4 of the published evaluation.
    """
    tasks = evaluation.tasks
    lengths = [(item.mean_prompt, item.spending.prompt_savings) for item in tasks]
    yield Correlation("prompt length", "tasks", len(lengths), pearson(lengths))
    turns = [
        (item.turns.mean, item.spending.prompt_savings)
        for item in tasks
        if item.turns is not None and item.turns.mean is not None
    ]
    if turns:
        yield Correlation("turns", "tasks", len(turns), pearson(turns))
    if evaluation.comparisons:
        spent = [(spending_of(item), float(item.turns)) for item in evaluation.comparisons]
        lengths = [(one.baseline_prompt, one.prompt_savings) for one, _ in spent]
        yield Correlation("prompt length", "dialogues", len(lengths), pearson(lengths))
        turns = [(number, one.prompt_savings) for one, number in spent]
        yield Correlation("turns", "dialogues", len(turns), pearson(turns))
