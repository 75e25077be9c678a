"""Tables that the published report lacks: suitability, turns, summaries in force, strategies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_compaction.dialogues.dialogue import TASKS, BothArms
from pytest_compaction.dialogues.evaluation import Correlation, Evaluation, correlations
from pytest_compaction.dialogues.figures import TaskFigures, figures_of, spending_of
from pytest_compaction.dialogues.measures import outcome
from pytest_compaction.reports.tables.table import (
    NOT_RECORDED,
    Cell,
    Table,
    count,
    percent,
    score,
    table,
)
from pytest_compaction.reports.tables.table_page import (
    WIDTH,
    clipped,
    escaped,
    json_table,
    markdown_table,
    plain_table,
)
from pytest_compaction.text import printable


def plain(evaluations: Sequence[Evaluation], width: int = WIDTH) -> Iterator[str]:
    """The tables as lines of at most ``width`` cells, one evaluation after the other."""
    for number, (title, tables) in enumerate(_blocks(evaluations)):
        if number:
            yield ""
        yield clipped(printable(title, width), width)
        for each in tables:
            yield ""
            yield from plain_table(each, width)


def markdown(evaluations: Sequence[Evaluation]) -> str:
    """The tables as GitHub-flavoured Markdown."""
    parts: list[str] = []
    for title, tables in _blocks(evaluations):
        parts.append(f"# {escaped(printable(title))}")
        for each in tables:
            parts += markdown_table(each)
    return "\n\n".join(parts) + "\n"


def as_json(evaluations: Sequence[Evaluation]) -> str:
    """The tables as JSON with unrounded figures: ``null`` is not recorded or not defined.

    ``{"evaluations": [{"title", "tables": {name: {"title", "rows": [{key: value}],
    "notes"}}}]}``, and ``"strategies"`` beside it when there are several.
    """
    data: dict[str, Any] = {
        "evaluations": [
            {
                "title": item.title,
                "tables": {table.name: json_table(table) for table in tables_of(item)},
            }
            for item in evaluations
        ]
    }
    if len(evaluations) > 1:
        data["strategies"] = json_table(strategies_table(evaluations))
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _blocks(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, Iterable[Table]]]:
    if len(evaluations) > 1:
        yield "Side by side", [strategies_table(evaluations)]
    for item in evaluations:
        yield item.title, tables_of(item)


MANY: Final = 5
"""Dialogues of this many turns or more are counted together."""


def overall_table(evaluation: Evaluation) -> Table:
    """The figures of all dialogues together, one per row."""
    whole = evaluation.whole
    spending = whole.spending
    some = whole.dialogues > 0
    rows = [
        ("dialogues", count(whole.dialogues)),
        ("errors, in no figure", count(evaluation.errors)),
        ("not scored", count(whole.dialogues - whole.scored)),
        ("trials not scored", count(whole.unscored_trials)),
        ("baseline tokens", count(spending.baseline)),
        ("summary arm tokens", count(spending.summary)),
        ("tokens to make summaries", count(spending.generation, NOT_RECORDED)),
        ("token savings", percent(spending.savings if some else None)),
        ("net token savings", net_savings(whole)),
        ("baseline prompt tokens", count(spending.baseline_prompt)),
        ("summary arm prompt tokens", count(spending.summary_prompt)),
        ("prompt savings", percent(spending.prompt_savings if some else None)),
        ("dialogues with negative savings", count(whole.tokens.negative)),
        ("negative rate", percent(whole.tokens.negative_rate)),
        (
            "net negative rate",
            percent(whole.net.negative_rate if whole.net else None, NOT_RECORDED),
        ),
        ("consistency", score(whole.consistency)),
        *((f"Pass^{k}", percent(value)) for k, value in sorted(whole.passes.items())),
        ("retention", score(whole.retention)),
        ("overall (50/30/20)", score(whole.effectiveness)),
    ]
    return table(
        "overall",
        "Overall",
        [("figure", "figure"), ("value", "value")],
        [(Cell(name), cell) for name, cell in rows],
        [
            f"A trial passes at a consistency of {evaluation.threshold:g}. A dialogue with a "
            "trial that could not be scored is not scored.",
            "Net: including the tokens spent on summaries.",
        ],
    )


def efficiency_table(evaluation: Evaluation) -> Table:
    """Table 1: token savings by task, their quartiles over dialogues, and the negative rate."""
    return table(
        "token_efficiency",
        "Table 1: token efficiency by task",
        [
            ("task", "task"),
            ("dialogues", "dialogues"),
            ("prompt_savings", "prompt"),
            ("token_savings", "tokens"),
            ("net_savings", "net"),
            ("p25", "p25"),
            ("p50", "p50"),
            ("p75", "p75"),
            ("negative_rate", "negative"),
        ],
        [
            (
                Cell(item.name),
                count(item.dialogues),
                percent(item.spending.prompt_savings),
                percent(item.spending.savings),
                net_savings(item),
                percent(item.tokens.p25),
                percent(item.tokens.p50),
                percent(item.tokens.p75),
                percent(item.tokens.negative_rate),
            )
            for item in _with_whole(evaluation, lambda part: part.spending.savings)
        ],
        [
            "Savings are ratios of sums; quartiles and negative rate are of token savings over "
            "dialogues.",
            *_lowest(evaluation),
        ],
    )


def quality_table(evaluation: Evaluation) -> Table:
    """Table 2: consistency, Pass^k and retention by task."""
    known = sorted(evaluation.whole.passes)
    rates = [k for k in known if k in {1, known[-1]}]
    return table(
        "quality",
        "Table 2: response quality by task",
        [
            ("task", "task"),
            ("consistency", "consistency"),
            *((f"pass_{k}", f"Pass^{k}") for k in rates),
            ("retention", "retention"),
            ("effectiveness", "50/30/20"),
            ("unscored", "not scored"),
        ],
        [
            (
                Cell(item.name),
                score(item.consistency),
                *(percent(item.passes.get(k)) for k in rates),
                score(item.retention),
                score(item.effectiveness),
                count(item.dialogues - item.scored),
            )
            for item in _with_whole(evaluation, lambda part: part.consistency or 0.0)
        ],
    )


def turns_table(evaluation: Evaluation) -> Table | None:
    """Table 3: the turns of the dialogues of a task; ``None`` if they are not recorded."""
    if not any(item.turns for item in evaluation.tasks):
        return None
    single = any(item.turns and item.turns.share(0, 1) for item in evaluation.tasks)
    numbers = range(1 if single else 2, MANY)
    rows = []
    for item in _with_whole(evaluation, lambda part: (part.turns and part.turns.mean) or 0.0):
        if item.turns is not None:
            shares = [item.turns.share(number, number) for number in numbers]
            shares.append(item.turns.share(MANY))
            rows.append((Cell(item.name), mean_turns(item), *map(percent, shares)))
    return table(
        "turns",
        "Table 3: turn distribution by task",
        [
            ("task", "task"),
            ("mean_turns", "mean turns"),
            *((f"turns_{number}", f"{number}-turn") for number in numbers),
            (f"turns_{MANY}_or_more", f">={MANY}-turn"),
        ],
        rows,
    )


def prompt_table(evaluation: Evaluation) -> Table:
    """Table 4: mean prompt length against prompt savings, with Pearson's correlations."""
    return table(
        "prompt_length",
        "Table 4: prompt length and savings by task",
        [
            ("task", "task"),
            ("mean_prompt", "mean prompt"),
            ("mean_completion", "mean answer"),
            ("mean_turns", "mean turns"),
            ("prompt_savings", "prompt savings"),
        ],
        [
            (
                Cell(item.name),
                count(item.mean_prompt),
                count(item.mean_completion),
                mean_turns(item),
                percent(item.spending.prompt_savings),
            )
            for item in by_figure(evaluation.tasks, lambda part: part.mean_prompt)
        ],
        [_sentence(item) for item in correlations(evaluation)],
    )


