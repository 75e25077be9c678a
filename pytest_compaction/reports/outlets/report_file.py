"""The files of a report: whether they can be written, and writing each whole or not at all."""

from __future__ import annotations

import csv
import html
import io
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from pytest_compaction.folders import check_room
from pytest_compaction.metrics import is_null
from pytest_compaction.records import Run, Scalar, columns, row_of
from pytest_compaction.reports.outlets.finished_run import (
    FinishedRun,
    Outcome,
    StrategyFigures,
    figures_of_strategies,
)
from pytest_compaction.reports.outlets.json_report import json_report
from pytest_compaction.reports.outlets.markdown_report import markdown_report
from pytest_compaction.reports.table import inert
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


def csv_report(run: FinishedRun) -> str:
    """One row for each item under a row of heads; nothing in it runs as a formula.

    Columns as in :func:`~pytest_compaction.records.items.columns`; lines end in CR LF and
    texts with a comma, a quote or a line break stand in quotes. Source: RFC 4180 (2005),
    section 2.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = columns()
    writer.writerow(names)
    for record in run.records:
        row = row_of(record)
        writer.writerow([_cell(row[name]) for name in names])
    return out.getvalue()


def _cell(value: Scalar) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, str):
        return str(inert(printable(value)))
    return value


def _page(run: FinishedRun) -> str:
    # The page takes a template engine to make, which no other form needs.
    from pytest_compaction.reports.page.overview import Gate
    from pytest_compaction.reports.page.page import page_of
    from pytest_compaction.reports.page.runs import PageRun

    records = Run(dict(run.header), {record["item"]: record for record in run.records})
    shown = PageRun(PurePath(run.name).stem or "run", records, run.folder)
    decided = run.outcome != "none"
    gate = Gate(run.outcome, run.line, run.decision, run.against) if decided else None
    return page_of([shown], gate=gate)


FORMS: Final[dict[str, Callable[[FinishedRun], str]]] = {
    ".md": markdown_report,
    ".json": json_report,
    ".csv": csv_report,
    ".svg": badge,
    ".html": _page,
}
"""What makes the text of a report, by its suffix."""


def check_place(path: Path) -> None:
    """Make the folder of a report and try to write in it; raises ``OSError`` if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if path.exists() and not path.is_file():
        raise OSError(0, "it is not a file that can be replaced")
    check_room(_temporary(path))


def write_report(path: Path, run: FinishedRun) -> None:
    """Write a run in the form of the suffix of ``path``, in place of an older report.

    Until all of it is written the older one stays as it was. Raises ``OSError``.
    """
    write_whole(path, FORMS[path.suffix.lower()](run).encode("utf-8", "backslashreplace"))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and then put it there; a link leads to the new content."""
    target = path.resolve()
    temporary = _temporary(target)
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _temporary(path: Path) -> Path:
    """A name beside a file that no other process takes, short whatever the name of the file."""
    return path.with_name(f".compaction-report.{os.getpid()}.tmp")
