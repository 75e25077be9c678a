"""Tables beside the published ones: suitability, by turns, summaries in force, strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_compaction.dialogues.dialogue import TASKS, Comparison
from pytest_compaction.dialogues.evaluation import Evaluation
from pytest_compaction.dialogues.figures import Figures, figures_of
from pytest_compaction.metrics.suitability import outcome
from pytest_compaction.reports.dialogue_tables import (
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
from pytest_compaction.reports.table import (
    NOT_RECORDED,
    Cell,
    Table,
    count,
    percent,
    score,
    table,
)

ENOUGH: Final = 10
"""From so many dialogues on the interval of a task's savings is believed."""

_SOME: Final = "a summary in force"
_NEVER: Final = "never in force"
_PAID: Final = "paid, never in force"
_UNKNOWN: Final = ("unknown, a prompt shrank", "unknown, no prompt shrank")


def tables_of(evaluation: Evaluation) -> tuple[Table, ...]:
    """All tables for which the evaluation has the data; none but the overall one of nothing."""
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
    """One row an evaluation: strategies beside one another."""
    rows = []
    for item in evaluations:
        whole = item.whole
        known = whole.in_force is not None and not whole.in_force.unknown
        rows.append(
            (
                Cell(item.title),
                count(whole.dialogues),
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
            ("in_force", "in force"),
            ("prompt_savings", "prompt"),
            ("token_savings", "tokens"),
            ("net_savings", "net"),
            ("consistency", "consist."),
            ("pass_1", "Pass^1"),
            ("retention", "retent."),
        ],
        rows,
    )


def suitability_table(evaluation: Evaluation) -> Table:
    """Classes by turns and prompt length, beside what was measured."""
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
            "The class is the published rule and looks at mean turns and mean prompt tokens alone: "
            "recommended from 4 turns on with more than 2,000 tokens, not recommended up to 2 "
            "turns or below 1,000 tokens, conditional between.",
            "Measured: saves or costs where the 95 % interval of the mean tokens saved a dialogue "
            "lies on one side of 0, summaries paid where that is recorded; too few below "
            f"{ENOUGH} dialogues.",
            *_names(evaluation),
        ],
    )


def _names(evaluation: Evaluation) -> Iterator[str]:
    """What the task codes mean, of those that have a name."""
    known = [f"{item.name} {TASKS[item.name]}" for item in evaluation.tasks if item.name in TASKS]
    if known:
        yield f"{', '.join(known)}."


def _measured(item: Figures) -> str | None:
    """What the figures of a task say of its savings; ``None`` where they cannot."""
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
    """Dialogues in which a summary stood in some prompt, apart from those where none ever did."""
    states = {_state(item) for item in evaluation.comparisons}
    notes = []
    if states & {_NEVER, _PAID}:
        notes.append(
            "Where no summary was ever in force both arms had the same prompts, and what their "
            "answers differ in is noise."
        )
    if _PAID in states:
        notes.append(
            "Paid, never in force: summaries were asked for and none could be used; what they "
            "cost is in net."
        )
    if states & set(_UNKNOWN):
        notes.append(
            "Unknown: the data does not record summaries; a prompt that is smaller than the one "
            "before is evidence of one."
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
    """A table with one row a group of dialogues; absent where only figures are known.

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
