"""Runs of dialogues: their tables, and the summary of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_compaction.dialogues import (
    TASKS,
    BothArms,
    Evaluation,
    TaskFigures,
    evaluations_of_records,
    figures_of,
    outcome,
    pass_at,
    spending_of,
)
from pytest_compaction.metrics import by_arm, times, tokens_over
from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports.lines import WIDTH, Line, clipped, wrapped
from pytest_compaction.reports.table import (
    TABLE_WIDTH,
    Cell,
    Columns,
    Table,
    count,
    escaped,
    json_table,
    markdown_table,
    of,
    plain_table,
    table,
    table_of,
)
from pytest_compaction.text import printable

ENOUGH: Final = 10
"""The fewest dialogues for which the interval of a task's savings is trusted."""
_SOME: Final = "a summary in force"
_NEVER: Final = "never in force"
_PAID: Final = "paid, never in force"
_LOWEST: Final = 3
Column = tuple[str, str, Callable[[TaskFigures], Cell]]


def dialogue_text(evaluations: Sequence[Evaluation], width: int = TABLE_WIDTH) -> Iterator[str]:
    """The tables as lines of at most ``width`` cells, one evaluation after the other."""
    for number, (title, tables) in enumerate(_blocks(evaluations)):
        if number:
            yield ""
        yield clipped(printable(title, width), width)
        for each in tables:
            yield ""
            yield from plain_table(each, width)


def dialogue_markdown(evaluations: Sequence[Evaluation]) -> str:
    parts: list[str] = []
    for title, tables in _blocks(evaluations):
        parts.append(f"# {escaped(printable(title))}")
        for each in tables:
            parts += markdown_table(each)
    return "\n\n".join(parts) + "\n"


def dialogue_json(evaluations: Sequence[Evaluation]) -> str:
    """The tables as JSON with unrounded figures: ``null`` is not recorded or not defined."""
    data: dict[str, Any] = {
        "evaluations": [
            {"title": each.title, "tables": {t.name: json_table(t) for t in tables_of(each)}}
            for each in evaluations
        ]
    }
    if len(evaluations) > 1:
        data["strategies"] = json_table(strategies_of(evaluations))
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _blocks(evaluations: Sequence[Evaluation]) -> Iterator[tuple[str, Iterable[Table]]]:
    if len(evaluations) > 1:
        yield "Side by side", [strategies_of(evaluations)]
    for each in evaluations:
        yield each.title, tables_of(each)


# The figures of some dialogues, as columns


def _pass(k: int) -> Callable[[TaskFigures], Cell]:
    return lambda item: Cell(item.passes.get(k), "percent")


_TASK: Final[Column] = ("task", "task", of("name", "text"))
_DIALOGUES: Final[Column] = ("dialogues", "dialogues", of("dialogues", "count"))
_PROMPT: Final[Column] = ("prompt_savings", "prompt", of("spending.prompt_savings", "percent"))
_TOKENS: Final[Column] = ("token_savings", "tokens", of("spending.savings", "percent"))
_NET: Final[Column] = ("net_savings", "net", of("spending.net_savings", "percent"))
_NEGATIVE: Final[Column] = ("negative_rate", "negative", of("tokens.negative_rate", "percent"))
_CONSISTENCY: Final = of("consistency", "score")


def _by(evaluation: Evaluation, figure: Callable[[TaskFigures], float]) -> list[TaskFigures]:
    """Tasks by a figure, the highest first, and below them all together if there are several."""
    tasks = sorted(evaluation.tasks, key=lambda item: (-figure(item), item.name))
    return [*tasks, evaluation.whole] if len(tasks) > 1 else tasks


# The tables of one evaluation


def tables_of(evaluation: Evaluation) -> tuple[Table, ...]:
    """All tables for which the evaluation has data; only the overall one without dialogues."""
    make = (_overall, _in_force, suitability_table, _efficiency, _quality)
    return tuple(each(evaluation) for each in make[: None if evaluation.whole.dialogues else 1])


