"""What compactions cost in recorded sessions, as tables, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_compaction.metrics import (
    BLOATED,
    FAR,
    HORIZONS,
    LEAST_FREED,
    LOOKBACK,
    MOST_POINTS,
    OBSERVED,
    POLLING,
    HeldAgainst,
    Mean,
    ObservedFigure,
    Sessions,
    Told,
    change_between,
    fetched_in,
    freed_by,
    interval_method,
    session_cycles,
    stuck_in,
    told_by_case,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import counted
from pytest_compaction.reports.table import (
    Cell,
    Columns,
    Form,
    Table,
    count,
    estimate,
    inert,
    table_of,
)
from pytest_compaction.text import printable

_NAMED: Final = 3
"""The most names of broken rules that a table shows of a compaction."""
_FORMAT: Final = 1
"""Of the JSON file, raised when the meaning of a key changes."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A session and each of its compactions, as the module ``metrics.observed`` has them."""

    path: Path
    name: str
    format: str
    model: str
    calls: int
    compactions: Sequence[Told]
    cluster: str = ""
    """What the session shares with others of its project; empty if that is not known."""


@dataclass(slots=True)
class Period:
    """The sessions below some paths.

    ``without`` names the sessions that have no compaction on record, ``unreadable`` has paths and
    reasons, and ``unknown`` counts the files in folders that are of no known format. ``of_cases``:
    the sessions are those of the cases of a run.
    """

    name: str
    sessions: list[Observed] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    unknown: int = 0
    of_cases: bool = False

    @property
    def told(self) -> Sessions:
        """The compactions of each session, by its cluster."""
        return [
            (session.cluster or f"{number:09}", session.compactions)
            for number, session in enumerate(self.sessions)
        ]

    @property
    def compactions(self) -> list[Told]:
        """Those of all sessions, in order."""
        return [each for session in self.sessions for each in session.compactions]


def period_of_cases(records: Iterable[Record]) -> Period:
    """The sessions of the cases of a run that have compactions on record."""
    sessions = [
        Observed(
            *(Path(case), case, "", ""),
            told[-1]["calls_before"] + told[-1]["calls_after"],
            told,
            cluster,
        )
        for case, (cluster, told) in told_by_case(records).items()
    ]
    return Period("the cases of this run", sessions, of_cases=True)


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


_Row = tuple[str, int, Sequence[Told]]
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
    for key, told, head in (
        ("said_again", "said_again", "said again"),
        ("corrected", "corrections", "corrected"),
    ):
        columns.append((key, head, partial(_total, key=told)))
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
    return table_of("recorded_sessions", title, columns, rows, notes)


def _total(row: _Row, key: str) -> Cell:
    return count(sum(told[key] or 0 for told in row[2]))


def _fetched_columns(horizon: int) -> Columns[_Row]:
    def again(row: _Row) -> Cell:
        after = fetched_in(row[2], horizon, "after")
        return Cell(f"{after.again:,} of {after.calls:,}")

    def elsewhere(row: _Row) -> Cell:
        return Cell(fetched_in(row[2], horizon, "elsewhere").share, "percent")

    return [
        (f"fetched_again_{horizon}", f"next {horizon}", again),
        (f"elsewhere_{horizon}", "elsewhere", elsewhere),
    ]


_CompactionRow = tuple[str, Told, bool]
"""The name of a compaction, what is told of it, and whether its session was stuck there."""


