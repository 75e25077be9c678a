"""What compactions cost in recorded sessions, as tables, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case_making import BLOATED, Counted, KeptRules, RecordedCompaction
from pytest_compaction.metrics import (
    FAR,
    HORIZONS,
    LOOKBACK,
    MOST_POINTS,
    POLLING,
    AfterCompaction,
    Fetched,
    HeldAgainst,
    change_between,
    held_against,
    interval_method,
)
from pytest_compaction.reports.lines import counted
from pytest_compaction.reports.table import Cell, Columns, Form, Table, count, inert, table_of
from pytest_compaction.text import printable

_NAMED: Final = 3
"""The most names of broken rules that a table shows of a compaction."""
_FORMAT: Final = 1
"""Of the JSON file, raised when the meaning of a key changes."""

Observation = tuple[RecordedCompaction, AfterCompaction]


@dataclass(frozen=True, slots=True)
class Observed:
    """A session and what follows each of its compactions."""

    path: Path
    name: str
    format: str
    model: str
    calls: int
    compactions: tuple[Observation, ...]


@dataclass(slots=True)
class Period:
    """The sessions below some paths.

    ``without`` names the sessions that have no compaction on record, ``unreadable`` has paths and
    reasons, and ``unknown`` counts the files in folders that are of no known format.
    """

    name: str
    sessions: list[Observed] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    unknown: int = 0

    @property
    def compactions(self) -> list[Observation]:
        """Those of all sessions, in order."""
        return [each for session in self.sessions for each in session.compactions]


# --- figures over sessions ------------------------------------------------------------------

_Pair = Callable[[AfterCompaction], tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure after a compaction and elsewhere, and how its values and changes are written."""

    name: str
    label: str
    pair: _Pair
    form: Form = "percent"
    change: Form = "change"


def _figures() -> Iterator[_Figure]:
    for horizon in HORIZONS:
        for tokens in (False, True):

            def pair(
                after: AfterCompaction, horizon: int = horizon, tokens: bool = tokens
            ) -> tuple[float | None, float | None]:
                held = after.fetched[horizon]
                if tokens:
                    return held.after.token_share, held.elsewhere.token_share
                return held.after.share, held.elsewhere.share

            yield _Figure(
                f"fetched_again_{horizon}{'_tokens' * tokens}",
                f"fetched again, next {horizon}, of {'tokens' if tokens else 'calls'}",
                pair,
            )
    yield _Figure(
        "calls_before_new_work",
        "calls before the first new work",
        lambda after: (
            None if after.before_work is None else float(after.before_work),
            after.before_work_elsewhere,
        ),
        "number",
        "number",
    )


_FIGURES: Final = tuple(_figures())


def _pairs(period: Period, figure: _Figure) -> dict[str, list[tuple[float, float]]]:
    """By session the pairs of those compactions that have both sides."""
    found: dict[str, list[tuple[float, float]]] = {}
    for number, session in enumerate(period.sessions):
        for _, after in session.compactions:
            one, other = figure.pair(after)
            if one is not None and other is not None:
                found.setdefault(f"{number:09}", []).append((one, other))
    return found


# --- tables ---------------------------------------------------------------------------------


def observed_tables(periods: Sequence[Period]) -> Iterator[Table]:
    """The tables of each period, and that of the change between two."""
    for period in periods:
        if period.sessions:
            yield _sessions_table(period)
            yield _compactions_table(period)
            yield _figures_table(period)
    if len(periods) == 2 and all(period.sessions for period in periods):
        yield _change_table(*periods)


_Row = tuple[str, int, Sequence[Observation]]
"""The name of a session, its calls and its compactions."""


def _sessions_table(period: Period) -> Table:
    rows: list[_Row] = [(each.name, each.calls, each.compactions) for each in period.sessions]
    if len(rows) > 1:
        rows.append(("all", sum(calls for _, calls, _ in rows), period.compactions))
    columns: list[tuple[str, str, Callable[[_Row], Cell]]] = [
        ("session", "session", lambda row: Cell(row[0])),
        ("calls", "calls", lambda row: count(row[1])),
        ("compactions", "compactions", lambda row: count(len(row[2]))),
    ]
    for horizon in HORIZONS:
        columns += _fetched_columns(horizon)
    columns += [
        (
            "said_again",
            "said again",
            lambda row: count(sum(each.said_again or 0 for each, _ in row[2])),
        ),
        ("corrected", "corrected", lambda row: count(sum(each.corrections for each, _ in row[2]))),
    ]
    title = (
        f"What {counted(len(period.compactions), 'compaction')} in "
        f"{counted(len(period.sessions), 'session')} cost: {printable(period.name, 200)}"
    )
    notes = [
        f"Fetched again in the next {' and '.join(map(str, HORIZONS))} calls, of all reads, "
        "searches and commands that change no file: the same was asked and answered before the "
        "compaction, and nothing was changed since. Elsewhere is the same share at points with no "
        f"compaction in the {FAR} calls before them.",
        "Said again are sentences that the user had to repeat, corrected are turns in which they "
        "stopped or refused, in the next 40 calls.",
    ]
    return table_of("sessions", title, columns, rows, notes)


