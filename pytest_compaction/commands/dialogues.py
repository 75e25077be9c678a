"""``pytest-compaction dialogues``: the tables of a dialogue evaluation, from run files."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from pytest_compaction.commands.arguments import add_number, add_output, complain, form_of, write
from pytest_compaction.dialogues import PASS_CONSISTENCY, read_results
from pytest_compaction.options import range_of
from pytest_compaction.reports import TABLE_WIDTH, dialogue_json, dialogue_markdown, dialogue_text


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "dialogues",
        help="show what summaries save in dialogues, and what they cost",
        description="Print the tables of a dialogue evaluation from run files.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="run files")
    add_output(parser, ("text", "markdown", "json"), "tables are")
    least = f"least consistency of a trial that passes (that of the run, else {PASS_CONSISTENCY:g})"
    numbers = range_of("compaction_consistency")
    add_number(parser, "--pass-consistency", numbers, least, metavar="F")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the tables; returns 1 if some of the input cannot be used."""
    results = read_results(options.paths, options.pass_consistency)
    for problem in results.problems:
        complain(problem)
    if not results.evaluations:
        return 1
    form, width = form_of(options), TABLE_WIDTH
    if options.output is None:
        width = min(shutil.get_terminal_size((TABLE_WIDTH, 24)).columns, TABLE_WIDTH)
    if form == "text":
        text = "".join(f"{line}\n" for line in dialogue_text(results.evaluations, width))
    else:
        text = (dialogue_json if form == "json" else dialogue_markdown)(results.evaluations)
    write(options, text)
    return 1 if results.problems else 0
