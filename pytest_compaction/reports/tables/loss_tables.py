"""What strategies lost and what they cost, as tables: each has its columns as data.

Losses are told by class, over compactions, by whom, and as the facts that were lost most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.metrics import (
    BreakEven,
    ComparedLosses,
    FactLosses,
    LifeRow,
    LostFact,
    Pricing,
    StrategyCosts,
    StrategyLosses,
)
from pytest_compaction.reports.tables.table import (
    Cell,
    Columns,
    Table,
    count,
    counted,
    estimated,
    table,
    table_of,
)

_SHARE: Final = (0.0, 1.0)
_INFINITE: Final = "infinite"
_CASES: Final = "Intervals are 95 % over cases."


def _of(cell: Callable[[Any], Cell]) -> Callable[[tuple[str, Any]], Cell]:
    """The cell of what stands behind the name of a row."""
    return lambda row: cell(row[1])


def _name(row: tuple[str, Any]) -> Cell:
    return Cell(row[0])


def _half_life(bound: int | None) -> Callable[[FactLosses], Cell]:
    """The half-life of facts, or one bound of its interval."""

    def cell(losses: FactLosses) -> Cell:
        found = losses.half_life
        if found is None or (bound is not None and found.interval is None):
            return Cell(None, "number")
        value = found.compactions if bound is None else (found.interval or ())[bound]
        return Cell(None if math.isinf(value) else value, "number", absent=_INFINITE)

    return cell


def losses_table(found: Mapping[str, StrategyLosses]) -> Table:
    """Facts by strategy and class: how many survived, what became of the others, half-life."""
    answered = any(losses.whole.counts.unused is not None for losses in found.values())
    unused = ("unused", "unused", _of(counted("counts.unused")))
    columns: Columns[tuple[str, FactLosses]] = (
        ("facts_of", "facts", _name),
        ("facts", "asked", _of(counted("counts.facts"))),
        ("survived", "survived", _of(estimated("counts.survival", "share", _SHARE))),
        *((unused,) if answered else ()),
        ("dropped", "dropped", _of(counted("counts.dropped"))),
        ("recoverable", "recoverable", _of(estimated("counts.recovery", "share", _SHARE))),
        ("gone", "gone", _of(counted("counts.gone"))),
        ("contradicted", "contradicted", _of(counted("counts.contradicted"))),
        ("half_life", "half-life", _of(_half_life(None))),
        ("half_life_low", "from", _of(_half_life(0))),
        ("half_life_high", "to", _of(_half_life(1))),
    )
    notes = [
        f"Survived: the view states it{'; unused: the answer does not' if answered else ''}. "
        "Recoverable: share of what was dropped and that the agent can read again, by a path or "
        "command that the view still names; gone: nothing leads to it. Contradicted: the view "
        "states something else.",
        "Half-life: compactions until half of the facts are dropped, if each drops the same share.",
        _CASES,
    ]
    title = "What was lost, by class of fact"
    return table_of("losses", title, columns, _labelled(found), notes)


def survival_table(found: Mapping[str, StrategyLosses]) -> Table | None:
    """The share of facts still stated after each compaction since they were said.

    ``None`` if no fact met a compaction.
    """
    last = max(
        (row.compaction for _, losses in _labelled(found) for row in losses.table), default=0
    )
    if not last:
        return None
    numbers = range(1, last + 1)
    heads = [("facts_of", "facts"), ("facts", "observed")]
    heads += [(f"after_{number}", f"after {number}") for number in numbers]
    rows = []
    for label, losses in _labelled(found):
        at = {row.compaction: row for row in losses.table}
        first = at[1].at_risk if at else 0
        rows.append((Cell(label), count(first), *(_survival(at.get(k)) for k in numbers)))
    notes = [
        "Product-limit estimate (Kaplan and Meier). A fact is observed from the first compaction "
        "after it was said up to the point of its probe; it counts as dropped from the first one "
        "after which the view does not state it, even if it comes back.",
        _CASES,
    ]
    return table("survival", "Survival over compactions", heads, rows, notes)


_RUNWAY: Final[Columns[tuple[str, Any]]] = (
    ("compactor", "compactor", _name),
    ("free", "free", _of(estimated("free", "count"))),
    ("least_free", "least free", _of(counted("least_free"))),
    ("free_share", "of window", _of(estimated("share", "share", (-math.inf, 1.0)))),
    ("messages", "messages", _of(counted("messages"))),
    ("least_messages", "least", _of(counted("least_messages"))),
    ("ended", "ended", _of(counted("ended"))),
    ("cut_off", "cut off", _of(counted("cut_off"))),
    ("peak_before", "peak before", _of(counted("peak_before"))),
    ("peak_after", "peak after", _of(counted("peak_after"))),
)


def runway_table(found: Mapping[str, StrategyLosses]) -> Table | None:
    """The room that compactions win; ``None`` if no strategy has a compaction."""
    rows = [(name, losses.runway) for name, losses in found.items() if losses.runway]
    notes = (
        "Free: tokens of the window that a compaction leaves. Messages: median number until the "
        "view was again as large as before; runways that were cut off by the end of their log "
        "count as longer than what was left of it. Peak: largest request before a compaction, and "
        "largest view after one, in tokens.",
        _CASES,
    )
    return table_of("runway", "Runway", _RUNWAY, rows, notes) if rows else None


def lost_by_table(compared: ComparedLosses) -> Table:
    """How many facts every strategy lost, and how many each lost alone."""
    heads = (("lost_by", "lost by"), ("facts", "facts"), ("share", "share"))
    counts = {"every strategy": compared.by_all}
    counts |= {f"{name} alone": facts for name, facts in compared.alone.items()}
    rows = [
        (Cell(label), count(len(facts)), Cell(_part(len(facts), compared.facts), "share"))
        for label, facts in counts.items()
    ]
    notes = (
        f"Of {compared.facts:,} facts that all were asked for; lost: stated in no trial, by the "
        "view. The control takes no part.",
    )
    return table("lost_by", "Facts lost by every strategy, and by one alone", heads, rows, notes)


_MOST_LOST: Final[Columns[LostFact]] = (
    ("fact", "fact", lambda fact: Cell(fact.text)),
    ("class", "class", lambda fact: Cell(fact.fact_class.replace("_", " "))),
    ("item", "item", lambda fact: Cell(f"{fact.case}-{fact.probe}")),
    ("lost", "lost", counted("times")),
    ("asked", "asked", counted("asked")),
    ("compaction", "at compaction", lambda fact: count(fact.drop.number if fact.drop else None)),
    ("point", "point", lambda fact: Cell(fact.drop.point if fact.drop else None)),
    (
        *("recoverable", "recoverable"),
        lambda fact: Cell({True: "yes", False: "no", None: None}[fact.recoverable]),
    ),
    ("evidence", "said in", lambda fact: Cell(", ".join(fact.evidence) or None)),
)


def most_lost_table(facts: Sequence[LostFact]) -> Table:
    """The facts that were lost most often, with where the log states them."""
    notes = (
        "Lost: in how many of the items that ask for it, of all strategies, trials and probes. At "
        "compaction: the earliest that dropped it, counted since it was said, and its point.",
    )
    return table_of("most_lost", "Most lost facts", _MOST_LOST, facts, notes)


def _labelled(found: Mapping[str, StrategyLosses]) -> Iterator[tuple[str, FactLosses]]:
    """The losses of each strategy over all facts and by class, with the names of their rows."""
    for name, losses in found.items():
        before = f"{name} " if len(found) > 1 else ""
        yield f"{before}all", losses.whole
        for fact_class, part in losses.classes.items():
            yield f"{before}{fact_class.replace('_', ' ')}", part


def _survival(row: LifeRow | None) -> Cell:
    if row is None:
        return Cell(None, "share", estimated=True)
    return Cell(row.survival, "share", estimated=True, interval=row.interval)


def _part(number: int, of: int) -> float | None:
    return number / of if of else None


def _requests(found: BreakEven) -> Cell:
    if found.requests is None:
        return Cell(None, "number", absent="never", estimated=True)
    return Cell(found.requests, "number", estimated=True, interval=found.interval)


_COST: Final[Columns[tuple[str, StrategyCosts]]] = (
    ("compactor", "compactor", _name),
    ("compactions", "compactions", _of(counted("compactions"))),
    ("removed", "removed", _of(counted("removed"))),
    ("removed_each", "removed each", _of(estimated("removed_each", "count"))),
    ("prefix", "prefix kept", _of(estimated("prefix", "share", _SHARE))),
    ("cached", "cached", _of(counted("cached"))),
    ("written", "written", _of(counted("written"))),
    ("calls_input", "read to summarise", _of(counted("calls.input"))),
    ("calls_output", "summaries", _of(counted("calls.output"))),
    ("cost_each", "cost each", _of(estimated("cost_each", "count"))),
    ("saving_each", "saving each", _of(estimated("saving_each", "count"))),
    ("break_even", "pays after", lambda row: _requests(row[1].break_even)),
    ("break_even_if_cached", "pays if cached", lambda row: _requests(row[1].if_cached)),
    ("refetch", "to read again", _of(counted("refetch.tokens"))),
    ("refetch_recoverable", "of that recoverable", _of(counted("refetch.recoverable_tokens"))),
    ("net_tokens", "net tokens", _of(counted("net_tokens"))),
    ("net", "net", _of(counted("net"))),
)
_DOLLARS: Final[Columns[tuple[str, StrategyCosts]]] = (
    ("cost_usd", "cost, US dollars", lambda row: Cell(row[1].cost_usd, "score")),
    ("net_usd", "net, US dollars", lambda row: Cell(row[1].net_usd, "score")),
)


def cost_table(found: Mapping[str, StrategyCosts]) -> Table:
    """Tokens removed, costs and savings of one or more strategies, at the same prices.

    In US dollars too if the model has a price.
    """
    first = next(iter(found.values()))
    columns = (*_COST, *(_DOLLARS if first.pricing.input_usd is not None else ()))
    title = "What compaction costs and saves"
    return table_of("cost", title, columns, found.items(), _cost_notes(first))


def _cost_notes(costs: StrategyCosts) -> Iterator[str]:
    yield f"Prices: {_prices(costs.pricing)}."
    yield (
        "Cost, saving and net are worth as many input tokens: cost of a compaction with the next "
        "request after it, saving of each later request, and net of all over "
        f"{costs.horizon} later requests, after reading again what was dropped. Pays after: later "
        "requests until the cost is saved; if cached: had the summariser read its input from the "
        "cache. Net tokens: removed, as often as there are requests, less the calls and what is "
        "read again."
    )
    yield (
        "Prefix kept: share of the request before that the view begins with; cached and written "
        "are the tokens of the view that the cache holds, and the others. Intervals are 95 % over "
        "cases."
    )


def _prices(pricing: Pricing) -> str:
    ratios = pricing.ratios
    if pricing.input_usd is None:
        return pricing.name
    return (
        f"{pricing.name}; read {ratios.read:g}, write {ratios.write:g}, output {ratios.output:g} "
        f"times the input price of {pricing.input_usd:g} US dollars for a million tokens"
    )
