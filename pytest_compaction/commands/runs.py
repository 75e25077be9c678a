"""``pytest-compaction runs``: the runs of a folder, one line each."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.records import DEFAULT_FOLDER, RunFileError, load_run, run_files
from pytest_compaction.reports import Damaged, Listed, run_list


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "runs",
        help="list the runs of a folder, the newest last",
        description="List the runs of a folder, the newest last: number, strategies, items, cases, "
        "overall score and Pass^1, and the settings in which it differs from the run before. A "
        "damaged file is a line that says so.",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DEFAULT_FOLDER,
        metavar="FOLDER",
        help=f"where the runs are (default: {DEFAULT_FOLDER})",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the list; returns 1 if there is no run."""
    found: list[Listed | Damaged] = []
    for path in run_files(options.folder):
        try:
            found.append(Listed(path.stem, load_run(path)))
        except RunFileError as error:
            found.append(Damaged(path.stem, str(error)))
    if not found:
        raise CommandError(
            f"there is no run in {options.folder}; run pytest --compactor=NAME first"
        )
    print("\n".join(run_list(found)))
    return 0