def _overall(evaluation: Evaluation) -> Table:
    whole = evaluation.whole
    spending = whole.spending
    some = whole.dialogues > 0
    rows = {
        "dialogues": count(whole.dialogues),
        "errors, in no figure": count(evaluation.errors),
        "not scored": count(whole.dialogues - whole.scored),
        "trials not scored": count(whole.unscored_trials),
        "baseline tokens": count(spending.baseline),
        "summary arm tokens": count(spending.summary),
        "tokens to make summaries": count(spending.generation),
        "token savings": Cell(spending.savings if some else None, "percent"),
        "net token savings": Cell(spending.net_savings if some else None, "percent"),
        "baseline prompt tokens": count(spending.baseline_prompt),
        "summary arm prompt tokens": count(spending.summary_prompt),
        "prompt savings": Cell(spending.prompt_savings if some else None, "percent"),
        "dialogues with negative savings": count(whole.tokens.negative),
        "negative rate": Cell(whole.tokens.negative_rate, "percent"),
        "net negative rate": Cell(whole.net.negative_rate, "percent"),
        "consistency": Cell(whole.consistency, "score"),
        **{f"Pass^{k}": Cell(value, "percent") for k, value in sorted(whole.passes.items())},
        "retention": Cell(whole.retention, "score"),
        "overall (50/30/20)": Cell(whole.effectiveness, "score"),
        "net overall (50/30/20)": Cell(whole.net_effectiveness, "score"),
    }
    notes = (
        f"A trial passes at a consistency of {evaluation.threshold:g}. A dialogue with a trial "
        "that could not be scored is not scored.",
        "Net: including the tokens spent on summaries.",
    )
    heads = [("figure", "figure"), ("value", "value")]
    return table("overall", "Overall", heads, ((Cell(n), c) for n, c in rows.items()), notes)


def _efficiency(evaluation: Evaluation) -> Table:
    """Token savings by task, their quartiles over dialogues, and the negative rate."""
    quartiles = [(name, name, of(f"tokens.{name}", "percent")) for name in ("p25", "p50", "p75")]
    columns = (_TASK, _DIALOGUES, _PROMPT, _TOKENS, _NET, *quartiles, _NEGATIVE)
    # One such dialogue can dominate a mean.
    least = min((spending_of(c).savings, c.dialogue_id) for c in evaluation.comparisons)
    notes = [
        "Savings are ratios of sums; quartiles and negative rate are of token savings over "
        "dialogues.",
        f"Lowest token savings of one dialogue: {least[0]:.1%} ({least[1]}).",
    ]
    rows = _by(evaluation, lambda item: item.spending.savings)
    return table_of("token_efficiency", "Token efficiency by task", columns, rows, notes)


def _quality(evaluation: Evaluation) -> Table:
    known = sorted(evaluation.whole.passes)
    columns: Columns[TaskFigures] = (
        _TASK,
        ("consistency", "consistency", _CONSISTENCY),
        *((f"pass_{k}", f"Pass^{k}", _pass(k)) for k in known if k in {1, known[-1]}),
        ("retention", "retention", of("retention", "score")),
        ("effectiveness", "50/30/20", of("effectiveness", "score")),
        ("net_effectiveness", "net", of("net_effectiveness", "score")),
        ("unscored", "not scored", lambda item: count(item.dialogues - item.scored)),
    )
    rows = _by(evaluation, lambda item: item.consistency or 0.0)
    notes = ["Net: 50/30/20 with the savings that are left after the tokens spent on summaries."]
    return table_of("quality", "Response quality by task", columns, rows, notes)


def suitability_table(evaluation: Evaluation) -> Table:
    def measured(item: TaskFigures) -> Cell:
        if not item.in_force:
            return Cell(_PAID if item.paid else _NEVER)
        return Cell(outcome(item.saved) if item.dialogues >= ENOUGH else "too few")

    columns: Columns[TaskFigures] = (
        _TASK,
        ("mean_turns", "turns", of("turns", "number")),
        ("mean_prompt", "prompt", of("mean_prompt", "count")),
        ("class", "class", of("suitability", "text")),
        _TOKENS,
        _NET,
        ("measured", "measured", measured),
        ("consistency", "consist.", _CONSISTENCY),
    )
    notes = [
        "The class is the published rule, which looks only at mean turns and mean prompt tokens: "
        "recommended with 4 or more turns and more than 2,000 tokens, not recommended with 2 or "
        "fewer turns or fewer than 1,000 tokens, otherwise conditional. The publication places CM, "
        "GR and TS by eye, against this rule.",
        "Measured: saves or costs if the 95 % interval of the mean tokens saved per dialogue lies "
        "on one side of 0, including the cost of summaries; too few: fewer "
        f"than {ENOUGH} dialogues.",
    ]
    known = [f"{item.name} {TASKS[item.name]}" for item in evaluation.tasks if item.name in TASKS]
    notes += [f"{', '.join(known)}."] if known else []
    rows = sorted(evaluation.tasks, key=lambda item: (-item.spending.savings, item.name))
    return table_of("suitability", "Suitability by task", columns, rows, notes)


