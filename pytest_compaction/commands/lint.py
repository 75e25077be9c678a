"""``pytest-compaction lint``: checks that case files are sound and their questions useful."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from pytest_compaction.case import MAX_SHOWN_FAULTS
from pytest_compaction.case_making import (
    TAIL_SHARE,
    Explanation,
    Inspection,
    by_rule,
    explain,
    inspect,
)
from pytest_compaction.commands.arguments import add_number
from pytest_compaction.reports import counted
from pytest_compaction.text import Range, printable


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "lint",
        help="check case files: evidence, keys, leaks, duplicates, weak facts",
        description="Check case files and folders of them. Errors make the exit code 1: a file "
        "that cannot be used, a question that states its answer, something asked twice, a trap "
        "that is true, keys that do not fit their fact, a fact that the full log does not state, "
        "and a probe of which the tail keeps all facts. Warnings tell of what measures little.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="case files, folders")
    parser.add_argument("--strict", action="store_true", help="warnings make the exit code 1 too")
    verbose = "say which words of which message decide for each fact"
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)
    forms = ("text", "json")
    parser.add_argument("--format", choices=forms, default="text", help="how it is written")
    tail = (
        "tokens at the end of the log that every strategy is assumed to keep "
        f"({TAIL_SHARE:g} of the budget)"
    )
    add_number(parser, "--tail", Range(0, 10**9, True), tail)
    parser.add_argument(
        "--no-answers",
        dest="answers",
        action="store_false",
        help="do not check whether the offline model can answer from the full log",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the findings; returns 1 for an error, and with ``--strict`` also for a warning."""
    found = inspect(options.paths, options.tail, options.answers)
    facts = [(case.source, explain(case)) for case in found.cases if options.verbose]
    if options.format == "json":
        data: dict[str, Any] = {
            "cases": [case.id for case in found.cases],
            "findings": [asdict(finding) for finding in found.findings],
        }
        if options.verbose:
            data["facts"] = [{"source": name, **asdict(one)} for name, all in facts for one in all]
        print(json.dumps(data, ensure_ascii=True, indent=1))
    else:
        _print(found, facts)
    failed = found.count("error") or (options.strict and found.count("warning"))
    return 1 if failed else 0


def _print(found: Inspection, facts: Iterable[tuple[str, Iterable[Explanation]]]) -> None:
    for source, group in groupby(found.findings, key=lambda finding: finding.source):
        print(printable(source))
        findings = list(group)
        for finding in findings[:MAX_SHOWN_FAULTS]:
            head = f"  {finding.level:<8} {printable(finding.pointer, 60)}  {finding.rule}:"
            print(f"{head} {printable(finding.text, 300)}")
        if rest := findings[MAX_SHOWN_FAULTS:]:
            by_rules = ", ".join(f"{rule} {number}" for rule, number in by_rule(rest).items())
            print(f"  … and {len(rest)} more: {by_rules}")
    for source, explained in facts:
        print(printable(source))
        for each in explained:
            reading = each.reading
            where = each.message or f"{reading.outcome} in the full log"
            words = f" by {printable(' + '.join(reading.words), 80)}" if reading.words else ""
            clause = f" in “{printable(reading.clause, 120)}”" if reading.clause else ""
            why = f" ({printable(reading.why, 120)})" if reading.why else ""
            said = f"“{printable(each.text, 80)}”: {printable(where, 40)}{words}{clause}{why}"
            print(f"  {printable(each.pointer, 60)}  {said}")
    probes = [probe for case in found.cases for probe in case.probes]
    some = (
        (len(found.cases), "case"),
        (len(probes), "probe"),
        (sum(len(probe.facts) for probe in probes), "fact"),
    )
    levels = ((found.count(level), level) for level in ("error", "warning"))
    print(": ".join(", ".join(counted(*each) for each in row) for row in (some, levels)))
