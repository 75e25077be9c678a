"""``pytest-compaction dialogues``: the tables of a dialogue evaluation, from run files."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import add_output, complain, form_of, number_type, written
from pytest_compaction.dialogues import PASS_CONSISTENCY, read_results
from pytest_compaction.options import range_of
from pytest_compaction.reports import TABLE_WIDTH, dialogue_json, dialogue_markdown, dialogue_text

FORMATS: Final = ("text", "markdown", "json")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "dialogues",
        help="show what summaries save in dialogues, and what they cost",
        description="Print the tables of a dialogue evaluation from run files.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="run files")
    add_output(parser, FORMATS, "tables are")
    parser.add_argument(
        "--pass-consistency",
        type=number_type(range_of("compaction_consistency")),
        metavar="F",
        help=f"least consistency of a trial that passes (that of the run, else "
        f"{PASS_CONSISTENCY:g})",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the tables; returns 1 if some of the input cannot be used."""
    results = read_results(options.paths, options.pass_consistency)
    for problem in results.problems:
        complain(problem)
    if not results.evaluations:
        return 1
    width = TABLE_WIDTH
    if options.output is None:
        width = min(shutil.get_terminal_size((TABLE_WIDTH, 24)).columns, TABLE_WIDTH)
    form = form_of(options)
    if form == "text":
        text = "".join(f"{line}\n" for line in dialogue_text(results.evaluations, width))
    else:
        text = (dialogue_json if form == "json" else dialogue_markdown)(results.evaluations)
    return 0 if written(options, text) and not results.problems else 1