def _fetched_columns(horizon: int) -> Columns[_Row]:
    def total(row: _Row, elsewhere: bool) -> Fetched:
        held = [after.fetched[horizon] for _, after in row[2]]
        return sum((one.elsewhere if elsewhere else one.after for one in held), Fetched())

    def again(row: _Row) -> Cell:
        after = total(row, False)
        return Cell(f"{after.again:,} of {after.calls:,}")

    return [
        (f"fetched_again_{horizon}", f"next {horizon}", again),
        (
            f"elsewhere_{horizon}",
            "elsewhere",
            lambda row: Cell(total(row, True).share, "percent"),
        ),
    ]


def _compactions_table(period: Period) -> Table:
    rows = [
        (f"{session.name} {number}", each)
        for session in period.sessions
        for number, (each, _) in enumerate(session.compactions, start=1)
    ]
    columns: Columns[tuple[str, RecordedCompaction]] = [
        ("compaction", "compaction", lambda row: Cell(row[0])),
        ("trigger", "trigger", lambda row: Cell(_trigger(row[1]))),
        ("before", "before", lambda row: Cell(_tokens(row[1].before))),
        ("after", "after", lambda row: Cell(_tokens(row[1].left))),
        ("seconds", "seconds", lambda row: Cell(row[1].seconds, "number")),
        ("attached", "attached", lambda row: count(row[1].attached)),
        ("rules", "rules broken", lambda row: Cell(_rules_broken(row[1]))),
        ("remarks", "remarks", lambda row: Cell(", ".join(_remarks(row[1])) or "-")),
    ]
    sources = Counter(each.window_from or "unknown" for each, _ in period.compactions)
    windows = "; ".join(f"{source} ({number})" for source, number in sorted(sources.items()))
    notes = [
        "Tokens of the context as the agent counted it; ~ where they were counted here, without "
        "the prompt and the tools of the program. Attached are files that the program put back. "
        "Rules broken: of the rules of the user that a later call is about, those that one breaks.",
        f"Bloated: more than {BLOATED:.0%} of the window left full. Window: {windows}; "
        "--window=N takes another.",
    ]
    return table_of("compactions", "Each compaction", columns, rows, notes)


def _trigger(compaction: RecordedCompaction) -> str:
    trigger = compaction.trigger or "unknown"
    return f"{trigger}, cleared" if compaction.clears else trigger


def _rules_broken(compaction: RecordedCompaction) -> str:
    found = compaction.rules
    return f"{found.broken} of {found.could_be_broken}" if found and found.could_be_broken else "-"


def _tokens(size: Counted | None) -> str:
    return "-" if size is None else f"{'~' * size.here}{size.tokens:,}"


def _remarks(compaction: RecordedCompaction) -> Iterator[str]:
    if compaction.no_op:
        yield "no-op"
    if compaction.bloated:
        yield "bloated"
    if compaction.doubled:
        yield "doubled"
    if compaction.followed is False:
        yield "ignored its instruction"
    if compaction.broken:
        yield f"then forbidden: {printable(', '.join(compaction.broken[:_NAMED]), 60)}"


def _figures_table(period: Period) -> Table:
    rows = [(figure, held_against(_pairs(period, figure))) for figure in _FIGURES]

    def mean(side: str) -> Callable[[tuple[_Figure, HeldAgainst | None]], Cell]:
        value = attrgetter(f"{side}.value")
        return lambda row: Cell(None if row[1] is None else value(row[1]), row[0].form)

    def difference(row: tuple[_Figure, HeldAgainst | None]) -> Cell:
        figure, held = row
        if held is None:
            return Cell(None)
        interval = held.difference.interval
        if interval is not None and figure.form == "percent":
            interval = max(interval[0], -1.0), min(interval[1], 1.0)
        return Cell(held.difference.value, figure.change, estimated=True, interval=interval)

    columns: Columns[tuple[_Figure, HeldAgainst | None]] = [
        ("figure", "figure", lambda row: Cell(row[0].label)),
        ("after", "after", mean("after")),
        ("elsewhere", "elsewhere", mean("elsewhere")),
        ("difference", "difference", difference),
        ("compactions", "compactions", lambda row: count(row[1].difference.count if row[1] else 0)),
        ("sessions", "sessions", lambda row: count(row[1].difference.cases if row[1] else 0)),
    ]
    methods = dict.fromkeys(
        interval_method(held.difference.cases).replace("cases", "sessions")
        for _, held in rows
        if held is not None
    )
    notes = [
        "Means over the compactions that can be held against points elsewhere in their session.",
        f"95 % intervals: {'; '.join(methods) or 'none'}. One that holds 0 shows no difference.",
    ]
    title = "After a compaction, and elsewhere"
    return table_of("figures", title, columns, rows, notes)


