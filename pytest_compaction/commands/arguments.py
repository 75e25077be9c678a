"""What the commands share: how they read arguments, write their output, and complain."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pytest_compaction.folders import write_whole
from pytest_compaction.records import LAST, Run, RunFileError, find_run, is_run_file, load_run
from pytest_compaction.text import NumberError, Range, printable

DEFAULT_STORE: Final = ".pytest_compaction/store"
_BY_SUFFIX: Final = {".md": "markdown", ".json": "json", ".csv": "csv", ".html": "html"}


class CommandError(Exception):
    """A command cannot do what it was asked for; the text says why. It ends with 1."""


def complain(text: str) -> None:
    """Write each line to the error stream, safe on a terminal."""
    for line in text.split("\n"):
        print(f"pytest-compaction: {printable(line)}", file=sys.stderr)


def named_run(text: str | Path) -> tuple[Path, Run]:
    """The run of a file, the newest one for ``last``; complains of what is unusable."""
    try:
        path = find_run(str(text))
        run = load_run(path)
    except RunFileError as error:
        raise CommandError(str(error)) from None
    for problem in run.problems:
        complain(problem)
    return path, run


def is_run(path: Path) -> bool:
    """Whether what a user named is a run; a file of cases may end in ``.jsonl`` too."""
    return is_run_file(path) or (str(path) == LAST and not path.exists())


def number_type(numbers: Range) -> Callable[[str], Any]:
    """The ``type`` of a flag: it takes the numbers of a range and no other."""

    def read(text: str) -> Any:
        try:
            return numbers.read(text)
        except NumberError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``: the folder in which the calls of the model are kept."""
    parser.add_argument(
        "--store",
        type=Path,
        default=Path(DEFAULT_STORE),
        metavar="DIR",
        help=f"where the calls of that model are kept ({DEFAULT_STORE})",
    )


def add_output(parser: argparse.ArgumentParser, forms: Iterable[str], what: str) -> None:
    parser.add_argument(
        "--format",
        choices=tuple(forms),
        help=f"how the {what} written; by the suffix of PATH when absent, else text",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="write to this file")
    parser.set_defaults(forms=tuple(forms))


def form_of(options: argparse.Namespace) -> str:
    suffix = "" if options.output is None else options.output.suffix.lower()
    form = str(options.format or _BY_SUFFIX.get(suffix))
    return form if form in options.forms else "text"


def written(options: argparse.Namespace, text: str) -> bool:
    """Print the output, or write it to the file that is named; false if that cannot be."""
    if options.output is None:
        print(text, end="")
        return True
    try:
        write_whole(options.output, text.encode())
    except OSError as error:
        complain(f"{options.output}: cannot be written: {error.strerror or error}")
        return False
    print(f"written: {printable(str(options.output))}")
    return True
