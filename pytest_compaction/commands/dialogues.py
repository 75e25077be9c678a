"""``pytest-compaction dialogues``: the tables of a dialogue evaluation, from its results."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.complaint import complain
from pytest_compaction.commands.number_type import number_type
from pytest_compaction.dialogues.evaluation import Evaluation
from pytest_compaction.dialogues.published import read_results
from pytest_compaction.metrics.dialogues import PASS_CONSISTENCY
from pytest_compaction.options.table import range_of
from pytest_compaction.reports.dialogues.tables import as_json, markdown, plain
from pytest_compaction.reports.tables.table_page import WIDTH
from pytest_compaction.text import printable

FORMATS: Final = ("text", "markdown", "json")
_BY_SUFFIX: Final = {".md": "markdown", ".json": "json"}


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "dialogues",
        help="show what summaries save in dialogues, and what they cost",
        description="Print the tables of a dialogue evaluation from run files, from published "
        "results.json files or from a published result_summary.json. A dialogue file named "
        "beside a result_summary.json adds the numbers of turns.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="result files")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how the tables are written; by the suffix of PATH when absent, else text",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="write the tables to this file"
    )
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
    width = WIDTH
    if options.output is None:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    text = _rendered(results.evaluations, _format(options), width)
    if options.output is None:
        print(text, end="")
    else:
        try:
            options.output.write_text(text, "utf-8")
        except OSError as error:
            complain(f"{options.output}: cannot be written: {error.strerror or error}")
            return 1
        print(f"written: {printable(str(options.output))}")
    return 1 if results.problems else 0


def _format(options: argparse.Namespace) -> str:
    if options.format is not None:
        return str(options.format)
    suffix = "" if options.output is None else options.output.suffix.lower()
    return _BY_SUFFIX.get(suffix, "text")


def _rendered(evaluations: Sequence[Evaluation], form: str, width: int) -> str:
    if form == "markdown":
        return markdown(evaluations)
    if form == "json":
        return as_json(evaluations)
    return "".join(f"{line}\n" for line in plain(evaluations, width))
