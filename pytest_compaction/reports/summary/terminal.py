"""The terminal summary: plain lines of at most 80 columns, readable without color."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.case.kinds import ABILITIES
from pytest_compaction.metrics import (
    DEFAULT_PRICING,
    TOO_FEW,
    Aggregate,
    BreakEven,
    BudgetCurve,
    CurvePoint,
    Losses,
    Mean,
    Pricing,
    StrategyCosts,
    Tokens,
    aggregate,
    budgets_of,
    by_arm,
    by_compactor,
    by_origin,
    curves,
    interval_method,
    kept_by_dimension,
    loss_counts,
    overall_mean,
    scored,
    strategy_costs,
    times,
    with_same_views,
)
from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports.lines import WIDTH, Line, interval_text, removed_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.summary.comparison import comparison
from pytest_compaction.reports.summary.constraints import constraint_lines
from pytest_compaction.reports.summary.item_lines import lowest_first
from pytest_compaction.reports.summary.loss_lines import labelled, loss_lines
from pytest_compaction.reports.summary.outcomes import (
    counted_outcomes,
    further_figures,
    null_line,
    reading_line,
    second_lines,
    unread_nulls_line,
    unscored_because,
)
from pytest_compaction.reports.tables.long_memory_tables import LABEL, long_memory_tables
from pytest_compaction.reports.tables.table_page import plain_table
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.settings import CONTROL, Budget
from pytest_compaction.text import printable

_ORIGIN_WIDTH: Final = 18


def origin_lines(groups: Mapping[str, Sequence[Record]], grouped: bool) -> Iterator[Line]:
    """Overall score, Pass^1, tokens removed and facts stated; nothing without both origins.

    With ``grouped``, strategies with the same views share a row under the name of the first.
    """
    names = [names[0] for names in with_same_views(groups)] if grouped else list(groups)
    found = by_origin({name: groups[name] for name in names})
    if not found:
        return
    yield Line("")
    yield Line("real and scripted cases apart", "bold")
    head = f"{'compactor':<{_ORIGIN_WIDTH}}{'cases':>12}{'overall':>18}{'pass^1':>7}"
    yield Line(f"{head}{'removed':>9}{'stated':>16}", "dim")
    shown = short_names(found, _ORIGIN_WIDTH)
    for name, figures in found.items():
        for origin, item in figures.items():
            cases = item.overall.cases if item.overall else 0
            label = f"{shown[name]:<{_ORIGIN_WIDTH}}{f'{cases} {origin}':>12}"
            yield Line(label + _figures(item))
    yield Line("stated: share of the facts that the views state; 95% intervals over cases", "dim")


def _figures(item: Aggregate) -> str:
    passed = f"{item.passes[1]:.0%}" if 1 in item.passes else "-"
    removed = removed_text(item.tokens.removed) if item.tokens.before else "-"
    return (
        f"{_overall(item.overall):>18}{passed:>7}{removed:>9}{_stated_by_origin(item.stated):>16}"
    )


def _overall(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    interval = mean.interval
    shown = "" if interval is None else f" {interval_text(interval, limits=(0, MAX_SCORE))}"
    return f"{mean.value:.2f}{shown}"


def _stated_by_origin(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    if mean.interval is None:
        return f"{mean.value:.0%}"
    low, high = mean.interval
    return f"{mean.value:.0%} [{100 * max(low, 0):.0f}, {100 * min(high, 1):.0f}]"


_KIND: Final = 13


def kind_lines(records: Sequence[Record]) -> Iterator[Line]:
    """A row for each kind, the best first; nothing if nothing was scored or there is one kind.

    The abilities of memory have a table of their own.

    The share is of the facts that the leading reading states: the view, or the answer.
    """
    found = [record for record in scored(records) if record["kind"] not in ABILITIES]
    kinds = sorted({record["kind"] for record in found})
    if len(kinds) < 2:
        return
    reading = "in view" if found[0].get("reading") == "view" else "answered"
    head = f"{'asked about':<{_KIND}}{'questions':>10}{'facts':>7}{reading:>10}"
    answered = loss_counts(found).unused is not None
    unused = f"{'unused':>8}" if answered else ""
    yield Line(f"{head}{'dropped':>9}{unused}{'score':>7}", "dim")
    rows = [(_score(group), kind, group) for kind in kinds if (group := _of(kind, found))]
    rows.sort(key=lambda row: (-row[0], row[1]))
    for number, (score, kind, group) in enumerate(rows, start=1):
        mark = "  weakest" if number == len(rows) and score < rows[0][0] else ""
        yield Line(_kind_row(kind, group, score, answered) + mark)


def _of(kind: str, records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record["kind"] == kind]


def _score(records: Sequence[Record]) -> float:
    mean = overall_mean(records)
    return mean.value if mean is not None else 0.0


def _kind_row(kind: str, records: Sequence[Record], score: float, answered: bool) -> str:
    losses = loss_counts(records)
    share = f"{_stated(losses):.0%}" if losses.facts else "-"
    counts = f"{len(records):>10}{losses.facts:>7}{share:>10}"
    lost = f"{losses.dropped:>9}" + (f"{losses.unused:>8}" if answered else "")
    return f"{printable(kind, _KIND):<{_KIND}}{counts}{lost}{score:>7.2f}"


def _stated(losses: Losses) -> float:
    return losses.outcomes.get("stated", 0) / losses.facts


def long_memory_lines(groups: Mapping[str, Sequence[Record]]) -> Iterator[Line]:
    """The tables of the questions about long conversations, each under an empty line."""
    for found in long_memory_tables(groups):
        yield Line("")
        title, *rest = plain_table(found, WIDTH, LABEL)
        yield Line(title, "bold")
        yield from map(Line, rest)


_NAME_WIDTH: Final = 19
_AREA_WIDTH: Final = 18
_WITH_INTERVAL: Final = 13
_PLAIN: Final = 7
OVER_BUDGET: Final = "!"
"""Marks a share that a strategy reached with views over the budget."""


def curve_lines(records: Sequence[Record], grouped: bool) -> Iterator[Line]:
    """Strategy by budget: share of facts stated with its interval, mean tokens, and the area.

    The intervals of shares are left out where the line would be too long for them. With
    ``grouped``, strategies with the same views share a row under the name of the first.
    """
    found = curves(records)
    if grouped:
        first = {names[0] for names in with_same_views(by_compactor(records))}
        found = [curve for curve in found if curve.compactor in first]
    if not found:
        return
    budgets = sorted({point.budget for curve in found for point in curve.points})
    room = WIDTH - _NAME_WIDTH - _AREA_WIDTH
    width = _WITH_INTERVAL if len(budgets) * _WITH_INTERVAL <= room else _PLAIN
    yield Line("")
    yield Line("facts that the views state, by budget in tokens", "bold")
    head = "".join(f"{budget:>{width},}" for budget in budgets)
    yield Line(f"{'compactor':<{_NAME_WIDTH}}{head}{'area':>{_AREA_WIDTH}}", "dim")
    shown = short_names((curve.compactor for curve in found), _NAME_WIDTH - 1)
    for curve in sorted(found, key=_rank):
        yield from _rows(curve, shown[curve.compactor], budgets, width)
    yield Line("area: mean height of the curve over the logarithm of the budget, 0 to 1", "dim")
    if any(point.over_budget for curve in found for point in curve.points):
        yield Line(f"{OVER_BUDGET} some views were over the budget", "dim")


def _rank(curve: BudgetCurve) -> tuple[bool, float, str]:
    """The largest area first; curves with views over the budget after all others."""
    over = any(point.over_budget for point in curve.points)
    return over, -(curve.area.value if curve.area else 0.0), curve.compactor


def _rows(curve: BudgetCurve, name: str, budgets: Sequence[int], width: int) -> Iterator[Line]:
    points = {point.budget: point for point in curve.points}
    cells = "".join(f"{_share(points.get(budget), width):>{width}}" for budget in budgets)
    yield Line(f"{name:<{_NAME_WIDTH}}{cells}{_area(curve.area):>{_AREA_WIDTH}}")
    tokens = "".join(f"{_tokens(points.get(budget)):>{width}}" for budget in budgets)
    yield Line(f"{'  tokens':<{_NAME_WIDTH}}{tokens}".rstrip(), "dim")


def _share(point: CurvePoint | None, width: int) -> str:
    if point is None or point.stated is None:
        return "-"
    mark = OVER_BUDGET if point.over_budget else ""
    text = f"{100 * point.stated.value:.0f}%{mark}"
    if width < _WITH_INTERVAL or mark or point.stated.interval is None:
        return text
    low, high = point.stated.interval
    return f"{text} {100 * max(low, 0):.0f}-{100 * min(high, 1):.0f}"


def _tokens(point: CurvePoint | None) -> str:
    return "-" if point is None or point.tokens is None else f"{point.tokens:,.0f}"


def _area(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    if mean.interval is None:
        return f"{mean.value:.2f}"
    return f"{mean.value:.2f} {interval_text(mean.interval, limits=(0, 1))}"


def cost_lines(records: Sequence[Record], pricing: Pricing | None = None) -> Iterator[Line]:
    """Tokens removed, when that has paid for itself, and tokens to read again what was lost.

    Nothing for records that do not tell it. Without ``pricing`` stated ratios are taken.
    """
    found = strategy_costs(records, pricing or DEFAULT_PRICING)
    if found is None:
        return
    again = f"{short_count(found.refetch.tokens)} to read again"
    change = "removed" if found.removed >= 0 else "added"
    parts = [f"{short_count(abs(found.removed))} {change}", pays(found.break_even), again]
    yield from labelled("cost", [*parts, *_saved(found)])
    yield Line(f"  prices {printable(found.pricing.name, WIDTH - 9)}", "dim")


def pays(found: BreakEven) -> str:
    """After how many requests compactions have paid for themselves, in words."""
    if found.requests is None:
        return "never pays for itself"
    if found.requests == 0:
        return "pays at once"
    within = ""
    if found.interval is not None:
        within = f" [{', '.join(map(_requests, found.interval))}]"
    return f"pays after {_requests(found.requests)}{within} requests"


def _requests(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def short_count(tokens: int) -> str:
    """Tokens in thousands or millions from 10,000 on, such as ``71k`` and ``1.67M``."""
    if abs(tokens) < 10_000:
        return f"{tokens:,}"
    return f"{tokens / 1_000:,.0f}k" if abs(tokens) < 999_500 else f"{tokens / 1_000_000:,.2f}M"


def _saved(found: StrategyCosts) -> Iterator[str]:
    """Dollars over the horizon; nothing without a price."""
    usd = found.net_usd
    if usd is not None:
        word = "saves" if usd >= 0 else "costs"
        yield f"{word} {abs(usd):,.4f} US dollars over {found.horizon} requests"


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
    yield from (line for line in (compared, unread_nulls_line(records)) if line is not None)
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