def _change_table(old: Period, new: Period) -> Table:
    def change(figure: _Figure) -> Cell:
        found = change_between(_pairs(old, figure), _pairs(new, figure))
        value, interval = (None, None) if found is None else found
        return Cell(value, figure.change, estimated=True, interval=interval)

    columns: Columns[_Figure] = [
        ("figure", "figure", lambda figure: Cell(figure.label)),
        ("change", "new difference - old", change),
    ]
    notes = [
        "By how much the difference between after and elsewhere grew from the old sessions to the "
        "new. 95 % intervals: jackknife over sessions, none with fewer than six."
    ]
    return table_of("change", "From the old period to the new", columns, _FIGURES, notes)


# --- files ----------------------------------------------------------------------------------


def observed_json(periods: Sequence[Period]) -> str:
    """Everything, unrounded, in the shape that ``docs/production.md`` describes."""
    data: dict[str, Any] = {
        "format": _FORMAT,
        "rules": {
            "horizons": HORIZONS,
            "far": FAR,
            "lookback": LOOKBACK,
            "most_points": MOST_POINTS,
            "polling": POLLING,
            "bloated": BLOATED,
        },
        "periods": [_period_data(period) for period in periods],
    }
    if len(periods) == 2:
        changes = {
            figure.name: change_between(*(_pairs(period, figure) for period in periods))
            for figure in _FIGURES
        }
        data["change"] = {
            name: change and {"value": change[0], "interval": change[1]}
            for name, change in changes.items()
        }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _period_data(period: Period) -> dict[str, Any]:
    figures = {}
    for figure in _FIGURES:
        held = held_against(_pairs(period, figure))
        figures[figure.name] = held and {
            "after": held.after.value,
            "elsewhere": held.elsewhere.value,
            "difference": held.difference.value,
            "interval": held.difference.interval,
            "compactions": held.difference.count,
            "sessions": held.difference.cases,
        }
    return {
        "name": period.name,
        "figures": figures,
        "sessions": [
            {
                "path": str(session.path),
                "name": session.name,
                "format": session.format,
                "model": session.model,
                "calls": session.calls,
                "compactions": [_compaction_data(*each) for each in session.compactions],
            }
            for session in period.sessions
        ],
        "without_compaction": period.without,
        "unreadable": [{"path": path, "reason": reason} for path, reason in period.unreadable],
        "unknown_files": period.unknown,
    }


def _compaction_data(each: RecordedCompaction, after: AfterCompaction) -> dict[str, Any]:
    return {
        "after_message": each.after,
        "calls_before": each.calls,
        "trigger": each.trigger or "unknown",
        "cleared_results": each.clears,
        "tokens_before": _size_data(each.before),
        "tokens_after": _size_data(each.left),
        "seconds": each.seconds,
        "no_op": each.no_op,
        "window": each.window,
        "window_from": each.window_from,
        "bloated": each.bloated,
        "doubled": each.doubled,
        "instruction_followed": each.followed,
        "attached": {"files": each.attached, "tokens": each.attached_tokens},
        "fetched_again": {
            str(horizon): {
                "after": _fetched_data(held.after),
                "elsewhere": _fetched_data(held.elsewhere),
                "points": held.points,
            }
            for horizon, held in after.fetched.items()
        },
        "calls_before_new_work": {
            "after": after.before_work,
            "elsewhere": after.before_work_elsewhere,
        },
        "said_again": each.said_again,
        "corrections": each.corrections,
        "broken": list(each.broken),
        "rules": asdict(each.rules) if each.rules else dict.fromkeys(asdict(KeptRules())),
    }


def _size_data(size: Counted | None) -> dict[str, Any]:
    if size is None:
        return {"tokens": None, "counted_here": False}
    return {"tokens": size.tokens, "counted_here": size.here}


def _fetched_data(found: Fetched) -> dict[str, int]:
    return {
        "calls": found.calls,
        "again": found.again,
        "tokens": found.tokens,
        "tokens_again": found.tokens_again,
    }


def observed_csv(periods: Sequence[Period]) -> str:
    """One row for each compaction: the members of its JSON, with dots between nested names."""
    rows = [
        {
            "period": period.name,
            "session": str(session.path),
            "number": number,
            **_flat(_compaction_data(*each)),
        }
        for period in periods
        for session in period.sessions
        for number, each in enumerate(session.compactions, start=1)
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: inert("" if value is None else value) for key, value in row.items()})
    return out.getvalue()


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, held in value.items():
        if isinstance(held, Mapping):
            found.update(_flat(held, f"{prefix}{key}."))
        else:
            found[f"{prefix}{key}"] = held
    return found