def _compactions_table(period: Period) -> Table:
    rows: list[_CompactionRow] = []
    for session in period.sessions:
        number = stuck_in(session.compactions)
        stuck = session_cycles(session.compactions)[number - 1] if number else None
        rows += [(f"{session.name} {t['number']}", t, t is stuck) for t in session.compactions]

    def trigger(row: _CompactionRow) -> Cell:
        return Cell(f"{row[1]['trigger']}{', cleared' if row[1]['cleared_results'] else ''}")

    def broken(row: _CompactionRow) -> Cell:
        rules = row[1]["rules"]
        least = rules["could_be_broken"]
        return Cell(f"{rules['broken']} of {least}" if least else "-")

    def remarks(row: _CompactionRow) -> Cell:
        _, told, stuck = row
        said = {
            "no-op": told["no_op"],
            "bloated": told["bloated"],
            "doubled": told["doubled"],
            "stuck": stuck,
            "ignored its instruction": told["instruction_followed"] is False,
        }
        return Cell(", ".join(name for name, holds in said.items() if holds) or "-")

    paid: Columns[_CompactionRow] = [
        ("usd", "US dollars", lambda row: Cell(row[1]["usd"], "score"))
    ]
    forbidden: Columns[_CompactionRow] = [
        ("broken", "then forbidden", lambda row: Cell(", ".join(row[1]["broken"][:_NAMED]) or "-"))
    ]
    columns: Columns[_CompactionRow] = [
        ("compaction", "compaction", lambda row: Cell(row[0])),
        ("trigger", "trigger", trigger),
        ("before", "before", lambda row: Cell(_tokens(row[1]["tokens_before"]))),
        ("after", "after", lambda row: Cell(_tokens(row[1]["tokens_after"]))),
        ("freed", "freed", lambda row: Cell(freed_by(row[1]), "share")),
        ("seconds", "seconds", lambda row: Cell(row[1]["seconds"], "number")),
        *(paid if any(told["usd"] is not None for _, told, _ in rows) else ()),
        ("attached", "attached", lambda row: count(row[1]["attached"]["files"])),
        ("rules", "rules broken", broken),
        *(forbidden if any(told["broken"] for _, told, _ in rows) else ()),
        ("remarks", "remarks", remarks),
    ]
    sources = Counter(told["window_from"] or "unknown" for told in period.compactions)
    windows = "; ".join(f"{source} ({number})" for source, number in sorted(sources.items()))
    another = "" if period.of_cases else "; --window=N takes another"
    notes = [
        "Tokens of the context as the agent counted it; ~ where they were counted here, without "
        "the prompt and the tools of the program. Freed: share of them, both counted the same way. "
        "Attached are files that the program put back. Rules broken: of the rules of the user that "
        "a later call is about, those that one breaks.",
        f"Bloated: more than {BLOATED:.0%} of the window left full. Window: {windows}{another}. "
        f"Stuck: the first of a session before which the context had grown by {LEAST_FREED:.0%} or "
        "more, and which freed less than that or left more than the window.",
    ]
    return table_of("recorded_compactions", "Each compaction on record", columns, rows, notes)


def _tokens(size: Mapping[str, Any]) -> str:
    tokens = size["tokens"]
    return "-" if tokens is None else f"{'~' * size['counted_here']}{tokens:,}"


_FigureRow = tuple[ObservedFigure, HeldAgainst | None]


def _figures_table(period: Period) -> Table:
    found = [(figure, figure.held(period.told)) for figure in OBSERVED]
    rows = [(figure, held) for figure, held in found if held or figure.elsewhere]

    def after(row: _FigureRow) -> Cell:
        figure, held = row
        if figure.elsewhere or held is None:
            return Cell(held.after.value if held else None, _form(figure, False))
        return _estimated(figure, held.after, False)

    def elsewhere(row: _FigureRow) -> Cell:
        found = row[1].elsewhere if row[1] else None
        return Cell(found.value if found else None, _form(row[0], False))

    columns: Columns[_FigureRow] = [
        ("figure", "figure", lambda row: Cell(row[0].label)),
        ("after", "after", after),
        ("elsewhere", "elsewhere", elsewhere),
        (
            *("difference", "difference"),
            lambda row: _estimated(row[0], row[1].difference if row[1] else None, True),
        ),
        ("compactions", "compactions", lambda row: count(row[1].figure.count if row[1] else 0)),
        ("sessions", "sessions", lambda row: count(row[1].figure.cases if row[1] else 0)),
    ]
    methods = dict.fromkeys(
        interval_method(held.figure.cases, held.figure.units).replace("cases", "sessions")
        for _, held in rows
        if held is not None
    )
    notes = [
        "Means over the compactions that tell the figure and, if it has a value elsewhere, can be "
        "held against points elsewhere in their session.",
        f"95 % intervals: {'; '.join(methods) or 'none'}. A "
        "difference whose interval holds 0 is not shown to be any.",
    ]
    title = "After a compaction, and elsewhere"
    return table_of("fetched_again", title, columns, rows, notes)


