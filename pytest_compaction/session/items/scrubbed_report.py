"""The report of an item without keys: tracebacks, their local variables, and what was printed."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pytest_compaction.secrets.keys import scrubbed


def scrub_report(report: pytest.TestReport) -> None:
    """Replace every key in what a report shows: the failure, and the output that was captured."""
    report.sections[:] = [(title, scrubbed(text)) for title, text in report.sections]
    report.longrepr = _scrubbed_part(report.longrepr)


def _scrubbed_part(part: Any) -> Any:
    """A part of a failure's representation; what pytest made of objects is changed in place."""
    if isinstance(part, str):
        return scrubbed(part)
    if isinstance(part, tuple):
        return tuple(map(_scrubbed_part, part))
    if isinstance(part, list):
        part[:] = map(_scrubbed_part, part)
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        for field in dataclasses.fields(part):
            # Not every part is made through its own initialisation.
            value = getattr(part, field.name, None)
            changed = _scrubbed_part(value)
            if changed is not value:
                object.__setattr__(part, field.name, changed)
    return part
