"""Tables that the published report lacks: suitability, turns, summaries in force, strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_compaction.dialogues.dialogue import TASKS, Comparison
from pytest_compaction.dialogues.evaluation import Evaluation
from pytest_compaction.dialogues.figures import Figures, figures_of
from pytest_compaction.metrics.dialogues.suitability import outcome
from pytest_compaction.reports.dialogues.tables import (
    MANY,
    by_figure,
    efficiency_table,
    mean_turns,
    net_savings,
    overall_table,
    prompt_table,
    quality_table,
    tokens_table,
    turns_table,
)
from pytest_compaction.reports.tables.table import (
    NOT_RECORDED,
    Cell,
    Table,
    count,
    percent,
    score,
    table,
)

ENOUGH: Final = 10
"""The fewest dialogues for which the interval of a task's savings is trusted."""

_OVER: Final = (
    "Over: dialogues with a turn that was answered from a view over its budget. Their consistency "
    "cannot be compared."
)
_SOME: Final = "a summary in force"
_NEVER: Final = "never in force"
_PAID: Final = "paid, never in force"
_UNKNOWN: Final = ("unknown, a prompt shrank", "unknown, no prompt shrank")


def tables_of(evaluation: Evaluation) -> tuple[Table, ...]:
    """All tables for which the evaluation has data; only the overall one without dialogues."""
    if not evaluation.whole.dialogues:
        return (overall_table(evaluation),)
    makers = (
        overall_table,
        in_force_table,
        suitability_table,
        by_turns_table,
        efficiency_table,
        quality_table,
        turns_table,
        prompt_table,
        tokens_table,
    )
    return tuple(found for maker in makers if (found := maker(evaluation)) is not None)


def strategies_table(evaluations: Sequence[Evaluation]) -> Table:
    """One row for each evaluation, to compare strategies.

    Views over the budget have a column of their own if there are any.
    """
    rows = []
    over = any(item.over_budget for item in evaluations)
    for item in evaluations:
        whole = item.whole
        known = whole.in_force is not None and not whole.in_force.unknown
        rows.append(
            (
                Cell(item.title),
                count(whole.dialogues),
                *([count(item.over_budget)] if over else []),
                count(whole.in_force.some if known and whole.in_force else None, NOT_RECORDED),
                percent(whole.spending.prompt_savings if whole.dialogues else None),
                percent(whole.spending.savings if whole.dialogues else None),
                net_savings(whole),
                score(whole.consistency),
                percent(whole.passes.get(1)),
                score(whole.retention),
            )
        )
    return table(
        "strategies",
        "Strategies",
        [
            ("strategy", "strategy"),
            ("dialogues", "dialogues"),
            *([("over_budget", "over")] if over else []),
            ("in_force", "in force"),
            ("prompt_savings", "prompt"),
            ("token_savings", "tokens"),
            ("net_savings", "net"),
            ("consistency", "consist."),
            ("pass_1", "Pass^1"),
            ("retention", "retent."),
        ],
        rows,
        [_OVER] if over else [],
    )


def suitability_table(evaluation: Evaluation) -> Table:
    """Classes by turns and prompt length, next to the measured outcome."""
    rows = [
        (
            Cell(item.name),
            mean_turns(item),
            count(item.mean_prompt),
            Cell(item.suitability, "text", NOT_RECORDED),
            percent(item.spending.savings),
            net_savings(item),
            Cell(_measured(item)),
            score(item.consistency),
        )
        for item in by_figure(evaluation.tasks, lambda part: part.spending.savings)
    ]
    return table(
        "suitability",
        "Suitability by task",
        [
            ("task", "task"),
            ("mean_turns", "turns"),
            ("mean_prompt", "prompt"),
            ("class", "class"),
            ("token_savings", "tokens"),
            ("net_savings", "net"),
            ("measured", "measured"),
            ("consistency", "consist."),
        ],
        rows,
        [
            "The class is the published rule, which looks only at mean turns and mean prompt "
            "tokens: recommended with 4 or more turns and more than 2,000 tokens, not recommended "
            "with 2 or fewer turns or fewer than 1,000 tokens, otherwise conditional.",
            "Measured: saves or costs if the 95 % interval of the mean tokens saved per dialogue "
            "lies on one side of 0, including the cost of summaries if that is recorded; too few: "
            f"fewer than {ENOUGH} dialogues.",
            *_names(evaluation),
        ],
    )


