"""The compactions before a probe in its record: how they ended, and what each left."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytest_compaction.records.record import clean
from pytest_compaction.run.feeder import Step
from pytest_compaction.run.response import Response


def compaction_of(response: Response) -> dict[str, Any]:
    """What the record of a response says of compaction; ``steps`` and ``errors`` are of the
    whole case, ``events`` end at the point of the probe.
    """
    messages = response.case.points[response.probe.point].index + 1
    window = response.case.window
    return {
        "steps": dict(sorted(Counter(step.status for step in response.steps).items())),
        "errors": sorted({clean(step.error) for step in response.steps if step.error}),
        "budget": response.budget,
        "window": window,
        "messages": messages,
        "events": [_event(step, window) for step in response.steps if step.messages <= messages],
    }


def _event(step: Step, window: int) -> dict[str, Any]:
    """One compaction; what an endpoint made of the request is not known."""
    known = not step.by_server
    return {
        "point": clean(step.point),
        "status": step.status,
        "log": step.log,
        "before": step.before if known else None,
        "after": step.after if known else None,
        "prefix": step.prefix if known else None,
        "free": window - step.after if known else None,
        "until_next": step.until_next,
        "messages_left": step.left,
    }
