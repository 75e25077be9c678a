"""``pytest-compaction lint``: checks that case files are sound and their questions useful."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import MAX_SHOWN_FAULTS
from pytest_compaction.case_making import (
    TAIL_SHARE,
    Explanation,
    Inspection,
    by_rule,
    explain,
    inspect,
)
from pytest_compaction.commands.arguments import number_type
from pytest_compaction.text import Range, printable

FORMATS: Final = ("text", "json")


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
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say which words of which message decide for each fact",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how it is written")
    parser.add_argument(
        "--tail",
        type=number_type(Range(0, 10**9, True)),
        metavar="N",
        help="tokens at the end of the log that every strategy is assumed to keep "
        f"({TAIL_SHARE:g} of the budget)",
    )
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
    if options.format == "json":
        data = {"cases": [case.id for case in found.cases]}
        findings = [asdict(finding) for finding in found.findings]
        more = {}
        if options.verbose:
            explained = ((case.source, each) for case in found.cases for each in explain(case))
            more["facts"] = [{"source": source, **asdict(each)} for source, each in explained]
        print(json.dumps({**data, "findings": findings, **more}, ensure_ascii=True, indent=1))
    else:
        _print(found, options.verbose)
    failed = found.count("error") or (options.strict and found.count("warning"))
    return 1 if failed else 0


def _print(found: Inspection, verbose: bool) -> None:
    for source, group in groupby(found.findings, key=lambda finding: finding.source):
        print(printable(source))
        findings = list(group)
        for finding in findings[:MAX_SHOWN_FAULTS]:
            head = f"  {finding.level:<8} {printable(finding.pointer, 60)}  {finding.rule}:"
            print(f"{head} {printable(finding.text, 300)}")
        if len(findings) > MAX_SHOWN_FAULTS:
            rest = by_rule(findings[MAX_SHOWN_FAULTS:])
            counted = ", ".join(f"{rule} {number}" for rule, number in rest.items())
            print(f"  … and {len(findings) - MAX_SHOWN_FAULTS} more: {counted}")
    for case in found.cases if verbose else ():
        print(printable(case.source))
        for each in explain(case):
            print(f"  {printable(each.pointer, 60)}  {_decided(each)}")
    probes = sum(len(case.probes) for case in found.cases)
    facts = sum(len(probe.facts) for case in found.cases for probe in case.probes)
    errors, warnings = found.count("error"), found.count("warning")
    print(
        f"{_some(len(found.cases), 'case')}, {_some(probes, 'probe')}, {_some(facts, 'fact')}: "
        f"{_some(errors, 'error')}, {_some(warnings, 'warning')}"
    )


def _decided(each: Explanation) -> str:
    """One line: the fact, the message that states it, the words that decided, and their clause."""
    reading = each.reading
    where = printable(each.message, 40) if each.message else f"{reading.outcome} in the full log"
    words = f" by {printable(' + '.join(reading.words), 80)}" if reading.words else ""
    clause = f" in “{printable(reading.clause, 120)}”" if reading.clause else ""
    why = f" ({printable(reading.why, 120)})" if reading.why else ""
    return f"“{printable(each.text, 80)}”: {where}{words}{clause}{why}"


def _some(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
