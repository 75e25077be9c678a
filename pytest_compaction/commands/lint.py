"""``pytest-compaction lint``: checks that case files are sound and their questions useful."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.files import MAX_SHOWN_FAULTS
from pytest_compaction.case.tail import TAIL_SHARE
from pytest_compaction.probes.lint import Inspection, by_rule, inspect
from pytest_compaction.text.words import printable

FORMATS: Final = ("text", "json")


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "lint",
        help="check case files: evidence, leaks, duplicates, weak facts",
        description="Check case files and folders of them. Errors make the exit code 1: a file "
        "that cannot be used, a question that states its answer, something asked twice, a trap "
        "that is true, and a probe that measures nothing: the tail keeps all its facts, or the "
        "offline model finds none of them in the full log. Warnings tell of single facts that "
        "measure little.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="case files, folders")
    parser.add_argument("--strict", action="store_true", help="warnings make the exit code 1 too")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how it is written")
    parser.add_argument(
        "--tail",
        type=_tokens,
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
        print(json.dumps({**data, "findings": findings}, ensure_ascii=True, indent=1))
    else:
        _print(found)
    failed = found.count("error") or (options.strict and found.count("warning"))
    return 1 if failed else 0


def _print(found: Inspection) -> None:
    for source, group in groupby(found.findings, key=lambda finding: finding.source):
        print(printable(source))
        findings = list(group)
        for finding in findings[:MAX_SHOWN_FAULTS]:
            head = f"  {finding.level:<8} {printable(finding.pointer, 60)}  {finding.rule}:"
            print(f"{head} {printable(finding.text, 300)}")
        if len(findings) > MAX_SHOWN_FAULTS:
            rest = by_rule(findings[MAX_SHOWN_FAULTS:])
            shown = ", ".join(f"{rule} {number}" for rule, number in rest.items())
            print(f"  … and {len(findings) - MAX_SHOWN_FAULTS} more: {shown}")
    probes = sum(len(case.probes) for case in found.cases)
    facts = sum(len(probe.facts) for case in found.cases for probe in case.probes)
    errors, warnings = found.count("error"), found.count("warning")
    print(
        f"{_some(len(found.cases), 'case')}, {_some(probes, 'probe')}, {_some(facts, 'fact')}: "
        f"{_some(errors, 'error')}, {_some(warnings, 'warning')}"
    )


def _some(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _tokens(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)
