"""Several strategies in one table, ranked, and a few lines about each of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import Aggregate, aggregate
from pytest_compaction.metrics.intervals import interval_method
from pytest_compaction.metrics.nulls import best_null, is_null
from pytest_compaction.metrics.same_views import with_same_views
from pytest_compaction.records.record import Record, went_wrong_later
from pytest_compaction.reports.constraints import compliance_lines, short_constraints
from pytest_compaction.reports.lines import WIDTH, Line, Style
from pytest_compaction.reports.outcomes import (
    counted_outcomes,
    null_line,
    reading_line,
    unscored_because,
)
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL
from pytest_compaction.text.words import printable

_NAME_WIDTH: Final = (15, 19)
_FIGURES_WIDTH: Final = 60
"""Characters of a row beside the name."""
_SHORT: Final = {
    "accuracy": "accur",
    "context": "contx",
    "artifact": "artif",
    "continuity": "conti",
    "completeness": "compl",
    "instruction": "instr",
}


def comparison(groups: Mapping[str, Sequence[Record]], grouped: bool) -> Iterator[Line]:
    """The strategies of a run, the best first; below a rule those with views over the budget.

    The control stands below the rule too. With ``grouped``, strategies with the same views
    share a row: what the summariser did not read cannot make a difference.
    """
    rows = with_same_views(groups) if grouped else [[name] for name in groups]
    figures = [aggregate(names[0], groups[names[0]]) for names in rows]
    width = max(_NAME_WIDTH[0], min(max(len(item.compactor) for item in figures), _NAME_WIDTH[1]))
    yield reading_line(figures[0])
    head = f"{'compactor':<{width}} {'overall':>7}"
    head += "".join(f"{_SHORT[name]:>6}" for name in DIMENSIONS)
    yield Line(f"{head} {'pass^1':>7}{'tokens':>8}", "dim")
    yield from _ranked_rows(figures, width)
    for names in rows:
        if len(names) > 1:
            yield from _wrapped(f"same views, one row: {', '.join(names)}", "dim")
    nulls = sorted(item.compactor for item in figures if is_null(item.compactor))
    if nulls:
        yield from _wrapped(f"nulls, with no idea behind them: {', '.join(nulls)}", "dim")
    compared = [best_null(groups[item.compactor]) for item in figures]
    cases = max((found.difference.cases for found in compared if found is not None), default=0)
    if cases > 1:
        yield Line(f"intervals: {interval_method(cases)}", "dim")
    yield Line("")
    for item in figures:
        yield from _about(item, groups[item.compactor], groups.get(CONTROL, ()))


def _wrapped(text: str, style: Style) -> Iterator[Line]:
    for line in textwrap.wrap(printable(text), WIDTH, subsequent_indent="  "):
        yield Line(line, style)


def _ranked_rows(figures: Sequence[Aggregate], width: int) -> Iterator[Line]:
    """The rows by overall score; those that do not compete stand below a rule."""
    ranked = sorted(figures, key=_rank)
    inside = [item for item in ranked if _competes(item)]
    outside = [item for item in ranked if not _competes(item)]
    best = _best(inside)
    for item in inside:
        yield Line(_row(item, width, best))
    if outside:
        yield Line("-" * (width + _FIGURES_WIDTH), "dim")
        for item in outside:
            yield Line(_row(item, width, {}))
    note = "* best of those within the budget; tokens: mean of the views"
    yield Line(note, "dim")
    if any(item.over_budget and item.compactor != CONTROL for item in outside):
        yield Line("below the rule: views over the budget of their case, ranked apart", "dim")


def _rank(item: Aggregate) -> tuple[float, str]:
    return -(item.overall.value if item.overall else -1.0), item.compactor


def _competes(item: Aggregate) -> bool:
    """Whether a row can be the best; the control and strategies over budget keep too much."""
    return item.compactor != CONTROL and not item.over_budget


def _best(figures: Sequence[Aggregate]) -> dict[str, float]:
    """The best value of each column."""
    best: dict[str, float] = {}
    for item in figures:
        for name, value in _figures_of(item).items():
            best[name] = max(best.get(name, value), value)
    return best


def _figures_of(item: Aggregate) -> dict[str, float]:
    values = {name: mean.value for name, mean in item.dimensions.items()}
    if item.overall:
        values["overall"] = item.overall.value
    if 1 in item.passes:
        values["pass"] = item.passes[1]
    return values


def _row(item: Aggregate, width: int, best: Mapping[str, float]) -> str:
    values = _figures_of(item)

    def cell(name: str, size: int, form: str) -> str:
        if name not in values:
            return f"{'-':>{size}}"
        mark = "*" if values[name] == best.get(name) else ""
        return f"{format(values[name], form) + mark:>{size}}"

    line = f"{printable(item.compactor, width):<{width}} {cell('overall', 7, '.2f')}"
    line += "".join(cell(name, 6, ".2f") for name in DIMENSIONS)
    tokens = "-" if item.view_tokens is None else f"{item.view_tokens:,.0f}"
    return f"{line} {cell('pass', 7, '.0%')}{tokens:>8}"


def _about(item: Aggregate, records: Sequence[Record], control: Sequence[Record]) -> Iterator[Line]:
    """What was lost, choices, the comparison with the nulls, and what went wrong."""
    losses = item.losses
    text = f"{printable(item.compactor, 20)}: {counted_outcomes(losses)}"
    yield Line(printable(text, WIDTH))
    second = ""
    if item.second is not None:
        name = "answers" if item.reading == "view" else "survival"
        second = f", {name} {item.second.value:.2f}"
    kept = short_constraints(records)
    yield Line(f"  {losses.hit} of {losses.traps} traps hit, {losses.unused} unused{second}{kept}")
    yield from compliance_lines(records, control)
    compared = null_line(records, "  ")
    if compared is not None:
        yield compared
    for line in textwrap.wrap("; ".join(_trouble(item, records)), WIDTH - 2):
        yield Line(f"  {line}", "bad")
    yield from unscored_because(records, 1)


def _trouble(item: Aggregate, records: Sequence[Record]) -> list[str]:
    found = _without_score(item)
    later = sum(went_wrong_later(record) for record in records)
    if later:
        found.append(f"{later} went wrong after the verdict, which counts")
    if item.compactor != CONTROL:
        if item.steps.get("noop"):
            found.append(f"{item.steps['noop']} compactions did nothing")
        if item.steps.get("failed"):
            found.append(f"{item.steps['failed']} compactions failed")
        if item.over_budget:
            found.append(f"{item.over_budget} cases over budget")
    return found


def _without_score(item: Aggregate) -> list[str]:
    """Items that no figure of the row includes, by outcome, and how many are left."""
    unscored, errors = item.statuses.get("unscored", 0), item.statuses.get("error", 0)
    found = [f"{unscored} unscored"] if unscored else []
    if errors:
        found.append(f"{errors} error{'s' if errors > 1 else ''}")
    if found:
        found.append(f"the figures are of the other {item.scored} items")
    return found