def _in_force(evaluation: Evaluation) -> Table:
    """Dialogues whose prompts held a summary, apart from those whose prompts never did."""
    groups: dict[str, list[BothArms]] = {_SOME: [], _PAID: [], _NEVER: []}
    for each in evaluation.comparisons:
        groups[_SOME if each.summarised else _PAID if each.paid else _NEVER].append(each)
    notes = []
    if groups[_PAID] or groups[_NEVER]:
        notes.append(
            "If no summary was ever in force, both arms had the same prompts, and any difference "
            "between their answers is noise."
        )
    if groups[_PAID]:
        notes.append(
            "Paid, never in force: summaries were requested but none could be used; their cost is "
            "in net."
        )
    columns: Columns[TaskFigures] = (
        ("summary", "summary", _TASK[2]),
        *(_DIALOGUES, _PROMPT, _TOKENS, _NET, _NEGATIVE),
        ("consistency", "consist.", _CONSISTENCY),
        ("pass_1", "Pass^1", _pass(1)),
    )
    rows = [
        figures_of(name, group, evaluation.threshold) for name, group in groups.items() if group
    ]
    return table_of("in_force", "Summaries in force", columns, rows, notes)


def strategies_of(evaluations: Sequence[Evaluation]) -> Table:
    def saved(column: Column) -> Column:
        key, head, cell = column
        return key, head, lambda whole: cell(whole) if whole.dialogues else Cell(None, "percent")

    columns = (
        _DIALOGUES,
        ("in_force", "in force", of("in_force", "count")),
        *map(saved, (_PROMPT, _TOKENS, _NET)),
        ("consistency", "consist.", _CONSISTENCY),
        ("pass_1", "Pass^1", _pass(1)),
        ("retention", "retent.", of("retention", "score")),
    )
    heads = [("strategy", "strategy"), *((key, head) for key, head, _ in columns)]
    rows = [[Cell(e.title), *(make(e.whole) for *_, make in columns)] for e in evaluations]
    if not any(each.over_budget for each in evaluations):
        return table("strategies", "Strategies", heads, rows)
    note = (
        "Over: dialogues with a turn that was answered from a view over its budget. Their "
        "consistency cannot be compared."
    )
    heads.insert(2, ("over_budget", "over"))
    for row, each in zip(rows, evaluations, strict=True):
        row.insert(2, count(each.over_budget))
    return table("strategies", "Strategies", heads, rows, [note])


# The summary of a run


def dialogue_summary(records: Sequence[Record], order: Sequence[str]) -> Iterator[Line]:
    """The tables of all strategies, then the outcomes of each strategy's dialogues."""
    groups = by_arm(records)
    names = list(dict.fromkeys([*(name for name in order if name in groups), *groups]))
    ordered = [record for name in names for record in groups[name]]
    for text in dialogue_text(evaluations_of_records(ordered, pass_at(ordered)), WIDTH):
        yield Line(text)
    for name in names:
        yield Line("")
        yield from _outcome(name, groups[name])


def _outcome(name: str, records: Sequence[Record]) -> Iterator[Line]:
    statuses = Counter(record["status"] for record in records)
    shown = {"passed": 0, "failed": 0} | statuses
    counted = ", ".join(f"{number} {status}" for status, number in shown.items())
    yield Line(f"{printable(name, 40)}: {len(records)} dialogues, {counted}", "bold")
    if later := sum(went_wrong_later(record) for record in records):
        yield Line(f"  broken later {later}; went wrong after the comparison, which counts", "bad")
    histories = sorted({record["history"] for record in records if record["history"]})
    if histories:
        yield Line(f"  history      {' and '.join(histories)} answers in both arms")
    steps: Counter[str] = Counter()
    for record in records:
        steps.update(record["compaction"].get("steps", {}))
    done = ", ".join(f"{number} {status}" for status, number in sorted(steps.items()))
    yield Line(f"  compactions  {done or 'none took place'}")
    over = [tokens for record in records if (tokens := tokens_over(record)) is not None]
    if over:
        most = times(max(view / budget for view, budget in over))
        said = f"{len(over)} of {len(records)} dialogues have a view over budget, up to {most} it"
        yield Line(f"  over budget  {said}", "bad")
    reasons = Counter(r["reason"] for r in records if r["status"] in {"unscored", "error"})
    for reason, number in reasons.most_common(_LOWEST):
        said = f"without score ({number}): {printable(reason, 300)}"
        yield from wrapped(said, "bad", "  ", hanging="")
    failed = sorted(  # one that failed for its views alone has a consistency that is no reason
        (r["consistency"] or 0.0, r["case"])
        for r in records
        if r["status"] == "failed"
        and (tokens_over(r) is None or (r["consistency"] or 0) < r["pass_at"])
    )
    if failed:
        lowest = ", ".join(f"{case} {consistency:.2f}" for consistency, case in failed[:_LOWEST])
        yield Line(f"  lowest       {printable(lowest, WIDTH - 15)}")
