"""Several strategies in one table, ranked, and a few lines about each of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pytest_compaction.metrics import (
    TOO_FEW,
    Aggregate,
    Mean,
    StrategyPair,
    aggregate,
    best_null,
    budget_share,
    cases_needed,
    compare_strategies,
    detectable_difference,
    differences_by_case,
    interval_method,
    is_null,
    with_same_views,
)
from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports.lines import WIDTH, Line, Style, interval_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.summary.constraints import compliance_lines, short_constraints
from pytest_compaction.reports.summary.outcomes import (
    counted_outcomes,
    further_figures,
    null_line,
    reading_line,
    unread_nulls_line,
    unscored_because,
)
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

WISHED: Final = 0.1
"""The difference of the overall score, in points, that one would like to find."""
_SHORT_NAME: Final = 24


def power_lines(
    names: tuple[str, str], first: Sequence[Record], second: Sequence[Record]
) -> Iterator[Line]:
    """The smallest difference between two strategies that is found at 80 % power, and the cases
    that a difference of 0.1 takes; nothing with so few cases that none can be found.
    """
    differences = differences_by_case(first, second)
    found = detectable_difference(differences)
    if not found:
        return
    one, other = short_names(names, _SHORT_NAME).values()
    yield Line(printable(f"{len(differences)} cases tell {one} from {other}", WIDTH), "dim")
    needed = cases_needed(differences, WISHED)
    more = f"; {WISHED:g} takes {needed:,} cases" if needed and found > WISHED else ""
    yield Line(f"  if they differ by {found:.2f} (at 80 % power){more}", "dim")


_HEADS: Final = {
    "accuracy": "accu",
    "context": "cntx",
    "artifact": "arti",
    "continuity": "cnty",
    "completeness": "comp",
    "instruction": "inst",
}
_FIGURES: Final = 8 + 5 * len(DIMENSIONS) + 7 + 7 + 8
"""Columns of a row beside the name and the letters."""
_NAMES: Final = (12, 19)
"""The least and the most columns of a name."""
_MOST_LETTERS: Final = 7
_RUN: Final = 3
"""From more letters in a row than this on, they are written as their ends."""


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A strategy in the table: its figures, its letters, and the share of the budget that its
    views take (1 is all of it; ``None`` without views).
    """

    figures: Aggregate
    letters: str = ""
    budget_share: Mean | None = None

    @property
    def competes(self) -> bool:
        """Whether it is ranked; the control and strategies over the budget keep too much."""
        item = self.figures
        return item.compactor != CONTROL and not item.over_budget and not item.too_few


def strategy_table(rows: Sequence[StrategyRow]) -> Iterator[Line]:
    """The rows by overall score; those that are not ranked stand below a rule."""
    ranked = sorted(rows, key=_rank)
    letters = {
        row.figures.compactor: printable(short_letters(row.letters), _MOST_LETTERS)
        for row in ranked
    }
    room = max(map(len, letters.values()), default=0) + any(letters.values())
    longest = max(len(row.figures.compactor) for row in ranked)
    name = max(_NAMES[0], min(longest, _NAMES[1], WIDTH - _FIGURES - room))
    shown = short_names(sorted(row.figures.compactor for row in rows), name)
    yield Line(_head(name, room), "dim")
    outside = [row for row in ranked if not row.competes]
    for row in ranked:
        if row.competes:
            yield Line(_row(row, shown, name, letters[row.figures.compactor], room))
    if outside:
        yield Line("-" * (name + room + _FIGURES), "dim")
        for row in outside:
            yield Line(_row(row, shown, name, letters[row.figures.compactor], room))
    yield from _notes(ranked, any(letters.values()))


def short_letters(letters: str) -> str:
    """Letters of a compact display with long runs as their ends: ``abcde`` is ``a-e``."""
    runs: list[str] = []
    for before, letter in pairwise(" " + letters):
        if runs and ord(letter) == ord(before) + 1:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) <= _RUN else f"{run[0]}-{run[-1]}" for run in runs)


def _rank(row: StrategyRow) -> tuple[float, str]:
    item = row.figures
    return -(item.overall.value if item.overall else -1.0), item.compactor


def _head(name: int, room: int) -> str:
    heads = "".join(f"{_HEADS[dimension]:>5}" for dimension in DIMENSIONS)
    return (
        f"{'compactor':<{name}}{'overall':>8}{'':<{room}}{heads}{'pass^1':>7}{'tokens':>7}  budget"
    )


def _row(row: StrategyRow, shown: Mapping[str, str], name: int, letters: str, room: int) -> str:
    item = row.figures
    means = {dimension: mean.value for dimension, mean in item.dimensions.items()}
    cells = "".join(_cell(means.get(dimension), 5, ".2f") for dimension in DIMENSIONS)
    overall = _cell(item.overall.value if item.overall else None, 8, ".2f")
    letters = f" {letters}" if letters else ""
    passed = _cell(item.passes.get(1), 7, ".0%")
    tokens = _cell(item.view_tokens, 7, ",.0f")
    text = f"{shown[item.compactor]:<{name}}{overall}{letters:<{room}}{cells}{passed}"
    return f"{text}{tokens}{_share(row)}".rstrip()


def _share(row: StrategyRow) -> str:
    """The share of the budget; a mark says that a view was over it."""
    if row.budget_share is None or row.figures.compactor == CONTROL:
        return f"{'-':>7}"
    return f"{row.budget_share.value:>7.0%}" + ("!" if row.figures.over_budget else "")


def _cell(value: float | None, width: int, form: str) -> str:
    return f"{'-' if value is None else format(value, form):>{width}}"


def _notes(rows: Sequence[StrategyRow], lettered: bool) -> Iterator[Line]:
    notes = ["tokens: mean of the views; budget: the share of it that they take"]
    if lettered:
        notes.append("strategies that share a letter do not differ at 5 % (paired, Holm)")
    if any(row.figures.too_few for row in rows):
        notes.append(f"- below the rule: {TOO_FEW}")
    if any(row.figures.over_budget and row.figures.compactor != CONTROL for row in rows):
        notes.append("! below the rule: views over the budget of their case, ranked apart")
    for note in notes:
        for line in textwrap.wrap(note, WIDTH):
            yield Line(line, "dim")


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
    unread = unread_nulls_line(record for item in figures for record in groups[item.compactor])
    if unread is not None:
        yield unread
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
