"""The tables of a run of probes: its strategies, real and scripted apart, losses and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics import (
    DEFAULT_PRICING,
    Aggregate,
    Pricing,
    ProductionLoss,
    aggregate,
    by_arm,
    by_origin,
    compared_losses,
    further,
    interval_method,
    means,
    most_lost,
    of_origin,
    production_loss,
    strategy_costs,
    strategy_losses,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.tables.long_memory_tables import long_memory_tables
from pytest_compaction.reports.tables.loss_tables import (
    cost_table,
    losses_table,
    lost_by_table,
    most_lost_table,
    runway_table,
    survival_table,
)
from pytest_compaction.reports.tables.table import Cell, Form, Table, count, estimate, table
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.settings import CONTROL

_HEADS: Final = (
    ("cases", "cases"),
    ("scored", "scored"),
    ("overall", "overall"),
    ("pass", "pass^1"),
    ("removed", "removed"),
    ("stated", "stated"),
    ("tokens", "tokens"),
)
_STATED: Final = (
    "Stated: mean share of the facts of an item that its view states. Tokens: mean of the views."
)


def run_tables(records: Sequence[Record], pricing: Pricing | None = None) -> Iterator[Table]:
    """All tables that these records of probes allow, with costs at the prices of a model."""
    groups = by_arm(records)
    yield strategies_table(groups)
    yield from long_memory_tables(groups)
    apart = origins_table(groups)
    if apart is not None:
        yield apart
    lost = production_loss(records)
    if lost is not None:
        yield production_table(lost)
    yield from loss_tables(groups)
    yield from cost_tables(groups, pricing or DEFAULT_PRICING)


def loss_tables(groups: Mapping[str, Sequence[Record]]) -> Iterator[Table]:
    """What each strategy but the control lost; nothing for records that do not tell it."""
    found = {
        name: losses
        for name, group in groups.items()
        if name != CONTROL and (losses := strategy_losses(group)) is not None
    }
    if not found:
        return
    yield losses_table(found)
    yield from filter(None, (survival_table(found), runway_table(found)))
    compared = compared_losses(groups)
    if compared is not None:
        yield lost_by_table(compared)
    lost = most_lost(groups)
    if lost:
        yield most_lost_table(lost)


def cost_tables(groups: Mapping[str, Sequence[Record]], pricing: Pricing) -> Iterator[Table]:
    """What each strategy costs and saves; nothing for records that do not tell it."""
    costs = {
        name: found for name, group in groups.items() if (found := strategy_costs(group, pricing))
    }
    if costs:
        yield cost_table(costs)


def strategies_table(groups: Mapping[str, Sequence[Record]]) -> Table:
    """The figures of each strategy over all cases."""
    rows = [
        (Cell(name), count(len(group)), *_figures(aggregate(name, group), group))
        for name, group in groups.items()
    ]
    heads = [("compactor", "compactor"), ("items", "items"), *_heads()]
    return table("strategies", "Strategies", heads, rows, [_method(groups), _STATED])


def origins_table(groups: Mapping[str, Sequence[Record]]) -> Table | None:
    """The same figures over real and over scripted cases; ``None`` without both."""
    rows = [
        (Cell(f"{name} {origin}"), *_figures(item, of_origin(groups[name], origin)))
        for name, figures in by_origin(groups).items()
        for origin, item in figures.items()
    ]
    if not rows:
        return None
    heads = [("compactor", "compactor"), *_heads()]
    return table("origins", "Real and scripted cases apart", heads, rows, [_STATED])


def _heads() -> Iterator[tuple[str, str]]:
    yield from _HEADS
    yield from ((figure.name, figure.head) for figure in further("table"))


def _figures(item: Aggregate, records: Sequence[Record]) -> Iterator[Cell]:
    yield count(len({record["case"] for record in records}))
    yield count(item.scored)
    yield estimate(item.overall, "number", (0, MAX_SCORE))
    yield Cell(item.passes.get(1), "share")
    yield _removed(item)
    yield estimate(item.stated, "share", (0, 1))
    yield count(item.view_tokens)
    found = means(records)
    for figure in further("table"):
        form: Form = "share" if figure.kind == "share" else "number"
        limits = (figure.bounds.low, figure.bounds.high)
        yield estimate(found.get(figure.name), form, limits)


def _removed(item: Aggregate) -> Cell:
    """The share of tokens removed; a word where the views are larger than the logs."""
    share = item.tokens.removed
    if not item.tokens.before:
        return Cell(None, "share")
    return Cell(share, "share") if share >= 0 else Cell("grew", "share")


def _method(groups: Mapping[str, Sequence[Record]]) -> str:
    cases = max(len({record["case"] for record in group}) for group in groups.values())
    return f"95 % intervals: {interval_method(cases)}."


def production_table(lost: ProductionLoss) -> Table:
    """Share of facts that survive, by type; at the end the mean tokens of a view."""
    heads = [("type", "type of fact"), ("facts", "facts")]
    heads += [(column.compactor, column.compactor) for column in lost.columns]
    rows: list[tuple[Cell, ...]] = [
        (
            Cell(type.replace("_", " ")),
            count(number),
            *(estimate(column.shares[type], "share", (0, 1)) for column in lost.columns),
        )
        for type, number in lost.facts.items()
    ]
    tokens = (count(column.tokens) for column in lost.columns)
    rows.append((Cell("view tokens"), Cell(None, absent=""), *tokens))
    return table("production", "What production compaction lost", heads, rows, _notes(lost))


def _notes(lost: ProductionLoss) -> Iterator[str]:
    yield (
        "Share of the facts that a view still states, asked right after a compaction on record; "
        "recorded is the view with which the agent itself went on."
    )
    yield f"95 % intervals: {interval_method(lost.cases)}."
    if lost.equal_tokens:
        yield "At each point a view may take as many tokens as the one on record."
    else:
        yield "The budgets are not those of the views on record: compare the tokens too."
    without = [f"{item.compactor} {item.unscored}" for item in lost.columns if item.unscored]
    if without:
        yield (
            f"Of {lost.asked} items, {lost.items} have a score for every strategy; without one: "
            f"{', '.join(without)}."
        )
    if lost.absent:
        yield f"Without any score, and so not shown: {', '.join(lost.absent)}."
