"""The tables of the published report: overall, 1 to 4, and A."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pytest_compaction.dialogues.evaluation import Correlation, Evaluation, correlations
from pytest_compaction.dialogues.figures import Figures, spending_of
from pytest_compaction.reports.tables.table import (
    NOT_RECORDED,
    Cell,
    Table,
    count,
    percent,
    score,
    table,
)

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


def by_figure(tasks: Iterable[Figures], figure: Callable[[Figures], float]) -> list[Figures]:
    """Tasks in order of a figure, the highest first; ties by name."""
    return sorted(tasks, key=lambda item: (-figure(item), item.name))


def mean_turns(item: Figures) -> Cell:
    """Mean number of user turns."""
    return Cell(item.turns.mean if item.turns else None, "number", NOT_RECORDED)


def net_savings(item: Figures) -> Cell:
    """Token savings after the making of summaries."""
    return percent(item.spending.net_savings if item.dialogues else None, NOT_RECORDED)


def _with_whole(evaluation: Evaluation, figure: Callable[[Figures], float]) -> list[Figures]:
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
