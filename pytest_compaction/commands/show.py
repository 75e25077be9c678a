"""``pytest-compaction show``: a case, or an item of a run, readable in the terminal."""

from __future__ import annotations

import argparse
import difflib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.case import Case, find_cases
from pytest_compaction.commands.arguments import CommandError, complain, is_run, named_run
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
    paths = "case files, folders; or RUN [ITEM], ITEM being a part of its id"
    parser.add_argument("paths", nargs="+", type=Path, metavar="CASE", help=paths)
    parser.add_argument("--messages", action="store_true", help="only the messages")
    parser.add_argument("--probes", action="store_true", help="only the probes")
    point = (
        "only the messages since the point before, what is on record there, and the probes that "
        "are asked after it"
    )
    parser.add_argument("--point", metavar="P", help=point)
    parser.add_argument("--full", action="store_true", help="shorten nothing")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the cases or items; returns 1 if one cannot be used or there is no such point."""
    page = Page(min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH), options.full)
    if is_run(options.paths[0]):
        print("\n".join(_run_or_item(options.paths, page)))
        return 0
    loaded = find_cases(options.paths)
    problems = [*map(str, loaded.errors)]
    for error in problems:
        complain(error)
    for number, case in enumerate(loaded.cases):
        point, names = None, [each.id for each in case.points]
        if options.point in names:
            point = names.index(options.point)
        elif options.point is not None:
            what, there = printable(options.point, 60), ", ".join(names)
            hint = _near(options.point, names, 0.6)
            problems.append(f"{case.source}: no point {what!r}: there is {there}{hint}")
            complain(problems[-1])
            continue
        print("\n".join([*([""] if number else []), *_case(case, page, options, point)]))
    return 1 if problems else 0


def _run_or_item(named: Sequence[Path], page: Page) -> Iterator[str]:
    run, *items = named
    if len(items) > 1:
        raise CommandError(f"show {run} takes one item; there are {len(items)}")
    path, found = named_run(run)
    if not items:
        yield from every_item(found.records, page)
        return
    text = str(items[0])
    there = find_items(found.records, text)
    if len(there) > 1:
        several = listed([item_id(record) for record in there])
        raise CommandError(f"{len(there)} items of {path} hold {text!r}: {several}")
    if not there:
        hint = _near(text, [item_id(record) for record in found.records], 0.3)
        raise CommandError(
            f"{path}: no item {text!r}{hint} (pytest-compaction show {path} lists all)"
        )
    yield from item_page(there[0], RunTexts(path.parent).view(there[0]), page)


def _near(name: str, names: Sequence[str], cutoff: float) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


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
