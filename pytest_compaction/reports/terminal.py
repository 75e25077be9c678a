"""The terminal summary: plain lines of at most 80 columns, readable without color."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from pytest_compaction.metrics.aggregate import (
    Aggregate,
    Mean,
    aggregate,
    by_compactor,
    kept_by_dimension,
    scored,
)
from pytest_compaction.records.record import Record, went_wrong_later
from pytest_compaction.rubric import DIMENSIONS, PUBLISHED
from pytest_compaction.settings import CONTROL
from pytest_compaction.text.words import printable

WIDTH: Final = 80
_NAME_WIDTH: Final = (15, 19)
_REASON_CHARACTERS: Final = 4 * (WIDTH - 2)
"""Four lines: enough to say why a strategy could not be scored and what to do."""
Style = Literal["plain", "bold", "dim", "good", "bad"]
_SHORT: Final = {
    "accuracy": "accur",
    "context": "contx",
    "artifact": "artif",
    "continuity": "conti",
    "completeness": "compl",
    "instruction": "instr",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the summary and its emphasis."""

    text: str
    style: Style = "plain"


_MARKUP: Final[Mapping[Style, Mapping[str, bool]]] = {
    "plain": {},
    "bold": {"bold": True},
    "dim": {"light": True},
    "good": {"green": True},
    "bad": {"red": True},
}


class Terminal(Protocol):
    """Pytest's terminal reporter, as far as lines are written to it."""

    def write_line(self, line: str, **markup: bool) -> None:
        """Write one line."""
        ...


