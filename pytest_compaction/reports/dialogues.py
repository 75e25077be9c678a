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
    correlations,
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
    NOT_RECORDED,
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

MANY: Final = 5
"""Dialogues of this many turns or more are counted together."""
ENOUGH: Final = 10
"""The fewest dialogues for which the interval of a task's savings is trusted."""
_SOME: Final = "a summary in force"
_NEVER: Final = "never in force"
_PAID: Final = "paid, never in force"
_UNKNOWN: Final = ("unknown, a prompt shrank", "unknown, no prompt shrank")
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


def _net(item: TaskFigures) -> Cell:
    net = item.spending.net_savings if item.dialogues else None
    return Cell(net, "percent", NOT_RECORDED)


def _turns(item: TaskFigures) -> Cell:
    return Cell(item.turns.mean, "number", NOT_RECORDED)


def _pass(k: int) -> Callable[[TaskFigures], Cell]:
    return lambda item: Cell(item.passes.get(k), "percent")


_TASK: Final[Column] = ("task", "task", of("name", "text"))
_DIALOGUES: Final[Column] = ("dialogues", "dialogues", of("dialogues", "count"))
_PROMPT: Final[Column] = ("prompt_savings", "prompt", of("spending.prompt_savings", "percent"))
_TOKENS: Final[Column] = ("token_savings", "tokens", of("spending.savings", "percent"))
_NET: Final[Column] = ("net_savings", "net", _net)
_NEGATIVE: Final[Column] = ("negative_rate", "negative", of("tokens.negative_rate", "percent"))
_CONSISTENCY: Final = of("consistency", "score")


def _by(
    evaluation: Evaluation, figure: Callable[[TaskFigures], float], whole: bool = True
) -> list[TaskFigures]:
    """Tasks by a figure, the highest first, and below them all together if there are several."""
    tasks = sorted(evaluation.tasks, key=lambda item: (-figure(item), item.name))
    return [*tasks, evaluation.whole] if whole and len(tasks) > 1 else tasks


# The tables of one evaluation


def tables_of(evaluation: Evaluation) -> tuple[Table, ...]:
    """All tables for which the evaluation has data; only the overall one without dialogues."""
    if not evaluation.whole.dialogues:
        return (_overall(evaluation),)
    return (
        _overall(evaluation),
        _in_force(evaluation),
        suitability_table(evaluation),
        _by_turns(evaluation),
        _efficiency(evaluation),
        _quality(evaluation),
        _turn_distribution(evaluation),
        _prompt_length(evaluation),
        _token_distribution(evaluation),
    )


def _overall(evaluation: Evaluation) -> Table:
    whole = evaluation.whole
    spending = whole.spending
    some = whole.dialogues > 0
    net_rate = whole.net.negative_rate if whole.net else None
    rows = {
        "dialogues": count(whole.dialogues),
        "errors, in no figure": count(evaluation.errors),
        "not scored": count(whole.dialogues - whole.scored),
        "trials not scored": count(whole.unscored_trials),
        "baseline tokens": count(spending.baseline),
        "summary arm tokens": count(spending.summary),
        "tokens to make summaries": count(spending.generation, NOT_RECORDED),
        "token savings": Cell(spending.savings if some else None, "percent"),
        "net token savings": _net(whole),
        "baseline prompt tokens": count(spending.baseline_prompt),
        "summary arm prompt tokens": count(spending.summary_prompt),
        "prompt savings": Cell(spending.prompt_savings if some else None, "percent"),
        "dialogues with negative savings": count(whole.tokens.negative),
        "negative rate": Cell(whole.tokens.negative_rate, "percent"),
        "net negative rate": Cell(net_rate, "percent", NOT_RECORDED),
        "consistency": Cell(whole.consistency, "score"),
        **{f"Pass^{k}": Cell(value, "percent") for k, value in sorted(whole.passes.items())},
        "retention": Cell(whole.retention, "score"),
        "overall (50/30/20)": Cell(whole.effectiveness, "score"),
        "net overall (50/30/20)": Cell(whole.net_effectiveness, "score", NOT_RECORDED),
    }
    notes = (
        f"A trial passes at a consistency of {evaluation.threshold:g}. A dialogue with a trial "
        "that could not be scored is not scored.",
        "Net: including the tokens spent on summaries.",
    )
    heads = [("figure", "figure"), ("value", "value")]
    return table("overall", "Overall", heads, ((Cell(n), c) for n, c in rows.items()), notes)


def _efficiency(evaluation: Evaluation) -> Table:
    """Table 1: token savings by task, their quartiles over dialogues, and the negative rate."""
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
    title = "Table 1: token efficiency by task"
    return table_of("token_efficiency", title, columns, rows, notes)


