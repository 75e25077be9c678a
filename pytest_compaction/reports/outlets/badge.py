"""A run as a badge: one small SVG image that says a score, or what the gate decided."""

from __future__ import annotations

import html
from typing import Final

from pytest_compaction.metrics.differences.nulls import is_null
from pytest_compaction.reports.outlets.finished_run import (
    FinishedRun,
    Outcome,
    StrategyFigures,
    figures_of_strategies,
)
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.text import printable

_LABEL: Final = "compaction"
_COLORS: Final[dict[Outcome, str]] = {
    "passed": "#2b6e2f",
    "failed": "#a8201a",
    "undecided": "#a8201a",
    "none": "#1f5f99",
}
"""Behind white text each has a contrast above 4.5 to 1 (WCAG 2.2, success criterion 1.4.3)."""
_GREY: Final = "#555"
_NAME: Final = 40
_HEIGHT: Final = 20
_PADDING: Final = 6
_NARROW: Final = frozenset("fijlrtI.,:;!|'()[] ")
_NARROW_WIDTH: Final = 4
_WIDTH: Final = 7
_WIDE_WIDTH: Final = 10
"""Pixels of a character at 11 pixels of height; ``textLength`` makes every font keep to them."""


def badge(run: FinishedRun) -> str:
    """The badge as SVG: ``compaction | 4.11 of 5``, in the colour of what the gate decided.

    With several strategies it is the first one of the command line that is neither the control
    nor a null, and its name stands before the score. The title says the same in words.
    """
    shown = _strategy(list(figures_of_strategies(run)))
    value, color = "no score", _GREY
    name = ""
    if shown is not None:
        name = printable(shown.name, _NAME)
        overall = shown.figures["overall"]
        if overall.value is not None:
            value, color = f"{overall.value:.2f} of {MAX_SCORE:g}", _COLORS[run.outcome]
    if run.outcome in {"failed", "undecided"}:
        color = _COLORS[run.outcome]
    said = value
    if len(run.strategies()) > 1 and name:
        value = f"{name} {value}"
    title = f"{_LABEL}: {f'{name} ' if name else ''}{said}{_gate(run.outcome)}"
    return _drawn(value, color, title)


def _strategy(found: list[StrategyFigures]) -> StrategyFigures | None:
    competing = [item for item in found if not item.is_control and not is_null(item.compactor)]
    return next(iter([*competing, *found]), None)


def _gate(outcome: Outcome) -> str:
    return "" if outcome == "none" else f", gate {outcome}"


def _drawn(value: str, color: str, title: str) -> str:
    left, right = _width(_LABEL), _width(value)
    whole = left + right
    safe, said = html.escape(value), html.escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" role="img" '
        f'aria-label="{said}">\n'
        f"<title>{said}</title>\n"
        f'<rect width="{left}" height="{_HEIGHT}" fill="#333"/>\n'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{color}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f"{_written(_LABEL, 0, left)}\n{_written(safe, left, right)}\n</g>\n</svg>\n"
    )


def _written(safe: str, start: int, width: int) -> str:
    return (
        f'<text x="{start + _PADDING}" y="14" textLength="{width - 2 * _PADDING}" '
        f'lengthAdjust="spacingAndGlyphs">{safe}</text>'
    )


def _width(text: str) -> int:
    """Pixels of a half of the badge with this text."""
    narrow = sum(ch in _NARROW for ch in text)
    wide = sum(not ch.isascii() or ch in "mwMW@%" for ch in text)
    plain = len(text) - narrow - wide
    return 2 * _PADDING + narrow * _NARROW_WIDTH + wide * _WIDE_WIDTH + plain * _WIDTH
