"""``pytest-compaction``: what can be done without a test session. Today: ``import``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.importers.case_maker import MadeCase, make_case, write_case
from pytest_compaction.importers.probes import DEFAULT_COUNT
from pytest_compaction.importers.protocol import Importer, ImportFormatError, Transcript
from pytest_compaction.importers.registry import importer_for, importer_named, load_importers
from pytest_compaction.text import printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; the return value is the exit code, 0 when all went well."""
    parser = argparse.ArgumentParser(
        prog="pytest-compaction",
        description="Benchmark cases for context compaction: from your own transcripts.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    _add_import(verbs)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


def _add_import(verbs: Any) -> None:
    parser = verbs.add_parser(
        "import",
        help="make benchmark cases from agent transcripts",
        description="Make a benchmark case with derived probes from each transcript.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="transcript files")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the case files"
    )
    parser.add_argument("--format", metavar="NAME", help="transcript format; detected when absent")
    parser.add_argument(
        "--task", default="assistant", metavar="NAME", help="task of the cases (assistant)"
    )
    parser.add_argument(
        "--probes",
        type=_positive,
        default=DEFAULT_COUNT,
        metavar="N",
        help=f"at most so many probes a case ({DEFAULT_COUNT})",
    )
    parser.set_defaults(run=_import)


def _import(options: argparse.Namespace) -> int:
    loaded = load_importers()
    for problem in loaded.problems:
        _complain(problem)
    failed = False
    written: set[Path] = set()
    for path in options.paths:
        try:
            _import_one(path, options, loaded.importers, written)
        except ImportFormatError as error:
            _complain(str(error))
            failed = True
        except OSError as error:
            _complain(f"{error.filename or path}: {error.strerror or error}")
            failed = True
    return 1 if failed else 0


def _import_one(
    path: Path,
    options: argparse.Namespace,
    importers: Mapping[str, Importer],
    written: set[Path],
) -> None:
    if path.is_dir():
        raise ImportFormatError(f"{path}: a folder; name the transcript files in it")
    if options.format:
        importer = importer_named(options.format, importers)
    else:
        importer = importer_for(path, importers)
    transcript = _read(importer, path)
    made = make_case(transcript, options.task, options.probes)
    target = options.output / f"{made.data['id']}.json"
    if target in written:
        raise ImportFormatError(
            f"{path}: {target} was just written for another transcript of the same name; "
            "import the two into different folders"
        )
    write_case(made.data, target)
    written.add(target)
    _report(target, importer, transcript, made)


def _read(importer: Importer, path: Path) -> Transcript:
    try:
        return importer.read(path)
    except (ImportFormatError, OSError):
        raise
    except Exception as error:
        raise ImportFormatError(
            f"{path}: the importer {importer.name!r} failed with {type(error).__name__}: {error}; "
            "this is a fault of the importer, please report it"
        ) from error


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 7 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def _report(target: Path, importer: Importer, transcript: Transcript, made: MadeCase) -> None:
    ledger = transcript.ledger
    probes = made.data["probes"]
    kinds = Counter(probe["kind"] for probe in probes)
    facts = sum(len(probe["facts"]) for probe in probes)
    print(f"{printable(str(target))}  ({importer.name}: {printable(transcript.source)})")
    print(f"  records read   {ledger.records:>7,}")
    print(f"  messages made  {ledger.messages:>7,}  {made.tokens:,} tokens")
    for title, reasons in (("left out", ledger.left_out), ("put right", ledger.repaired)):
        for reason, number in reasons.items():
            print(f"  {title:<14} {number:>7,}  {printable(reason, 120)}")
    sizes = f"window {made.data['window']:,}, budget {made.data['budget']:,}"
    print(f"  points         {len(made.data['compaction_points']):>7,}  {sizes}")
    shown = ", ".join(f"{kind} {kinds[kind]}" for kind in sorted(kinds))
    print(f"  probes         {len(probes):>7,}  {shown}")
    print(f"  facts          {facts:>7,}")


def _complain(text: str) -> None:
    print(f"pytest-compaction: {printable(text)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