def tokens_table(evaluation: Evaluation) -> Table:
    """Table A: tokens of both arms by task, and what the summaries cost."""
    return table(
        "token_distribution",
        "Table A: token distribution by task",
        [
            ("task", "task"),
            ("baseline_prompt", "base prompt"),
            ("baseline_completion", "base answer"),
            ("summary_prompt", "sum. prompt"),
            ("summary_completion", "sum. answer"),
            ("generation", "generation"),
            ("prompt_change", "prompt"),
            ("completion_change", "answer"),
        ],
        [
            (
                Cell(item.name),
                count(item.spending.baseline_prompt),
                count(item.spending.baseline_completion),
                count(item.spending.summary_prompt),
                count(item.spending.summary_completion),
                count(item.spending.generation, NOT_RECORDED),
                Cell(item.spending.prompt_change, "change"),
                Cell(item.spending.completion_change, "change"),
            )
            for item in _with_whole(evaluation, lambda part: part.spending.baseline_prompt)
        ],
        ["Generation: prompt and answer tokens spent on summaries."],
    )


def by_figure(
    tasks: Iterable[TaskFigures], figure: Callable[[TaskFigures], float]
) -> list[TaskFigures]:
    """Tasks in order of a figure, the highest first; ties by name."""
    return sorted(tasks, key=lambda item: (-figure(item), item.name))