def _estimated(figure: ObservedFigure, mean: Mean | None, change: bool) -> Cell:
    return estimate(mean, _form(figure, change), (figure.bounds.low, figure.bounds.high))


def _form(figure: ObservedFigure, change: bool) -> Form:
    if figure.kind == "number":
        return "number"
    return "change" if change else "percent"


def _change_table(old: Period, new: Period) -> Table:
    rows = [(figure, found) for figure, found in _changes(old, new) if found or figure.elsewhere]

    def change(row: tuple[ObservedFigure, Any]) -> Cell:
        value, interval = row[1] or (None, None)
        return Cell(value, _form(row[0], True), estimated=True, interval=interval)

    columns: Columns[tuple[ObservedFigure, Any]] = [
        ("figure", "figure", lambda row: Cell(row[0].label)),
        ("change", "new difference - old", change),
    ]
    notes = [
        "By how much the difference between after and elsewhere grew from the old sessions to the "
        "new, or the mean after compactions where nothing is counted elsewhere. 95 % intervals: "
        "jackknife over sessions, none with fewer than six."
    ]
    return table_of("change", "From the old period to the new", columns, rows, notes)


def _changes(
    *periods: Period,
) -> list[tuple[ObservedFigure, tuple[float, tuple[float, float] | None] | None]]:
    return [
        (figure, change_between(*(figure.pairs(period.told) for period in periods)))
        for figure in OBSERVED
    ]


# --- files ----------------------------------------------------------------------------------


def observed_json(periods: Sequence[Period]) -> str:
    """Everything, unrounded, in the shape that ``docs/production-reference.md`` describes."""
    data: dict[str, Any] = {
        "format": _FORMAT,
        "rules": {
            "horizons": HORIZONS,
            "far": FAR,
            "lookback": LOOKBACK,
            "most_points": MOST_POINTS,
            "polling": POLLING,
            "bloated": BLOATED,
            "least_freed": LEAST_FREED,
        },
        "periods": [_period_data(period) for period in periods],
    }
    if len(periods) == 2:
        data["change"] = {
            figure.name: change and {"value": change[0], "interval": change[1]}
            for figure, change in _changes(*periods)
        }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _period_data(period: Period) -> dict[str, Any]:
    figures = {}
    for figure in OBSERVED:
        held = figure.held(period.told)
        figures[figure.name] = held and {
            "after": held.after.value,
            "elsewhere": held.elsewhere and held.elsewhere.value,
            "difference": held.difference and held.difference.value,
            "interval": held.figure.interval,
            "compactions": held.figure.count,
            "sessions": held.figure.cases,
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
                "fetched_again": {
                    str(horizon): {
                        side: asdict(fetched_in(session.compactions, horizon, side))
                        for side in ("after", "elsewhere")
                    }
                    for horizon in HORIZONS
                },
                "cycles": len(session_cycles(session.compactions)),
                "stuck_at": stuck_in(session.compactions),
                "compactions": session.compactions,
            }
            for session in period.sessions
        ],
        "without_compaction": period.without,
        "unreadable": [{"path": path, "reason": reason} for path, reason in period.unreadable],
        "unknown_files": period.unknown,
    }


def observed_csv(periods: Sequence[Period]) -> str:
    """One row for each compaction: the members of its JSON, with dots between nested names."""
    rows = [
        {"period": period.name, "session": str(session.path), **_flat(told)}
        for period in periods
        for session in period.sessions
        for told in session.compactions
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
