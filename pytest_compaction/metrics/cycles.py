"""Compactions of one session in a row: the share that each frees, and the first that frees little.

A cycle ends with a compaction of a view over its budget that has grown by a tenth or more since the
one before. A session is stuck at the first cycle that frees less than a tenth of the view, or
leaves it over its budget. One that ends before counts as stuck later than that, if ever. Of the
compactions on record those count alone, and no point at which the agent made none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.metrics.cost import Pricing, calls_of
from pytest_compaction.metrics.intervals import Mean, clustered, mean_over
from pytest_compaction.metrics.losses import median_length, share
from pytest_compaction.metrics.lost_facts import events_by_case, last_records, with_continued
from pytest_compaction.record import Record
from pytest_compaction.settings import RECORDED

LEAST_FREED: Final = 0.1
"""The share of the view that a cycle must free, and by which it must have grown."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """The cycles of one strategy.

    ``freed`` is the mean share of the view that a cycle removed, ``least_freed`` the smallest,
    below 0 where the view grew. ``stuck`` is the share of the sessions, a case in a trial each,
    that got stuck; ``until_stuck`` the median number of cycles, the last one counted, ``None``
    where half of the sessions went on to their end.
    """

    sessions: int
    cycles: int
    freed: Mean | None
    least_freed: float
    stuck: Mean | None
    until_stuck: int | None


def cycles_of(records: Sequence[Record]) -> Cycles | None:
    """The cycles of the records of one strategy; ``None`` without any."""
    on_record = any(record["compactor"] == RECORDED for record in records)
    sessions = []
    for events in events_by_case(records, True).values():
        made = [e for e in events if not (on_record and e.status == "failed")]
        if cycles := list(cycles_in((e.before, e.after, e.budget) for e in made)):
            sessions.append((made[0].cluster, cycles))
    if not sessions:
        return None
    freed = [(case, (before - after) / before) for case, of in sessions for before, after, _ in of]
    until = [(case, stuck_at(cycles), len(cycles)) for case, cycles in sessions]
    return Cycles(
        sessions=len(sessions),
        cycles=len(freed),
        freed=mean_over(clustered(freed)),
        least_freed=min(value for _, value in freed),
        stuck=share((case, at is not None) for case, at, _ in until),
        until_stuck=median_length(
            [at for _, at, _ in until if at is not None],
            [cycles for _, at, cycles in until if at is None],
        ),
    )


def stuck_at(cycles: Sequence[tuple[int, int, int]]) -> int | None:
    """The number, from 1, of the first cycle of a session that won nothing more; ``None``: none.

    A cycle is given as the tokens of the view before and after it, and of its budget.
    """
    for number, (before, after, budget) in enumerate(cycles, start=1):
        if after > budget or before - after < LEAST_FREED * before:
            return number
    return None


def usd_of_compaction(records: Sequence[Record], pricing: Pricing) -> float | None:
    """The mean cost of the calls of a compaction; ``None`` without a price or a compaction."""
    costs = [
        calls_of(event).cost(pricing.ratios)
        for record in last_records(records)
        for event in with_continued(record["compaction"])
    ]
    return pricing.usd(sum(costs) / len(costs)) if costs else None


def cycles_in(
    compactions: Iterable[tuple[int | None, int | None, int | None]],
) -> Iterator[tuple[int, int, int]]:
    """Views before and after each cycle, and their budget; an endpoint's are not known."""
    held = 0
    for before, after, budget in compactions:
        if before is None or after is None or budget is None:
            return
        if before > budget and before - held >= LEAST_FREED * before:
            yield before, after, budget
        held = after
