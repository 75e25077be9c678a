"""What strategies lost, as tables: by class, over compactions, by whom, and the most lost facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.losses.fates import ComparedLosses, LostFact
from pytest_compaction.metrics.losses.strategy_losses import (
    FactLosses,
    HalfLife,
    LifeRow,
    Runway,
    StrategyLosses,
)
from pytest_compaction.reports.tables.table import Cell, Table, count, estimate, table

_SHARE: Final = (0.0, 1.0)
_INFINITE: Final = "infinite"
_CASES: Final = "Intervals are 95 % over cases."


def losses_table(found: Mapping[str, StrategyLosses]) -> Table:
    """Facts by strategy and class: how many survived, what became of the others, half-life."""
    answered = any(losses.whole.counts.unused is not None for losses in found.values())
    heads = (
        ("facts_of", "facts"),
        ("facts", "asked"),
        ("survived", "survived"),
        *((("unused", "unused"),) if answered else ()),
        ("dropped", "dropped"),
        ("recoverable", "recoverable"),
        ("gone", "gone"),
        ("contradicted", "contradicted"),
        ("half_life", "half-life"),
        ("half_life_low", "from"),
        ("half_life_high", "to"),
    )
    rows = [(Cell(label), *_losses(losses, answered)) for label, losses in _labelled(found)]
    notes = [
        f"Survived: the view states it{'; unused: the answer does not' if answered else ''}. "
        "Recoverable: share of what was dropped and that the agent can read again, by a path or "
        "command that the view still names; gone: nothing leads to it. Contradicted: the view "
        "states something else.",
        "Half-life: compactions until half of the facts are dropped, if each drops the same share.",
        _CASES,
    ]
    return table("losses", "What was lost, by class of fact", heads, rows, notes)


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


def runway_table(found: Mapping[str, StrategyLosses]) -> Table | None:
    """The room that compactions win; ``None`` if no strategy has a compaction."""
    heads = (
        ("compactor", "compactor"),
        ("free", "free"),
        ("least_free", "least free"),
        ("free_share", "of window"),
        ("messages", "messages"),
        ("least_messages", "least"),
        ("ended", "ended"),
        ("cut_off", "cut off"),
        ("peak_before", "peak before"),
        ("peak_after", "peak after"),
    )
    rows = [
        (Cell(name), *_runway(losses.runway)) for name, losses in found.items() if losses.runway
    ]
    notes = (
        "Free: tokens of the window that a compaction leaves. Messages: median number until the "
        "view was again as large as before; runways that were cut off by the end of their log "
        "count as longer than what was left of it. Peak: largest request before a compaction, and "
        "largest view after one, in tokens.",
        _CASES,
    )
    return table("runway", "Runway", heads, rows, notes) if rows else None


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


def most_lost_table(facts: Sequence[LostFact]) -> Table:
    """The facts that were lost most often, with where the log states them."""
    heads = (
        ("fact", "fact"),
        ("class", "class"),
        ("item", "item"),
        ("lost", "lost"),
        ("asked", "asked"),
        ("compaction", "at compaction"),
        ("point", "point"),
        ("recoverable", "recoverable"),
        ("evidence", "said in"),
    )
    notes = (
        "Lost: in how many of the items that ask for it, of all strategies, trials and probes. At "
        "compaction: the earliest that dropped it, counted since it was said, and its point.",
    )
    return table("most_lost", "Most lost facts", heads, map(_lost_fact, facts), notes)


def _labelled(found: Mapping[str, StrategyLosses]) -> Iterator[tuple[str, FactLosses]]:
    """The losses of each strategy over all facts and by class, with the names of their rows."""
    for name, losses in found.items():
        before = f"{name} " if len(found) > 1 else ""
        yield f"{before}all", losses.whole
        for fact_class, part in losses.classes.items():
            yield f"{before}{fact_class.replace('_', ' ')}", part


def _losses(losses: FactLosses, answered: bool) -> Iterator[Cell]:
    counts = losses.counts
    yield count(counts.facts)
    yield estimate(counts.survival, "share", _SHARE)
    if answered:
        yield count(counts.unused)
    yield count(counts.dropped)
    yield estimate(counts.recovery, "share", _SHARE)
    yield count(counts.gone)
    yield count(counts.contradicted)
    yield from _half_life(losses.half_life)


def _half_life(found: HalfLife | None) -> Iterator[Cell]:
    if found is None:
        yield from (Cell(None, "number"),) * 3
        return
    yield _compactions(found.compactions)
    if found.interval is None:
        yield from (Cell(None, "number"),) * 2
    else:
        yield from map(_compactions, found.interval)


def _compactions(value: float) -> Cell:
    return Cell(None if math.isinf(value) else value, "number", absent=_INFINITE)


def _survival(row: LifeRow | None) -> Cell:
    if row is None:
        return Cell(None, "share", estimated=True)
    return Cell(row.survival, "share", estimated=True, interval=row.interval)


def _runway(found: Runway | None) -> Iterator[Cell]:
    if found is not None:
        yield estimate(found.free, "count", (-math.inf, math.inf))
        yield count(found.least_free)
        yield estimate(found.share, "share", (-math.inf, 1.0))
        yield count(found.messages)
        yield count(found.least_messages)
        yield count(found.ended)
        yield count(found.cut_off)
        yield count(found.peak_before)
        yield count(found.peak_after)


def _lost_fact(fact: LostFact) -> tuple[Cell, ...]:
    kept = {True: "yes", False: "no", None: None}[fact.recoverable]
    drop = fact.drop
    return (
        Cell(fact.text),
        Cell(fact.fact_class.replace("_", " ")),
        Cell(f"{fact.case}-{fact.probe}"),
        count(fact.times),
        count(fact.asked),
        count(None if drop is None else drop.number),
        Cell(None if drop is None else drop.point),
        Cell(kept),
        Cell(", ".join(fact.evidence) or None),
    )


def _part(number: int, of: int) -> float | None:
    return number / of if of else None
