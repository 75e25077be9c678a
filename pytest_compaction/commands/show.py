"""``pytest-compaction show``: a case, or an item of a run, readable in the terminal."""

from __future__ import annotations

import argparse
import difflib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.case import Case, find_cases
from pytest_compaction.commands.arguments import complain, is_run, named_run
from pytest_compaction.metrics import listed
from pytest_compaction.records import RunTexts
from pytest_compaction.reports import (
    Page,
    case_messages,
    case_overview,
    case_probes,
    every_item,
    find_items,
    item_id,
    item_page,
    recorded_view,
)
from pytest_compaction.text import printable

MAX_WIDTH = 200


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="show a case: messages, points, probes, facts, traps; or the items of a run",
        description="Show case files readably, long texts shortened. Without --messages or "
        "--probes both are shown. For a run file, or last, list its items, or show one of them: "
        "question, view, answer, facts and verdict.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="CASE",
        help="case files, folders; or RUN [ITEM], ITEM being a part of its id",
    )
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
    """Print the cases or items; returns 1 if one cannot be used or there is no such point."""
    if is_run(options.paths[0]):
        return _run_or_item(options.paths, Page(_width(), options.full))
    loaded = find_cases(options.paths)
    for error in loaded.errors:
        complain(str(error))
    failed = bool(loaded.errors)
    page = Page(_width(), options.full)
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


def _width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH)


def _run_or_item(named: Sequence[Path], page: Page) -> int:
    run, *items = named
    if len(items) > 1:
        complain(f"show {run} takes one item; there are {len(items)}")
        return 1
    path, found = named_run(run)
    if not items:
        for line in every_item(found.records, page):
            print(line)
        return 0
    text = str(items[0])
    there = find_items(found.records, text)
    if len(there) != 1:
        complain(_not_one(path, text, [item_id(record) for record in there or found.records]))
        return 1
    for line in item_page(there[0], RunTexts(path.parent).view(there[0]), page):
        print(line)
    return 0


def _not_one(path: Path, text: str, names: Sequence[str]) -> str:
    several = [name for name in names if text in name]
    if several:
        return f"{len(several)} items of {path} hold {text!r}: {listed(several)}"
    near = difflib.get_close_matches(text, names, n=1, cutoff=0.3)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{path}: no item {text!r}{hint} (pytest-compaction show {path} lists all)"


def _no_point(case: Case, name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    there = ", ".join(names)
    return f"{case.source}: no point {printable(name, 60)!r}: there is {there}{hint}"


def _case(case: Case, page: Page, options: argparse.Namespace, point: int | None) -> Iterator[str]:
    both = options.messages == options.probes
    yield from case_overview(case, page)
    if both or options.messages:
        yield ""
        yield from case_messages(case, page, point)
        if point is not None:
            yield from recorded_view(case, point, page)
    if both or options.probes:
        yield ""
        yield from case_probes(case, page, point)
