"""``pytest-compaction agree``: how far two runs agree, or the judges within a run."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import CommandError, add_output, form_of, named_run, write
from pytest_compaction.metrics import of_judges, of_readings, of_runs
from pytest_compaction.records import type_of
from pytest_compaction.reports import agreement_json, agreement_markdown, agreement_text
from pytest_compaction.text import printable

_FORMATS: Final = {"text": agreement_text, "markdown": agreement_markdown, "json": agreement_json}


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "agree",
        help="say how far two runs agree, and the judges of a run",
        description="Compare the items of two run files: scores, dimensions, facts and the "
        "ranking of strategies. For each run also compare what its views state with how its "
        "answers score, and its judges or judgements with each other. Calls no model.",
    )
    parser.add_argument("first", type=Path, metavar="RUN", help="a run file, or last")
    parser.add_argument("second", type=Path, nargs="?", metavar="RUN", help="another one")
    add_output(parser, _FORMATS, "tables are")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the figures; returns 1 if there is nothing to compare."""
    named = [named_run(path) for path in (options.first, options.second) if path is not None]
    runs = [[r for r in run.records if type_of(r) == "probe"] for _, run in named]
    paths = [path for path, _ in named]
    # A run is called by its file, or with its folder if both files have one name.
    alike = len({path.name for path in paths}) < len(paths)
    shown = (Path(path.parent.name, path.name) if alike else path.name for path in paths)
    names = [printable(str(each), 40) for each in shown]
    found = [of_runs(runs[0], runs[1], (names[0], names[1]))] if len(runs) > 1 else []
    for name, records in zip(names, runs, strict=True):
        within = [of_readings(records), *of_judges(records)]
        found += [replace(each, first=f"{name}: {each.first}") for each in within if each]
    if not found:
        raise CommandError(
            f"{paths[0]} has one judge and one figure for each item; name a second run to compare "
            "it with, or measure with --compaction-answers to compare views with answers"
        )
    write(options, _FORMATS[form_of(options)](found))
    return 0