def _names(evaluation: Evaluation) -> Iterator[str]:
    """The meaning of the task codes that have a name."""
    known = [f"{item.name} {TASKS[item.name]}" for item in evaluation.tasks if item.name in TASKS]
    if known:
        yield f"{', '.join(known)}."


def _measured(item: Figures) -> str | None:
    """The outcome of a task's savings; ``None`` if it is not known if a summary was in force."""
    state = item.in_force
    if state is None:
        return None
    if not state.some and not state.unknown:
        return _PAID if state.paid else _NEVER
    return outcome(item.saved) if item.dialogues >= ENOUGH else "too few"


def by_turns_table(evaluation: Evaluation) -> Table | None:
    """Savings and consistency by the number of turns of a dialogue, over all tasks."""

    def turns(item: Comparison) -> str:
        return f">={MANY}" if item.turns >= MANY else str(item.turns)

    order = [*map(str, range(MANY)), f">={MANY}"]
    return _apart(evaluation, ("by_turns", "By number of turns", "turns"), turns, order)


def in_force_table(evaluation: Evaluation) -> Table | None:
    """Dialogues whose prompts held a summary, apart from those whose prompts never did."""
    states = {_state(item) for item in evaluation.comparisons}
    notes = []
    if states & {_NEVER, _PAID}:
        notes.append(
            "If no summary was ever in force, both arms had the same prompts, and any difference "
            "between their answers is noise."
        )
    if _PAID in states:
        notes.append(
            "Paid, never in force: summaries were requested but none could be used; their cost "
            "is in net."
        )
    if states & set(_UNKNOWN):
        notes.append(
            "Unknown: the data does not record summaries; a prompt that is smaller than the "
            "previous one suggests one."
        )
    titles = ("in_force", "Summaries in force", "summary")
    return _apart(evaluation, titles, _state, (_SOME, _PAID, _NEVER, *_UNKNOWN), notes)


def _state(comparison: Comparison) -> str:
    if comparison.summarised is None:
        return _UNKNOWN[0] if comparison.shrank else _UNKNOWN[1]
    if comparison.summarised:
        return _SOME
    return _PAID if comparison.paid else _NEVER


def _apart(
    evaluation: Evaluation,
    titles: tuple[str, str, str],
    group: Callable[[Comparison], str],
    order: Sequence[str],
    notes: Sequence[str] = (),
) -> Table | None:
    """A table with one row for each group of dialogues; ``None`` if only figures are known.

    ``titles`` are the table's name, its title, and the key of its first column.
    """
    if not evaluation.comparisons:
        return None
    groups: dict[str, list[Comparison]] = {}
    for item in evaluation.comparisons:
        groups.setdefault(group(item), []).append(item)
    rows = []
    for label in order:
        if label in groups:
            found = figures_of(label, groups[label], evaluation.threshold)
            rows.append(
                (
                    Cell(label),
                    count(found.dialogues),
                    percent(found.spending.prompt_savings),
                    percent(found.spending.savings),
                    net_savings(found),
                    percent(found.tokens.negative_rate),
                    score(found.consistency),
                    percent(found.passes.get(1)),
                )
            )
    name, title, key = titles
    columns = [
        (key, key),
        ("dialogues", "dialogues"),
        ("prompt_savings", "prompt"),
        ("token_savings", "tokens"),
        ("net_savings", "net"),
        ("negative_rate", "negative"),
        ("consistency", "consist."),
        ("pass_1", "Pass^1"),
    ]
    return table(name, title, columns, rows, notes)
