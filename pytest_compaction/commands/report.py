"""``pytest-compaction report``: the tables of a run, from its records."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import add_output, complain, form_of, named_run, written
from pytest_compaction.records import Run, run_pricing, type_of
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

FORMATS: Final = ("text", "markdown", "json", "csv", "html")
TABLES: Final = (
    "strategies",
    *LONG_MEMORY,
    "origins",
    "production",
    "losses",
    "cycles",
    "fetched_again",
    "most_lost",
    "cost",
    "task",
)


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
    parser.add_argument(
        "run_files",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="a run file, or last; several make one page that compares them",
    )
    add_output(parser, FORMATS, "tables are")
    parser.add_argument(
        "--table", choices=TABLES, action="append", help="only this table; repeatable"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the tables; returns 1 if the run has none of those asked for."""
    named = [named_run(path) for path in options.run_files]
    if form_of(options) == "html":
        return _page(options, named)
    if len(named) > 1:
        complain("tables are those of one run; several make a page: add -o PATH.html")
        return 1
    ((run_file, found),) = named
    probes = [record for record in found.records if type_of(record) == "probe"]
    if not probes:
        complain(_no_probes(run_file))
        return 1
    settings = found.header.get("settings") or {}
    pricing = run_pricing(str(settings.get("responder")), probes)
    tables = [
        item for item in run_tables(probes, pricing) if item.name in (options.table or TABLES)
    ]
    missing = [name for name in options.table or () if name not in {item.name for item in tables}]
    for name in missing:
        complain(f"{run_file} has no table {name!r}: {_needs(name)}")
    if not tables:
        return 1
    text = _rendered(tables, form_of(options))
    return 0 if written(options, text) and not missing else 1


def _page(options: argparse.Namespace, named: Sequence[tuple[Path, Run]]) -> int:
    from pytest_compaction.reports import PageRun, page_of

    if options.table:
        complain("a page holds all tables; leave --table out")
        return 1
    for path, found in named:
        if not any(type_of(record) == "probe" for record in found.records):
            complain(_no_probes(path))
            return 1
    shown = [PageRun(path.stem, found, path.parent) for path, found in named]
    return 0 if written(options, page_of(shown)) else 1


def _no_probes(path: Path) -> str:
    return (
        f"{path} holds no record of a probe; the tables of dialogues are those of "
        "pytest-compaction dialogues"
    )


def _needs(name: str) -> str:
    if name in LONG_MEMORY:
        return "it needs a run over long conversations, with questions of that kind"
    if name == "origins":
        return "it needs a run over real and scripted cases"
    if name == "task":
        return (
            "it needs a run by this version over cases that say what a fact was needed for, and "
            "that go on after a compaction, such as real ones or imported sessions"
        )
    if name == "fetched_again":
        return "it needs cases whose agent compacted, with calls far from that to compare with"
    if name in {"losses", "cycles", "most_lost", "cost"}:
        return "it needs a run of a strategy that compacted and lost something, by this version"
    return (
        "it needs a run of recorded over cases with compactions on record, such as "
        "--compactor=recorded,anchored --compaction-budget=recorded"
    )


def _rendered(tables: Sequence[Table], form: str) -> str:
    if form == "markdown":
        return "\n\n".join(part for item in tables for part in markdown_table(item)) + "\n"
    if form == "json":
        data = {"tables": {item.name: json_table(item) for item in tables}}
        return json.dumps(data, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return csv_tables(tables)
    return "\n\n".join("\n".join(_plain(item)) for item in tables) + "\n"


def _plain(item: Table) -> Iterator[str]:
    """A table in columns; the names of abilities are never cut."""
    return plain_table(item, label=ABILITY) if item.name in LONG_MEMORY else plain_table(item)
