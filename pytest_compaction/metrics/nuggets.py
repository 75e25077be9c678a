"""The score of an answer by nuggets, and how well it puts events in order.

Over the union of both lists each event has its place in the reference and in the answer as ranks;
those that a list lacks share its last rank. Where tau-b has no value, an answer that names nothing
is 0, and the only event of a reference, alone in the answer, is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from pytest_compaction.metrics.agreement import kendall_tau_b
from pytest_compaction.rubric import MAX_SCORE


@dataclass(frozen=True, slots=True)
class EventOrder:
    """Figures of an ordering, 0 to 1: normalised tau-b as ``order``, and its product with F1."""

    precision: float
    recall: float
    f1: float
    order: float
    product: float


ORDER_FIGURES: Final = tuple(field.name for field in fields(EventOrder))
"""The names of the figures, in the order of tables and records."""


def mean_order(orders: Sequence[EventOrder]) -> EventOrder:
    """The mean of each figure, as several judges give them; of the product, too."""
    sums = (math.fsum(getattr(each, figure) for each in orders) for figure in ORDER_FIGURES)
    return EventOrder(*(total / len(orders) for total in sums))


def event_order(events: int, answered: Sequence[int | None]) -> EventOrder:
    """The figures of an answer that names, in its order, numbers of reference events or ``None``.

    A reference event that was named before is none. Raises :class:`ValueError` without reference
    events, or for a number that is not one of theirs.
    """
    if events < 1:
        raise ValueError("an order needs at least one event of reference")
    first, second = ranks(events, answered)
    named = len(set(answered) - {None})
    precision = named / len(answered) if answered else 0.0
    recall = named / events
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    order = float(named > 0)
    if named and len(first) > 1:
        # With an event named and two in the union, no ranking is a single tie: tau-b has a value.
        tau = kendall_tau_b(list(zip(first, second, strict=True))) or 0.0
        order = min(max((tau + 1) / 2, 0.0), 1.0)
    return EventOrder(precision, recall, f1, order, order * f1)


def ranks(events: int, answered: Sequence[int | None]) -> tuple[list[int], list[int]]:
    """The ranks of the union in the reference and in the answer, from 1 on; additions come last."""
    place: dict[int, int] = {}
    extra: list[int] = []
    for position, number in enumerate(answered, start=1):
        if number is not None and not 0 <= number < events:
            raise ValueError(f"there is no event {number} among {events}")
        if number is None or number in place:
            extra.append(position)
        else:
            place[number] = position
    last = events + len(extra) + 1
    reference = [*range(1, events + 1), *[last] * len(extra)]
    return reference, [*(place.get(number, last) for number in range(events)), *extra]


SCORES: Final = (0.0, 0.5, 1.0)
"""Not satisfied, satisfied in part, satisfied."""
ORDERING: Final = "event_ordering"
"""The ability of which the score is that of an order."""


@dataclass(frozen=True, slots=True)
class NuggetScore:
    """A judge's score of one nugget (0 to 1) and why; ``None`` where rules cannot judge it."""

    score: float | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class NuggetFigures:
    """The score of a question (0 to 1), if a nugget has one, and the figures of an order."""

    score: float | None
    ordering: EventOrder | None = None

    @property
    def overall(self) -> float | None:
        """The score from 0 to 5, beside those of the rubric."""
        return None if self.score is None else MAX_SCORE * self.score


def nugget_figures(
    kind: str,
    nuggets: Sequence[NuggetScore],
    events: Sequence[int | None] | None,
    published_rounding: bool = False,
) -> NuggetFigures:
    """The mean over the scored nuggets; for the order of ``events`` the product of order and F1.

    With ``published_rounding`` halves are cut to 0 as in the published code for other abilities.
    """
    if kind == ORDERING and events is not None:
        found = event_order(len(nuggets), events)
        return NuggetFigures(found.product, found)
    scores = [nugget.score for nugget in nuggets if nugget.score is not None]
    if published_rounding and kind != ORDERING:
        scores = [float(int(score)) for score in scores]
    return NuggetFigures(math.fsum(scores) / len(scores) if scores else None)