def mean_turns(item: TaskFigures) -> Cell:
    """Mean number of user turns."""
    return Cell(item.turns.mean if item.turns else None, "number", NOT_RECORDED)


def net_savings(item: TaskFigures) -> Cell:
    """Token savings after the making of summaries."""
    return percent(item.spending.net_savings if item.dialogues else None, NOT_RECORDED)


def _with_whole(
    evaluation: Evaluation, figure: Callable[[TaskFigures], float]
) -> list[TaskFigures]:
    """Tasks by a figure, and below them all together if there are several."""
    tasks = by_figure(evaluation.tasks, figure)
    return [*tasks, evaluation.whole] if len(tasks) > 1 else tasks


def _sentence(correlation: Correlation) -> str:
    value = "not defined" if correlation.r is None else f"{correlation.r:.2f}"
    return (
        f"Pearson r of prompt savings with {correlation.what}, over {correlation.count} "
        f"{correlation.unit}: {value}."
    )


def _lowest(evaluation: Evaluation) -> Iterator[str]:
    """The dialogue that loses most; one such dialogue can dominate a mean."""
    if evaluation.comparisons:
        value, id = min(
            (spending_of(item).savings, item.dialogue_id) for item in evaluation.comparisons
        )
        yield f"Lowest token savings of one dialogue: {value:.1%} ({id})."


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


def _measured(item: TaskFigures) -> str | None:
    """The outcome of a task's savings; ``None`` if it is not known if a summary was in force."""
    state = item.in_force
    if state is None:
        return None
    if not state.some and not state.unknown:
        return _PAID if state.paid else _NEVER
    return outcome(item.saved) if item.dialogues >= ENOUGH else "too few"


def by_turns_table(evaluation: Evaluation) -> Table | None:
    """Savings and consistency by the number of turns of a dialogue, over all tasks."""

    def turns(item: BothArms) -> str:
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


def _state(comparison: BothArms) -> str:
    if comparison.summarised is None:
        return _UNKNOWN[0] if comparison.shrank else _UNKNOWN[1]
    if comparison.summarised:
        return _SOME
    return _PAID if comparison.paid else _NEVER


def _apart(
    evaluation: Evaluation,
    titles: tuple[str, str, str],
    group: Callable[[BothArms], str],
    order: Sequence[str],
    notes: Sequence[str] = (),
) -> Table | None:
    """A table with one row for each group of dialogues; ``None`` if only figures are known.

    ``titles`` are the table's name, its title, and the key of its first column.
    """
    if not evaluation.comparisons:
        return None
    groups: dict[str, list[BothArms]] = {}
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
