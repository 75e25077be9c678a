"""``pytest-compaction show``: a case, readable in the terminal."""

from __future__ import annotations

import argparse
import difflib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.case.case import Case
from pytest_compaction.case.files import load_cases
from pytest_compaction.commands.complaint import complain
from pytest_compaction.reports import case_page as cases
from pytest_compaction.text.words import printable

MAX_WIDTH = 200


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "show",
        help="show a case: messages, points, probes, facts, traps",
        description="Show case files readably, long texts shortened. Without --messages or "
        "--probes both are shown.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="CASE", help="case files, folders")
    parser.add_argument("--messages", action="store_true", help="only the messages")
    parser.add_argument("--probes", action="store_true", help="only the probes")
    parser.add_argument(
        "--point",
        metavar="P",
        help="only the messages since the point before, what is on record there, and the probes "
        "that are asked after it",
    )
    parser.add_argument("--full", action="store_true", help="shorten nothing")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the cases; returns 1 if one cannot be used or has no such point."""
    loaded = load_cases(options.paths)
    for error in loaded.errors:
        for line in str(error).splitlines():
            complain(line)
    failed = bool(loaded.errors)
    width = min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH)
    page = cases.Page(width, options.full)
    for number, case in enumerate(loaded.cases):
        point = None
        if options.point is not None:
            names = [each.id for each in case.points]
            if options.point not in names:
                complain(_no_point(case, options.point, names))
                failed = True
                continue
            point = names.index(options.point)
        for line in ["", *_case(case, page, options, point)][0 if number else 1 :]:
            print(line)
    return 1 if failed else 0


def _no_point(case: Case, name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    there = ", ".join(names)
    return f"{case.source}: no point {printable(name, 60)!r}: there is {there}{hint}"


def _case(
    case: Case, page: cases.Page, options: argparse.Namespace, point: int | None
) -> Iterator[str]:
    both = options.messages == options.probes
    yield from cases.overview(case, page)
    if both or options.messages:
        yield ""
        yield from cases.messages(case, page, point)
        if point is not None:
            yield from cases.recorded(case, point, page)
    if both or options.probes:
        yield ""
        yield from cases.probes(case, page, point)
