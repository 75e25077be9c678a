# PYTHON_ARGCOMPLETE_OK
"""``pytest-compaction``: the commands that need no test session."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final, NoReturn

from pytest_compaction.commands import (
    agree,
    answers,
    compare,
    dialogues,
    doctor,
    gate,
    generate,
    import_transcripts,
    lint,
    merge,
    production,
    report,
    rubric,
    runs,
    show,
)
from pytest_compaction.commands.ab import command as ab
from pytest_compaction.commands.arguments import CommandError, complain
from pytest_compaction.commands.init import command as init
from pytest_compaction.commands.review import command as review
from pytest_compaction.commands.words import command as words
from pytest_compaction.gate import ThresholdError
from pytest_compaction.models import ArchiveError, ExportError
from pytest_compaction.options import COMPLETES
from pytest_compaction.records import BaselineError, MergeError, RunFileError
from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable

COMMANDS: Final = (
    init,
    doctor,
    import_transcripts,
    review,
    generate,
    lint,
    show,
    runs,
    report,
    production,
    compare,
    ab,
    gate,
    merge,
    agree,
    rubric,
    dialogues,
    answers,
    words,
)
"""Modules with ``add(commands)``, in the order of the help text; add a new command here."""


USER_ERRORS: Final = (
    CommandError,
    ArchiveError,
    BaselineError,
    ExportError,
    MergeError,
    OptionError,
    RunFileError,
    ThresholdError,
)
"""Errors whose text is a sentence for the user."""
INTERRUPTED: Final = 130
"""The exit code of a command that was interrupted, as shells have it."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code, 0 for success."""
    parser = _Parser(
        prog="pytest-compaction",
        description="Cases for the compaction benchmark, and what its results say.",
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {version('pytest-compaction')}"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    if COMPLETES in os.environ:
        try:
            import argcomplete
        except ImportError:
            return 1
        argcomplete.autocomplete(parser)
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except USER_ERRORS as error:
        complain(error)
        return int(getattr(options, "unusable", 1))
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on where it was")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as with `| head`; the interpreter's own flush would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
