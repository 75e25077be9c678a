"""What the commands share: how they read arguments, write their output, and complain."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pytest_compaction.folders import write_whole
from pytest_compaction.records import LAST, Run, find_run, is_run_file, load_run
from pytest_compaction.text import NumberError, Range, printable

DEFAULT_STORE: Final = ".pytest_compaction/store"
_BY_SUFFIX: Final = {".md": "markdown", ".json": "json", ".csv": "csv", ".html": "html"}


class CommandError(Exception):
    """A command cannot do what it was asked for; the text says why, and what to do."""


def complain(text: object) -> None:
    """Write each line to the error stream, safe on a terminal."""
    for line in str(text).split("\n"):
        print(f"pytest-compaction: {printable(line)}", file=sys.stderr)


def named_run(text: str | Path) -> tuple[Path, Run]:
    """The run of a file, the newest one for ``last``; complains of what is unusable."""
    path = find_run(str(text))
    run = load_run(path)
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


def add_number(
    parser: argparse.ArgumentParser, flag: str, numbers: Range, help: str, **more: Any
) -> None:
    """Add a flag with the numbers of a range; ``more`` is as argparse takes it."""
    parser.add_argument(flag, type=number_type(numbers), help=help, **{"metavar": "N", **more})


def add_repeatable(parser: argparse.ArgumentParser, flag: str, metavar: str, help: str) -> None:
    """Add a flag whose values make a list."""
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=help)


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add ``--store``: the folder in which the calls of the model are kept."""
    help = f"where the calls of that model are kept ({DEFAULT_STORE})"
    parser.add_argument("--store", type=Path, default=Path(DEFAULT_STORE), metavar="DIR", help=help)


def add_output(parser: argparse.ArgumentParser, forms: Iterable[str], what: str) -> None:
    """Add ``--format`` and ``--output``, as :func:`form_of` and :func:`write` read them."""
    help = f"how the {what} written; by the suffix of PATH when absent, else text"
    parser.add_argument("--format", choices=tuple(forms), help=help)
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="write to this file")
    parser.set_defaults(forms=tuple(forms))


def form_of(options: argparse.Namespace) -> str:
    suffix = "" if options.output is None else options.output.suffix.lower()
    form = str(options.format or _BY_SUFFIX.get(suffix))
    return form if form in options.forms else "text"


def write(options: argparse.Namespace, text: str) -> None:
    """Print the output, or write it to the file that is named."""
    if options.output is None:
        print(text, end="")
    else:
        write_and_say(options.output, text)


def write_and_say(path: Path, text: str) -> None:
    write_file(path, text)
    print(f"written: {printable(str(path))}")


def write_file(path: Path, text: str) -> None:
    """Write a whole file; raises :class:`CommandError` if that cannot be."""
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None