def write_lines(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines with their emphasis."""
    for line in lines:
        terminal.write_line(line.text, **_MARKUP[line.style])


def summary(records: Sequence[Record], order: Sequence[str], control: bool) -> list[Line]:
    """The summary of a run: one strategy in detail, several in a table.

    ``order`` is the order of strategies on the command line; with ``control`` the
    strategy ``none`` is the control of a single other one.
    """
    groups = by_compactor(records)
    names = [name for name in order if name in groups]
    names += [name for name in groups if name not in names]
    if not names:
        return [Line("no benchmark item was run", "bad")]
    main = [name for name in names if name != CONTROL] if control else names
    if len(main) == 1:
        reference = groups.get(CONTROL) if main[0] != CONTROL else None
        return list(_single(main[0], groups[main[0]], reference))
    return list(_several(names, groups))


def _single(
    name: str, records: Sequence[Record], control: Sequence[Record] | None
) -> Iterator[Line]:
    figures = aggregate(name, records)
    kept = kept_by_dimension(records, control) if control else {}
    head = f"{'':14}{'mean':>6}  {'95% interval':<14}"
    yield Line((head + (f"{'control':>8}{'kept':>7}" if kept else "")).rstrip(), "dim")
    for dimension in DIMENSIONS:
        yield Line(_row(dimension, figures.dimensions.get(dimension), kept))
    yield Line(_row("overall", figures.overall, kept), "bold")
    yield Line("")
    yield from _facts_about(figures)
    later = sum(went_wrong_later(record) for record in records)
    if later:
        yield Line(f"broken later  {later}; went wrong after the verdict, which counts", "bad")
    yield from _unscored_because(records)
    yield from _worst(records)


def _row(name: str, mean: Mean | None, kept: Mapping[str, tuple[float, float | None]]) -> str:
    if mean is None:
        return f"{name:<14}{'-':>6}  (nothing was scored)"
    line = f"{name:<14}{mean.value:>6.2f}  {_interval(mean):<14}"
    if name in kept:
        other, share = kept[name]
        line += f"{other:>8.2f}" + (f"{share:>7.0%}" if share is not None else f"{'-':>7}")
    return line.rstrip()


def _interval(mean: Mean) -> str:
    if mean.interval is None:
        return "(one case)"
    return f"[{mean.interval[0]:.2f}, {mean.interval[1]:.2f}]"


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
        yield Line(
            f"tokens        {tokens.before:,} -> {tokens.after:,} ({tokens.removed:.1%} removed)"
        )
    losses = figures.losses
    lost = losses.dropped + losses.unused
    yield Line(
        f"facts lost    {lost} of {losses.facts}: {losses.dropped} dropped from the view, "
        f"{losses.unused} unused"
    )
    if losses.traps:
        yield Line(f"stale values  {losses.hit} of {losses.traps} traps hit")
    steps = ", ".join(f"{count} {status}" for status, count in figures.steps.items())
    yield Line(f"compactions   {steps or 'none took place'}")
    yield Line(f"unscored      {figures.statuses.get('unscored', 0)}")
    if figures.statuses.get("error"):
        count = figures.statuses["error"]
        text = f"errors        {count}; the figures are of the {figures.scored} items with a score"
        yield Line(text, "bad")
    if figures.over_budget and figures.compactor != CONTROL:
        yield Line(
            f"over budget   {figures.over_budget} of {figures.compactions} compacted cases", "bad"
        )
    noop = figures.steps.get("noop", 0)
    if noop and figures.compactor != CONTROL:
        yield Line(f"note: {noop} compactions did nothing; such points prove nothing", "dim")


def _unscored_because(records: Sequence[Record], count: int = 3) -> Iterator[Line]:
    """The most frequent reasons for which items could not be scored."""
    reasons = Counter(record["reason"] for record in records if record["status"] == "unscored")
    for reason, times in reasons.most_common(count):
        text = printable(f"not scored ({times}): {reason}".rstrip(), _REASON_CHARACTERS)
        for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False):
            yield Line(line, "bad")


def _worst(records: Sequence[Record], count: int = 3) -> Iterator[Line]:
    ranked = sorted(
        scored(records), key=lambda r: (r["overall"], r["case"], r["probe"], r["trial"])
    )
    if not ranked:
        return
    yield Line("")
    yield Line("lowest items", "dim")
    several = any(record["trial"] > 1 for record in records)
    for record in ranked[:count]:
        name = f"{record['case']}-{record['probe']}"
        if several:
            name += f"-t{record['trial']}"
        yield Line(f"  {record['overall']:.2f}  {printable(name, WIDTH - 9)}")
        if record["reason"]:
            yield Line(f"        {printable(record['reason'], WIDTH - 9)}")


def _several(names: Sequence[str], groups: Mapping[str, Sequence[Record]]) -> Iterator[Line]:
    figures = [aggregate(name, groups[name]) for name in names]
    width = max(_NAME_WIDTH[0], min(max(map(len, names)), _NAME_WIDTH[1]))
    head = f"{'compactor':<{width}} {'overall':>7}"
    head += "".join(f"{_SHORT[name]:>6}" for name in DIMENSIONS)
    yield Line(f"{head} {'pass^1':>7}{'removed':>8}", "dim")
    best = _best(figures)
    for item in figures:
        yield Line(_comparison_row(item, width, best))
    for name, published in PUBLISHED.items():
        yield Line(_published_row(name, published, width), "dim")
    yield Line("* best of those within the budget; published: other sessions, other judge", "dim")
    if any(item.over_budget for item in figures if item.compactor != CONTROL):
        yield Line(f"{OVER_BUDGET} views over the budget of their case: no score to compare", "dim")
    yield Line("")
    for item in figures:
        losses = item.losses
        text = (
            f"{printable(item.compactor, 24)}: {losses.dropped} of {losses.facts} facts dropped, "
            f"{losses.unused} unused, {losses.hit} of {losses.traps} traps hit"
        )
        yield Line(printable(text, WIDTH))
        extra = _without_score(item)
        later = sum(went_wrong_later(record) for record in groups[item.compactor])
        if later:
            extra.append(f"{later} went wrong after the verdict, which counts")
        if item.compactor != CONTROL:
            if item.steps.get("noop"):
                extra.append(f"{item.steps['noop']} compactions did nothing")
            if item.steps.get("failed"):
                extra.append(f"{item.steps['failed']} compactions failed")
            if item.over_budget:
                extra.append(f"{item.over_budget} cases over budget")
        for line in textwrap.wrap("; ".join(extra), WIDTH - 2):
            yield Line(f"  {line}", "bad")
        yield from _unscored_because(groups[item.compactor], 1)


def _without_score(item: Aggregate) -> list[str]:
    """Items that no figure of the row includes, by outcome, and how many are left."""
    unscored, errors = item.statuses.get("unscored", 0), item.statuses.get("error", 0)
    found = [f"{unscored} unscored"] if unscored else []
    if errors:
        found.append(f"{errors} error{'s' if errors > 1 else ''}")
    if found:
        found.append(f"the figures are of the other {item.scored} items")
    return found


def _figures_of(item: Aggregate) -> dict[str, float]:
    values = {name: mean.value for name, mean in item.dimensions.items()}
    if item.overall:
        values["overall"] = item.overall.value
    if 1 in item.passes:
        values["pass"] = item.passes[1]
    if item.tokens.before:
        values["removed"] = item.tokens.removed
    return values


OVER_BUDGET: Final = "!"
"""Marks the row of a strategy whose views are larger than its cases allow."""


def _competes(item: Aggregate) -> bool:
    """Whether a row can be the best; the control and strategies over budget keep too much."""
    return item.compactor != CONTROL and not item.over_budget


def _best(figures: Sequence[Aggregate]) -> dict[str, float]:
    """The best value of each column among the strategies that kept to the budget."""
    best: dict[str, float] = {}
    for item in figures:
        if _competes(item):
            for name, value in _figures_of(item).items():
                best[name] = max(best.get(name, value), value)
    return best


def _comparison_row(item: Aggregate, width: int, best: Mapping[str, float]) -> str:
    values = _figures_of(item)

    def cell(name: str, size: int, form: str) -> str:
        if name not in values:
            return f"{'-':>{size}}"
        mark = "*" if _competes(item) and values[name] == best.get(name) else ""
        return f"{format(values[name], form) + mark:>{size}}"

    line = f"{printable(item.compactor, width):<{width}} {cell('overall', 7, '.2f')}"
    line += "".join(cell(name, 6, ".2f") for name in DIMENSIONS)
    line = f"{line} {cell('pass', 7, '.0%')}{cell('removed', 8, '.1%')}"
    return line + OVER_BUDGET if item.compactor != CONTROL and item.over_budget else line


def _published_row(name: str, values: Mapping[str, float], width: int) -> str:
    label = printable(name.replace(" (published)", " publ."), width)
    line = f"{label:<{width}} {values['overall']:>7.2f}"
    line += "".join(f"{values[dimension]:>6.2f}" for dimension in DIMENSIONS)
    return f"{line} {'-':>7}{values['removed']:>8.1%}"
