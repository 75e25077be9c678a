"""The nuggets of an answer in its record, and where in the conversation the evidence stands."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from pytest_compaction.case.case import Case
from pytest_compaction.judges.verdict import Nuggets, Verdict
from pytest_compaction.metrics.event_order import ORDER_FIGURES, EventOrder
from pytest_compaction.records.record import clean, rounded
from pytest_compaction.run.response import Response
from pytest_compaction.text import printable

PARTS: Final = 10
"""Equal parts of a conversation, by characters, in which evidence is placed."""
_REASONING: Final = 400


def nuggets_of(response: Response, verdict: Verdict) -> dict[str, Any]:
    """The nuggets as plain JSON; nothing for a probe without any.

    ``tenths`` are the parts of the conversation, from 1 to 10, that the evidence stands in.
    """
    if not response.probe.nuggets:
        return {}
    named = {id for nugget in response.probe.nuggets for id in nugget.evidence}
    parts = _parts(response.case)
    tenths = sorted({parts[id] for id in named if id in parts})
    return {"tenths": tenths, **_scored(verdict.nuggets)}


def _scored(found: Nuggets | None) -> dict[str, Any]:
    if found is None:
        return {}
    nuggets = [
        {
            "text": clean(text),
            "score": rounded(nugget.score),
            "reasoning": clean(printable(nugget.reasoning, _REASONING)),
        }
        for text, nugget in found.scored
    ]
    ordering = found.figures.ordering
    return {
        "score": rounded(found.figures.score),
        "nuggets": nuggets,
        **({"ordering": _ordering(ordering)} if ordering is not None else {}),
    }


def _ordering(order: EventOrder) -> dict[str, float | None]:
    return {figure: rounded(getattr(order, figure)) for figure in ORDER_FIGURES}


@lru_cache(maxsize=2)
def _parts(case: Case) -> dict[str, int]:
    """The part of each message, by where it begins."""
    sizes = [len(message.text) for message in case.messages]
    starts = [0, *accumulate(sizes)]
    total = max(starts[-1], 1)
    ends = [total * part / PARTS for part in range(1, PARTS)]
    return {
        message.id: bisect_right(ends, start) + 1
        for message, start in zip(case.messages, starts, strict=False)
    }
