"""``pytest-compaction report``: the tables of a run, from its records."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import (
    CommandError,
    add_output,
    complain,
    form_of,
    named_run,
    write,
)
from pytest_compaction.records import run_pricing, type_of
from pytest_compaction.reports import (
    ABILITY,
    LONG_MEMORY,
    Table,
    csv_tables,
    json_table,
    markdown_table,
    plain_table,
    run_tables,
)

_COMPACTED: Final = "a run of a strategy that compacted and lost something, by this version"
_RECORD: Final = (
    "a run of recorded over cases with compactions on record, such as "
    "--compactor=recorded,anchored --compaction-budget=recorded"
)
_NEEDS: Final = {
    "strategies": "items with a score",
    "budgets": "a run at several budgets, such as --compaction-budget=1000,2000",
    "curve": "a strategy that reads the question, such as window+archive or rag",
    **dict.fromkeys(LONG_MEMORY, "a run over long conversations, with questions of that kind"),
    "classes": "cases of two tasks or lengths",
    "origins": "a run over real and scripted cases",
    "production": _RECORD,
    **dict.fromkeys(("losses", "survival", "runway", "cycles"), _COMPACTED),
    **dict.fromkeys(
        ("recorded_sessions", "recorded_compactions", "fetched_again"),
        "cases whose agent compacted, in a run by this version",
    ),
    "lost_by": "a run of two strategies or more beside none, by this version",
    **dict.fromkeys(("most_lost", "cost"), _COMPACTED),
    "task": "a run by this version over cases that say what a fact was needed for, and that go on "
    "after a compaction, such as real ones or imported sessions",
}
"""The tables, and what a run needs for each."""
TABLES: Final = tuple(_NEEDS)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="show the tables of a run: strategies, real and scripted cases, losses and costs",
        description="Print the tables of a run from its file: its strategies, what they know of "
        "long conversations, real and scripted cases apart where it has both, where `recorded` was "
        "among the strategies, what production compaction lost by type of fact, what the recorded "
        "agents looked up again, and what each "
        "strategy lost and what that costs. With -o PATH.html write one page that shows every "
        "item, of several runs too.",
    )
    files = "a run file, or last; several make one page that compares them"
    parser.add_argument("run_files", nargs="+", type=Path, metavar="RUN", help=files)
    add_output(parser, ("text", "markdown", "json", "csv", "html"), "tables are")
    parser.add_argument(
        "--table", choices=TABLES, action="append", help="only this table; repeatable"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the tables; returns 1 if the run has none of those asked for."""
    named = [named_run(path) for path in options.run_files]
    form = form_of(options)
    if form == "html" and options.table:
        raise CommandError("a page holds all tables; leave --table out")
    if form != "html" and len(named) > 1:
        raise CommandError("tables are those of one run; several make a page: add -o PATH.html")
    for path, found in named:
        if not any(type_of(record) == "probe" for record in found.records):
            raise CommandError(
                f"{path} holds no record of a probe; the tables of dialogues are those of "
                "pytest-compaction dialogues"
            )
    if form == "html":
        from pytest_compaction.reports import PageRun, page_of  # takes long to import

        write(options, page_of([PageRun(path.stem, found, path.parent) for path, found in named]))
        return 0
    ((run_file, found),) = named
    probes = [record for record in found.records if type_of(record) == "probe"]
    settings = found.header.get("settings") or {}
    pricing = run_pricing(str(settings.get("responder")), probes)
    there = {table.name: table for table in run_tables(probes, pricing)}
    missing = [name for name in options.table or () if name not in there]
    for name in missing:
        complain(f"{run_file} has no table {name!r}: it needs {_NEEDS[name]}")
    tables = [each for name, each in there.items() if name in (options.table or TABLES)]
    if tables:
        write(options, _rendered(tables, form))
    return 0 if tables and not missing else 1


def _rendered(tables: Sequence[Table], form: str) -> str:
    if form == "markdown":
        return "\n\n".join(part for item in tables for part in markdown_table(item)) + "\n"
    if form == "json":
        data = {"tables": {item.name: json_table(item) for item in tables}}
        return json.dumps(data, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return csv_tables(tables)
    # The names of abilities are never cut.
    wide = ({"label": ABILITY} if item.name in LONG_MEMORY else {} for item in tables)
    shown = (plain_table(item, **how) for item, how in zip(tables, wide, strict=True))
    return "\n\n".join(map("\n".join, shown)) + "\n"