def _quality(evaluation: Evaluation) -> Table:
    """Table 2: consistency, Pass^k and retention by task."""
    known = sorted(evaluation.whole.passes)
    columns: Columns[TaskFigures] = (
        _TASK,
        ("consistency", "consistency", _CONSISTENCY),
        *((f"pass_{k}", f"Pass^{k}", _pass(k)) for k in known if k in {1, known[-1]}),
        ("retention", "retention", of("retention", "score")),
        ("effectiveness", "50/30/20", of("effectiveness", "score")),
        ("net_effectiveness", "net", of("net_effectiveness", "score", NOT_RECORDED)),
        ("unscored", "not scored", lambda item: count(item.dialogues - item.scored)),
    )
    rows = _by(evaluation, lambda item: item.consistency or 0.0)
    notes = ["Net: 50/30/20 with the savings that are left after the tokens spent on summaries."]
    return table_of("quality", "Table 2: response quality by task", columns, rows, notes)


def _turn_distribution(evaluation: Evaluation) -> Table:
    """Table 3: the turns of the dialogues of a task."""

    def share(low: int, high: int | None = None) -> Callable[[TaskFigures], Cell]:
        return lambda item: Cell(item.turns.share(low, high), "percent")

    single = any(item.turns.share(0, 1) for item in evaluation.tasks)
    columns: Columns[TaskFigures] = (
        _TASK,
        ("mean_turns", "mean turns", _turns),
        *((f"turns_{n}", f"{n}-turn", share(n, n)) for n in range(1 if single else 2, MANY)),
        (f"turns_{MANY}_or_more", f">={MANY}-turn", share(MANY)),
    )
    rows = _by(evaluation, lambda item: item.turns.mean or 0.0)
    return table_of("turns", "Table 3: turn distribution by task", columns, rows)


def _prompt_length(evaluation: Evaluation) -> Table:
    """Table 4: mean prompt length against prompt savings, with Pearson's correlations."""
    columns: Columns[TaskFigures] = (
        _TASK,
        ("mean_prompt", "mean prompt", of("mean_prompt", "count")),
        ("mean_completion", "mean answer", of("mean_completion", "count")),
        ("mean_turns", "mean turns", _turns),
        (_PROMPT[0], "prompt savings", _PROMPT[2]),
    )
    notes = [
        f"Pearson r of prompt savings with {each.what}, over {each.count} {each.unit}: "
        f"{'not defined' if each.r is None else f'{each.r:.2f}'}."
        for each in correlations(evaluation)
    ]
    rows = _by(evaluation, lambda item: item.mean_prompt, whole=False)
    title = "Table 4: prompt length and savings by task"
    return table_of("prompt_length", title, columns, rows, notes)


def _token_distribution(evaluation: Evaluation) -> Table:
    """Table A: tokens of both arms by task, and what the summaries cost."""
    columns: Columns[TaskFigures] = (
        _TASK,
        ("baseline_prompt", "base prompt", of("spending.baseline_prompt", "count")),
        ("baseline_completion", "base answer", of("spending.baseline_completion", "count")),
        ("summary_prompt", "sum. prompt", of("spending.summary_prompt", "count")),
        ("summary_completion", "sum. answer", of("spending.summary_completion", "count")),
        ("generation", "generation", of("spending.generation", "count", NOT_RECORDED)),
        ("prompt_change", "prompt", of("spending.prompt_change", "change")),
        ("completion_change", "answer", of("spending.completion_change", "change")),
    )
    rows = _by(evaluation, lambda item: item.spending.baseline_prompt)
    notes = ["Generation: prompt and answer tokens spent on summaries."]
    title = "Table A: token distribution by task"
    return table_of("token_distribution", title, columns, rows, notes)


def suitability_table(evaluation: Evaluation) -> Table:
    columns: Columns[TaskFigures] = (
        _TASK,
        ("mean_turns", "turns", _turns),
        ("mean_prompt", "prompt", of("mean_prompt", "count")),
        ("class", "class", of("suitability", "text", NOT_RECORDED)),
        _TOKENS,
        _NET,
        ("measured", "measured", lambda item: Cell(_measured(item))),
        ("consistency", "consist.", _CONSISTENCY),
    )
    notes = [
        "The class is the published rule, which looks only at mean turns and mean prompt tokens: "
        "recommended with 4 or more turns and more than 2,000 tokens, not recommended with 2 or "
        "fewer turns or fewer than 1,000 tokens, otherwise conditional. The publication places CM, "
        "GR and TS by eye, against this rule.",
        "Measured: saves or costs if the 95 % interval of the mean tokens saved per dialogue lies "
        "on one side of 0, including the cost of summaries if that is recorded; too few: fewer "
        f"than {ENOUGH} dialogues.",
    ]
    known = [f"{item.name} {TASKS[item.name]}" for item in evaluation.tasks if item.name in TASKS]
    notes += [f"{', '.join(known)}."] if known else []
    rows = _by(evaluation, lambda item: item.spending.savings, whole=False)
    return table_of("suitability", "Suitability by task", columns, rows, notes)


def _measured(item: TaskFigures) -> str | None:
    """The outcome of a task's savings."""
    state = item.in_force
    if not state.some and not state.unknown:
        return _PAID if state.paid else _NEVER
    return outcome(item.saved) if item.dialogues >= ENOUGH else "too few"


