"""``pytest-compaction answers``: puts the replies to exported requests into the store."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import CommandError, complain
from pytest_compaction.models import ExportFolder, missing_replies, take_batch, take_plain
from pytest_compaction.text import printable

MAX_SHOWN: Final = 20


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "answers",
        help="put the replies to exported requests into the store",
        description="Put the replies to the requests that pytest --compaction-export=FOLDER wrote "
        "into the store of that run: result files of a batch, or with --plain one file a reply "
        "in FOLDER/replies. A reply that cannot be used is named, and the exit code is 1; all "
        "others are kept.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the export")
    results = "output and error files of the batch; with --plain, folders of replies"
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS", help=results)
    plain = "read one file a reply, named as its request"
    parser.add_argument("--plain", action="store_true", help=plain)
    store = "another store than that of the export"
    parser.add_argument("--store", type=Path, metavar="DIR", help=store)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Keep the replies and say what is missing; returns 1 if a reply could not be used."""
    folder = ExportFolder.opened(options.folder)
    folder.store = options.store or folder.store
    if not options.results and not options.plain:
        raise CommandError("name the result files of the batch, or read plain replies with --plain")
    try:
        taken = (take_plain if options.plain else take_batch)(folder, options.results)
    except OSError as error:
        why = error.strerror or error
        raise CommandError(f"{options.folder}: cannot be written: {why}") from None
    for problem in taken.problems[:MAX_SHOWN]:
        complain(problem)
    if len(taken.problems) > MAX_SHOWN:
        complain(f"… and {len(taken.problems) - MAX_SHOWN:,} more that could not be used")
    for advice in taken.advice:
        print(printable(advice))
    known = f", {taken.known:,} were there before" if taken.known else ""
    print(f"{taken.kept:,} {'reply' if taken.kept == 1 else 'replies'} put into the store{known}")
    if left := missing_replies(folder):
        print(f"{left:,} exported {'request has' if left == 1 else 'requests have'} no reply yet")
    else:
        print("all exported requests have a reply; export again to see what comes next")
    return 1 if taken.problems else 0
