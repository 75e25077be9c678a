"""``pytest-compaction compare``: what changed between runs, or between strategies of a run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import add_number, add_output, complain, form_of, write
from pytest_compaction.metrics import adjusted_p, run_changes
from pytest_compaction.records import (
    BaselineError,
    Source,
    cases_note,
    differences,
    load_baseline,
    parse_source,
    strategies_of,
    version_note,
)
from pytest_compaction.reports import (
    RunComparison,
    Side,
    comparison_json,
    comparison_markdown,
    comparison_text,
)
from pytest_compaction.text import Range

_ITEMS: Final = 10


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="say what changed between runs: scores, facts gained and lost, items",
        description="Compare runs item by item, each of the others with the first: paired "
        "differences with their intervals, facts gone and regained, and the items that changed "
        "most with both answers. Without @STRATEGY the strategies that both have are compared, or "
        "the only one of each. Calls no model.",
    )
    source = (
        "a run file, a folder whose newest run is taken, a baseline file, or last; "
        "RUN@STRATEGY for one strategy of it"
    )
    parser.add_argument("first", metavar="A", help=source)
    parser.add_argument("others", nargs="+", metavar="B", help="the same")
    anyway = "compare runs of other models, judges, prompts or cases too, and say what differs"
    parser.add_argument("--anyway", action="store_true", help=anyway)
    items = f"show the N items that changed most (default: {_ITEMS})"
    add_number(parser, "--items", Range(0, 10**6, True), items, default=_ITEMS)
    add_output(parser, ("text", "markdown", "json"), "comparison is")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print or write the comparisons; returns 1 if runs cannot be compared."""
    first, *others = (parse_source(text, Path()) for text in (options.first, *options.others))
    pairs = [pair for other in others for pair in _compared(first, other, options.anyway)]
    values = adjusted_p([pair.changes for pair in pairs])
    found = [replace(pair, p=p) for pair, p in zip(pairs, values, strict=True)]
    form = form_of(options)
    if form == "json":
        made = comparison_json(found)
        text = json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = (comparison_markdown if form == "markdown" else comparison_text)(
            found, options.items
        )
    write(options, text)
    return 0


def _compared(first: Source, other: Source, anyway: bool) -> Iterator[RunComparison]:
    for one, two in _pairs(first, other):
        before, after = load_baseline(first, one), load_baseline(other, two)
        for problem in dict.fromkeys((*before.problems, *after.problems)):
            complain(problem)
        names, headers = (before.title, after.title), (before.header, after.header)
        problems = differences(*headers, names)
        if problems and not anyway:
            listed = "".join(f"\n  {problem}" for problem in problems)
            raise BaselineError(
                f"{names[0]} and {names[1]} cannot be compared:{listed}\n"
                "--anyway compares them all the same"
            )
        told = (cases_note(*headers, names), version_note(*headers, names))
        found = run_changes(before.records, after.records)
        if not found.items:
            raise BaselineError(f"no item has a score both in {names[0]} and in {names[1]}")
        sides = Side(before.title, before.strategy), Side(after.title, after.strategy)
        yield RunComparison(*sides, found, {}, (*problems, *filter(None, told)))


def _pairs(first: Source, other: Source) -> list[tuple[str, str]]:
    """The strategies to compare: the only ones, those that are named, or those of both."""
    ones, others = ([s.strategy] if s.strategy else strategies_of(s) for s in (first, other))
    if len(ones) == 1 and len(others) == 1:
        return [(ones[0], others[0])]
    if first.strategy or other.strategy:
        named = first.strategy or other.strategy or ""
        return [(named, other.strategy or named)]
    common = [name for name in ones if name in others]
    if not common:
        raise BaselineError(
            f"{first.path} and {other.path} have no strategy in common; name one of each, as in "
            f"{first.path.name}@{ones[0]} {other.path.name}@{others[0]}"
        )
    return [(name, name) for name in common]