def _by_turns(evaluation: Evaluation) -> Table:
    """Savings and consistency by the number of turns of a dialogue, over all tasks."""
    many = f">={MANY}"
    order = [*map(str, range(MANY)), many]
    titles = ("by_turns", "By number of turns", "turns")
    return _apart(evaluation, titles, lambda c: many if c.turns >= MANY else str(c.turns), order)


def _in_force(evaluation: Evaluation) -> Table:
    """Dialogues whose prompts held a summary, apart from those whose prompts never did."""

    def state(comparison: BothArms) -> str:
        if comparison.summarised is None:
            return _UNKNOWN[0] if comparison.shrank else _UNKNOWN[1]
        if comparison.summarised:
            return _SOME
        return _PAID if comparison.paid else _NEVER

    said = {
        "If no summary was ever in force, both arms had the same prompts, and any difference "
        "between their answers is noise.": {_NEVER, _PAID},
        "Paid, never in force: summaries were requested but none could be used; their cost is in "
        "net.": {_PAID},
        "Unknown: the data does not record summaries; a prompt that is smaller than the previous "
        "one suggests one.": set(_UNKNOWN),
    }
    there = set(map(state, evaluation.comparisons))
    notes = [note for note, states in said.items() if states & there]
    titles = ("in_force", "Summaries in force", "summary")
    return _apart(evaluation, titles, state, (_SOME, _PAID, _NEVER, *_UNKNOWN), notes)


def _apart(
    evaluation: Evaluation,
    titles: tuple[str, str, str],
    group: Callable[[BothArms], str],
    order: Sequence[str],
    notes: Sequence[str] = (),
) -> Table:
    groups: dict[str, list[BothArms]] = {}
    for each in evaluation.comparisons:
        groups.setdefault(group(each), []).append(each)
    name, title, key = titles
    columns: Columns[TaskFigures] = (
        (key, key, _TASK[2]),
        *(_DIALOGUES, _PROMPT, _TOKENS, _NET, _NEGATIVE),
        ("consistency", "consist.", _CONSISTENCY),
        ("pass_1", "Pass^1", _pass(1)),
    )
    rows = [
        figures_of(label, groups[label], evaluation.threshold) for label in order if label in groups
    ]
    return table_of(name, title, columns, rows, notes)


def strategies_of(evaluations: Sequence[Evaluation]) -> Table:
    over = any(each.over_budget for each in evaluations)

    def some(whole: TaskFigures) -> Cell:
        return count(None if whole.in_force.unknown else whole.in_force.some, NOT_RECORDED)

    def saved(column: Column) -> Column:
        key, head, cell = column
        return key, head, lambda whole: cell(whole) if whole.dialogues else Cell(None, "percent")

    columns = (
        _DIALOGUES,
        ("in_force", "in force", some),
        *map(saved, (_PROMPT, _TOKENS)),
        _NET,
        ("consistency", "consist.", _CONSISTENCY),
        ("pass_1", "Pass^1", _pass(1)),
        ("retention", "retent.", of("retention", "score")),
    )
    heads = [("strategy", "strategy"), *((key, head) for key, head, _ in columns)]
    rows = [[Cell(e.title), *(make(e.whole) for *_, make in columns)] for e in evaluations]
    if over:
        heads.insert(2, ("over_budget", "over"))
        for row, each in zip(rows, evaluations, strict=True):
            row.insert(2, count(each.over_budget))
    note = (
        "Over: dialogues with a turn that was answered from a view over its budget. Their "
        "consistency cannot be compared."
    )
    return table("strategies", "Strategies", heads, rows, [note] if over else [])


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
    counted = ", ".join(
        f"{statuses[status]} {status}"
        for status in ("passed", "failed", "unscored", "error")
        if statuses[status] or status in {"passed", "failed"}
    )
    yield Line(f"{printable(name, 40)}: {len(records)} dialogues, {counted}", "bold")
    later = sum(went_wrong_later(record) for record in records)
    if later:
        yield Line(f"  broken later {later}; went wrong after the comparison, which counts", "bad")
    histories = sorted({record["history"] for record in records if record["history"]})
    if histories:
        yield Line(f"  history      {' and '.join(histories)} answers in both arms")
    steps: Counter[str] = Counter()
    for record in records:
        steps.update(record["compaction"].get("steps", {}))
    done = ", ".join(f"{steps[status]} {status}" for status in sorted(steps))
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
    failed = [  # one that failed for its views alone has a consistency that is no reason
        r
        for r in records
        if r["status"] == "failed"
        and (tokens_over(r) is None or (r["consistency"] or 0) < r["pass_at"])
    ]
    failed.sort(key=lambda record: (record["consistency"], record["case"]))
    if failed:
        lowest = ", ".join(f"{r['case']} {r['consistency']:.2f}" for r in failed[:_LOWEST])
        yield Line(f"  lowest       {printable(lowest, WIDTH - 15)}")
