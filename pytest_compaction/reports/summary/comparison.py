"""Several strategies in one table, ranked, and a few lines about each of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import TOO_FEW, Aggregate, aggregate
from pytest_compaction.metrics.differences.nulls import best_null, is_null
from pytest_compaction.metrics.differences.same_views import with_same_views
from pytest_compaction.metrics.differences.strategy_comparison import (
    StrategyPair,
    compare_strategies,
)
from pytest_compaction.metrics.savings import budget_share
from pytest_compaction.metrics.statistics.cluster_interval import interval_method
from pytest_compaction.records.record import Record, went_wrong_later
from pytest_compaction.reports.lines import WIDTH, Line, Style, interval_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.summary.constraints import compliance_lines, short_constraints
from pytest_compaction.reports.summary.outcomes import (
    counted_outcomes,
    further_figures,
    null_line,
    reading_line,
    unscored_because,
)
from pytest_compaction.reports.summary.power_line import power_lines
from pytest_compaction.reports.summary.strategy_table import StrategyRow, strategy_table
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

_NAME: Final = 20
"""The most columns of the name of a strategy before what it lost."""


def comparison(groups: Mapping[str, Sequence[Record]], grouped: bool) -> Iterator[Line]:
    """The strategies of a run, the best first; below a rule those with views over the budget.

    The control stands below the rule too. With ``grouped``, strategies with the same views
    share a row: what the summariser did not read cannot make a difference.
    """
    rows = with_same_views(groups) if grouped else [[name] for name in groups]
    figures = [aggregate(names[0], groups[names[0]]) for names in rows]
    between = compare_strategies({names[0]: groups[names[0]] for names in rows})
    yield reading_line(figures[0])
    letters = between.letters if between.pairs else {}
    table = [
        StrategyRow(
            item,
            "" if item.too_few else letters.get(item.compactor, ""),
            budget_share(groups[item.compactor]),
        )
        for item in figures
    ]
    yield from strategy_table(table)
    for names in rows:
        if len(names) > 1:
            yield from _wrapped(f"same views, one row: {', '.join(names)}", "dim")
    nulls = sorted(item.compactor for item in figures if is_null(item.compactor))
    if nulls:
        yield from _wrapped(f"nulls, with no idea behind them: {', '.join(nulls)}", "dim")
    compared = [best_null(groups[item.compactor]) for item in figures]
    cases = max((found.difference.cases for found in compared if found is not None), default=0)
    if cases:
        yield Line(f"intervals: {interval_method(cases)}", "dim")
    ranked = [row.figures.compactor for row in table if row.competes]
    reference = next((name for name in between.letters if name in ranked), None)
    others = [name for name in between.letters if name in ranked and name != reference]
    if reference is not None and others:
        second = others[0]
        yield from power_lines((reference, second), groups[reference], groups[second])
    yield Line("")
    beside = {pair.second: pair for pair in between.pairs if pair.first == reference}
    shown = short_names((item.compactor for item in figures), _NAME)
    for item in figures:
        name = shown[item.compactor]
        yield from _about(item, name, groups[item.compactor], groups.get(CONTROL, ()))
        if item.compactor in beside and not item.too_few:
            yield _beside_the_best(beside[item.compactor])


def _wrapped(text: str, style: Style) -> Iterator[Line]:
    for line in textwrap.wrap(printable(text), WIDTH, subsequent_indent="  "):
        yield Line(line, style)


def _beside_the_best(pair: StrategyPair) -> Line:
    """The paired difference from the strategy with the highest score."""
    difference = pair.paired.difference
    interval = interval_text(difference.interval, "+.2f")
    chance = "" if pair.holm is None else f", p {pair.holm:.2g}"
    value = round(difference.value, 2) + 0.0  # no -0.00
    text = f"  {value:+.2f} {interval}{chance}, from the best, "
    (best,) = short_names([pair.first], WIDTH - len(text)).values()
    return Line(text + best)


def _about(
    item: Aggregate, name: str, records: Sequence[Record], control: Sequence[Record]
) -> Iterator[Line]:
    """What was lost, choices, the comparison with the nulls, and what went wrong."""
    losses = item.losses
    text = f"{name}: {counted_outcomes(losses)}"
    yield Line(printable(text, WIDTH))
    second = ""
    if item.second is not None:
        other = "answers" if item.reading == "view" else "survival"
        second = f", {other} {item.second.value:.2f}"
    unused = "" if losses.unused is None else f", {losses.unused} unused"
    kept = short_constraints(records)
    yield Line(f"  {losses.hit} of {losses.traps} traps hit{unused}{second}{kept}")
    for figure, figure_text in further_figures(records, control):
        yield Line(f"  {printable(figure.head, 24)} {figure_text}")
    yield from compliance_lines(records, control)
    compared = None if item.too_few else null_line(records, "  ")
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
        others = f"the figures are of the other {item.scored} items"
        found.append(TOO_FEW if item.too_few else others)
    return found
