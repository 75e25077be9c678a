"""The terminal summary: plain lines of at most 80 columns, readable without color."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import (
    TOO_FEW,
    Aggregate,
    Mean,
    Tokens,
    aggregate,
    budgets_of,
    by_arm,
)
from pytest_compaction.metrics.budgets import times
from pytest_compaction.metrics.cost.formula import Pricing
from pytest_compaction.metrics.figures import kept_by_dimension
from pytest_compaction.metrics.statistics.cluster_interval import interval_method
from pytest_compaction.records.record import Record, went_wrong_later
from pytest_compaction.reports.lines import WIDTH, Line, interval_text
from pytest_compaction.reports.summary.comparison import comparison
from pytest_compaction.reports.summary.constraints import constraint_lines
from pytest_compaction.reports.summary.cost_lines import cost_lines
from pytest_compaction.reports.summary.curve_table import curve_lines
from pytest_compaction.reports.summary.item_lines import lowest_first
from pytest_compaction.reports.summary.kind_table import kind_lines
from pytest_compaction.reports.summary.long_memory_lines import long_memory_lines
from pytest_compaction.reports.summary.loss_lines import loss_lines
from pytest_compaction.reports.summary.origin_lines import origin_lines
from pytest_compaction.reports.summary.outcomes import (
    counted_outcomes,
    further_figures,
    null_line,
    reading_line,
    second_lines,
    unscored_because,
)
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.settings import CONTROL, Budget
from pytest_compaction.text import printable

LOWEST: Final = 3
"""How many of the lowest items a summary names."""


def summary(
    records: Sequence[Record],
    order: Sequence[str],
    control: bool,
    grouped: bool = True,
    lowest: int = LOWEST,
    pricing: Pricing | None = None,
) -> list[Line]:
    """The summary of a run: one strategy in detail, several in a table; then the curves,
    and real and scripted cases apart.

    ``order`` is the order of strategies on the command line; with ``control`` the
    strategy ``none`` is the control of a single other one. ``grouped`` is for an offline
    summariser: strategies that differ only in what it does not read share a row. ``lowest``
    is how many of the lowest items of a single strategy are named. ``pricing`` is that of
    the agent's model; without it stated ratios are taken.
    """
    if not records:
        return [Line("nothing was measured: no benchmark item has a verdict", "bad")]
    budgets = budgets_of(records)
    if len(budgets) > 1:
        tables = _at_each_budget(records, order, budgets, grouped)
        apart = _apart(_in_order(records, order), grouped)
        return [*tables, *curve_lines(records, grouped), *apart]
    groups = _in_order(records, order)
    apart = _apart(groups, grouped)
    main = [name for name in groups if name != CONTROL] if control else list(groups)
    if len(main) <= 1:
        name = main[0] if main else CONTROL
        lines = _single(name, groups[name], groups.get(CONTROL) if main else None, pricing)
        return [*lines, *_lowest(groups[name], lowest), *apart]
    return [*comparison(groups, grouped), *apart]


def _apart(groups: Mapping[str, Sequence[Record]], grouped: bool) -> Iterator[Line]:
    """Abilities of memory, and real and scripted cases apart."""
    yield from long_memory_lines(groups)
    yield from origin_lines(groups, grouped)


def _in_order(records: Sequence[Record], order: Sequence[str]) -> dict[str, list[Record]]:
    """The records of each strategy, in the order of the command line."""
    groups = by_arm(records)
    names = [name for name in order if name in groups]
    return {name: groups[name] for name in dict.fromkeys([*names, *groups])}


def _at_each_budget(
    records: Sequence[Record], order: Sequence[str], budgets: Sequence[Budget], grouped: bool
) -> Iterator[Line]:
    """A comparison for each budget; the control, which ignores budgets, is in all of them."""
    for number, budget in enumerate(budgets):
        if number:
            yield Line("")
        title = f"{budget:,} tokens" if isinstance(budget, int) else "of the views on record"
        yield Line(f"budget {title}", "bold")
        chosen = [r for r in records if r.get("budget") in {None, budget}]
        yield from comparison(_in_order(chosen, order), grouped)


def _single(
    name: str,
    records: Sequence[Record],
    control: Sequence[Record] | None,
    pricing: Pricing | None,
) -> Iterator[Line]:
    figures = aggregate(name, records)
    kept = kept_by_dimension(records, control) if control and not figures.too_few else {}
    yield reading_line(figures)
    head = f"{'':14}{'mean':>6}  {'95% interval':<14}"
    yield Line((head + (f"{'control':>8}{'kept':>7}" if kept else "")).rstrip(), "dim")
    for dimension in DIMENSIONS:
        yield Line(_row(dimension, figures.dimensions.get(dimension), kept, figures.too_few))
    yield Line(_row("overall", figures.overall, kept, figures.too_few), "bold")
    if figures.too_few:
        yield Line(f"{figures.scored} of {figures.items} items have a score: {TOO_FEW}", "bad")
    if figures.overall:
        yield Line(f"intervals: {interval_method(figures.overall.cases)}", "dim")
    yield Line("")
    asked = [] if figures.too_few else list(kind_lines(records))
    if asked:
        yield from asked
        yield Line("")
    yield from _facts_about(figures)
    for figure, text in further_figures(records, control or ()):
        yield Line(f"{printable(figure.head, 13):<14}{text}")
    yield from loss_lines(records)
    yield from cost_lines(records, pricing)
    yield from constraint_lines(records, control or ())
    compared = None if figures.too_few else null_line(records)
    if compared is not None:
        yield compared
    later = sum(went_wrong_later(record) for record in records)
    if later:
        yield Line(f"broken later  {later}; went wrong after the verdict, which counts", "bad")
    yield from unscored_because(records)


def _row(
    name: str, mean: Mean | None, kept: Mapping[str, tuple[float, float | None]], too_few: bool
) -> str:
    if mean is None:
        return f"{name:<14}{'-':>6}" + ("" if too_few else "  (nothing was scored)")
    within = interval_text(mean.interval, limits=(0, MAX_SCORE)) if mean.interval else ""
    line = f"{name:<14}{mean.value:>6.2f}  {within:<14}"
    if name in kept:
        other, share = kept[name]
        line += f"{other:>8.2f}" + (f"{share:>7.0%}" if share is not None else f"{'-':>7}")
    return line.rstrip()


def _facts_about(figures: Aggregate) -> Iterator[Line]:
    passed, total = figures.statuses.get("passed", 0), figures.scored
    estimates = [f"{figures.passes[k]:.1%}" for k in sorted(figures.passes)]
    if estimates:
        line = f"Pass^1        {estimates[0]} ({passed} of {total} items)"
        if len(estimates) > 1:
            line += f"   Pass^{len(estimates)} {estimates[-1]}"
        yield Line(line)
    tokens = figures.tokens
    if tokens.before:
        yield _token_line(tokens)
    losses = figures.losses
    yield Line(f"facts         {losses.facts}: {counted_outcomes(losses)}")
    yield from second_lines(figures)
    if losses.traps:
        yield Line(f"stale values  {losses.hit} of {losses.traps} traps hit")
    steps = ", ".join(f"{count} {status}" for status, count in figures.steps.items())
    yield Line(f"compactions   {steps or 'none took place'}")
    yield Line(f"unscored      {figures.statuses.get('unscored', 0)}")
    if figures.statuses.get("error"):
        count = figures.statuses["error"]
        text = f"errors        {count}; the figures are of the {figures.scored} items with a score"
        text = text.partition(";")[0] if figures.too_few else text
        yield Line(text, "bad")
    if figures.over_budget and figures.compactor != CONTROL:
        over = f"{figures.over_budget} of {figures.compactions} compacted cases"
        yield Line(f"over budget   {over}; their scores cannot be compared", "bad")
    noop = figures.steps.get("noop", 0)
    if noop and figures.compactor != CONTROL:
        yield Line(f"note: {noop} compactions did nothing; such points prove nothing", "dim")


def _token_line(tokens: Tokens) -> Line:
    """What was removed of the logs, or that the views are larger than them."""
    counts = f"tokens        {tokens.before:,} -> {tokens.after:,}"
    if tokens.removed >= 0:
        return Line(f"{counts} ({tokens.removed:.1%} removed)")
    ratio = times(tokens.after / tokens.before)
    return Line(f"{counts} (nothing removed: the views are {ratio} the logs)", "bad")


def _lowest(records: Sequence[Record], most: int) -> Iterator[Line]:
    """The lowest items with the reason of each score, and how many did not pass."""
    ranked = lowest_first(records)
    if not ranked or not most:
        return
    yield Line("")
    failed = sum(record["status"] == "failed" for record in ranked)
    count = min(most, len(ranked))
    of = f"lowest {count} of {failed} that did not pass" if failed > count else "lowest items"
    yield Line(of, "dim")
    several = any(record["trial"] > 1 for record in records)
    for record in ranked[:count]:
        name = f"{record['case']}-{record['probe']}"
        if several:
            name += f"-t{record['trial']}"
        yield Line(f"  {record['overall']:.2f}  {printable(name, WIDTH - 9)}")
        if record["reason"]:
            yield Line(f"        {printable(record['reason'], WIDTH - 9)}")
