"""What a strategy lost, as a line of the summary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.metrics import HalfLife, LossCounts, strategy_losses
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import WIDTH, Line

LABEL: Final = 14
"""The columns of the label of a line."""


def loss_lines(records: Sequence[Record]) -> Iterator[Line]:
    """How many facts were dropped, which of them can be had again, and the half-life of facts.

    Nothing for records that do not tell it.
    """
    found = strategy_losses(records)
    if found is not None:
        half = found.whole.half_life
        parts = [_dropped(found.whole.counts), *([] if half is None else [_half_life(half)])]
        yield from labelled("losses", parts)


def labelled(label: str, parts: Sequence[str]) -> Iterator[Line]:
    """A line that begins with its label; parts that have no room go on below its text."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= WIDTH - LABEL:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    for number, text in enumerate(lines):
        yield Line(f"{'' if number else label:<{LABEL}}{text}")


def _dropped(counts: LossCounts) -> str:
    if not counts.dropped:
        return f"none of {counts.facts:,} facts dropped"
    kinds = {"recoverable": counts.recoverable, "gone": counts.gone, "unknown": counts.unknown}
    named = ", ".join(
        f"{number:,} {kind}" for kind, number in kinds.items() if number or kind != "unknown"
    )
    return f"{counts.dropped:,} dropped: {named}"


def _half_life(found: HalfLife) -> str:
    within = ""
    if found.interval is not None:
        within = f" [{', '.join(map(_compactions, found.interval))}]"
    return f"half-life {_compactions(found.compactions)}{within}"


def _compactions(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.1f}"
