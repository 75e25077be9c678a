"""The score of an answer by nuggets: 0, ½ or 1 each, and their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.metrics.event_order import EventOrder, event_order
from pytest_compaction.rubric import MAX_SCORE

SCORES: Final = (0.0, 0.5, 1.0)
"""Not satisfied, satisfied in part, satisfied."""
ORDERING: Final = "event_ordering"
"""The ability of which the score is that of an order."""


@dataclass(frozen=True, slots=True)
class NuggetScore:
    """What a judge says of one nugget: its score (0 to 1) and why.

    The score is ``None`` where rules judge and only an answer can satisfy the nugget.
    """

    score: float | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class NuggetFigures:
    """The score of a question (0 to 1), and for ``event_ordering`` the figures of the order.

    The score is ``None`` if no nugget has one.
    """

    score: float | None
    ordering: EventOrder | None = None

    @property
    def overall(self) -> float | None:
        """The same from 0 to 5, beside the scores of the rubric."""
        return None if self.score is None else MAX_SCORE * self.score


def nugget_figures(
    kind: str,
    nuggets: Sequence[NuggetScore],
    events: Sequence[int | None] | None,
    published_rounding: bool = False,
) -> NuggetFigures:
    """The figures of an answer to a question of an ability.

    The score is the mean over the nuggets that have one, and for the order of events the product
    of order and F1, if ``events`` says in which order the answer names them (see
    :func:`~pytest_compaction.metrics.event_order.event_order`). With ``published_rounding``
    halves are cut to 0 as in the published code, which does so for every other ability.
    """
    if kind == ORDERING and events is not None:
        found = event_order(len(nuggets), events)
        return NuggetFigures(found.product, found)
    scores = [nugget.score for nugget in nuggets if nugget.score is not None]
    if published_rounding and kind != ORDERING:
        scores = [float(int(score)) for score in scores]
    return NuggetFigures(math.fsum(scores) / len(scores) if scores else None)
