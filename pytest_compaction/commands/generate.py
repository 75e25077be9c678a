"""``pytest-compaction generate``: long conversations with questions whose truth is known."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.long_memory.beam.folder import QUESTIONS, QUESTIONS_FOLDER
from pytest_compaction.case.long_memory.size import size_name
from pytest_compaction.commands.complaint import complain
from pytest_compaction.commands.generate_by_model import (
    connected,
    print_estimate,
    say_notes,
    written_by_model,
)
from pytest_compaction.commands.generate_progress import CallsLine
from pytest_compaction.commands.number_type import number_type
from pytest_compaction.commands.store_option import add_store_option
from pytest_compaction.long_conversations.assemble import (
    FEWEST_TOKENS,
    Conversation,
    make_conversation,
)
from pytest_compaction.models.calls.address import missing_key
from pytest_compaction.models.offline.model import NAME as OFFLINE
from pytest_compaction.models.registry import UnknownModelError, is_offline
from pytest_compaction.options.table import range_of
from pytest_compaction.text.numbers import Range
from pytest_compaction.text.words import printable

MOST_TOKENS: Final = 100_000_000
INTERRUPTED: Final = 130
"""The exit code of a command that was interrupted, as shells have it."""
_PLANS_FROM: Final = 10_000_000
"""From this length on a conversation is split over ten files, as in the published set."""


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "generate",
        help="write long conversations with questions of ten abilities of memory",
        description="Write conversations in the layout of BEAM, with two questions of each "
        "ability, or one below 20,000 tokens. An invented user tells an assistant of some months; "
        "what the questions ask for is stated, changed, contradicted or never said by plan. No "
        "model is needed, and the same seed and length give the same bytes. What is there stays "
        "as it is.",
    )
    parser.add_argument(
        "--tokens",
        type=number_type(Range(FEWEST_TOKENS, MOST_TOKENS, True)),
        default=100_000,
        metavar="N",
        help=f"the length of a conversation, from {FEWEST_TOKENS} (default: 100000)",
    )
    parser.add_argument(
        "--seed",
        type=number_type(Range(0, 999_999_999, True)),
        default=1,
        metavar="N",
        help="what is drawn (default: 1)",
    )
    parser.add_argument(
        "--conversations",
        type=number_type(Range(1, 1000, True)),
        default=1,
        metavar="N",
        help="how many, each with the next seed (default: 1)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="where they are written, as FOLDER/SIZE/SEED",
    )
    parser.add_argument(
        "--model",
        "--compaction-model",
        default=OFFLINE,
        metavar="NAME",
        help="model that writes the plan out; questions that its text does not answer are dropped "
        "(templates)",
    )
    add_store_option(parser)
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="print how many calls that model takes and what they cost, and stop",
    )
    parser.add_argument(
        "--max-cost",
        type=number_type(range_of("compaction_max_cost")),
        metavar="USD",
        help="US dollars that the calls may cost (default: no limit)",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Write the conversations that are not there; returns 1 if one cannot be written, or all are.

    So the same command goes on where it was interrupted.
    """
    try:
        return _run(options)
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on where it was")
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    if not options.model.strip():
        options.refuse("--model: name a model, or leave the option out")
    size = size_name(options.tokens)
    seeds = range(options.seed, options.seed + options.conversations)
    try:
        offline = is_offline(options.model)
        folders = _missing({seed: options.output / size / str(seed) for seed in seeds})
    except UnknownModelError as error:
        options.refuse(f"--model: {error}")
    except OSError as error:
        complain(f"{options.output} cannot be written: {error.strerror or error}")
        return 1
    if not folders:
        return 1
    if offline:
        for name, given in (("--estimate", options.estimate), ("--max-cost", options.max_cost)):
            if given:
                options.refuse(f"{name} needs --model NAME: without a model there are no calls")
        return _write(options, folders, lambda seed: make_conversation(options.tokens, seed))
    problem = missing_key()
    if problem and not options.estimate:
        options.refuse(problem)
    if options.store.exists() and not options.store.is_dir():
        complain(f"--store {options.store} is no folder, so that no call could be kept there")
        return 1
    try:
        endpoints = connected(options)
    except OSError as error:
        complain(f"{options.store}: {error.strerror or error}")
        return 1
    try:
        calls = print_estimate(options, list(folders), endpoints)
        if options.estimate:
            return 0
        line = CallsLine(endpoints.accounts.path, calls, sys.stderr)
        return _write(
            options, folders, lambda seed: written_by_model(options, seed, endpoints, line)
        )
    finally:
        say_notes(endpoints)
        endpoints.close()


def _missing(folders: Mapping[int, Path]) -> dict[int, Path]:
    """The folders that are not there; empty if one is in the way, or all are, which is said.

    Raises :class:`OSError` if it cannot be seen whether they are there.
    """
    there = [folder for folder in folders.values() if os.path.lexists(folder)]
    whole = [folder for folder in there if (folder / QUESTIONS_FOLDER / QUESTIONS).is_file()]
    other = [folder for folder in there if folder not in whole]
    if other or len(there) == len(folders):
        folder = (other or there)[0]
        complain(f"{folder} is there already; remove it, or name another folder or seed")
        return {}
    for folder in there:
        print(f"{printable(str(folder))}: is there already and stays as it is")
    return {seed: folder for seed, folder in folders.items() if folder not in there}


def _write(
    options: argparse.Namespace,
    folders: Mapping[int, Path],
    make: Callable[[int], Conversation | None],
) -> int:
    for seed, folder in folders.items():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            conversation = make(seed)
            if conversation is None:
                return 1
            conversation.write(folder, plans=10 if options.tokens >= _PLANS_FROM else 1)
        except OSError as error:
            complain(f"{folder} cannot be written: {error.strerror or error}")
            return 1
        print(
            f"{printable(str(folder))}: {conversation.tokens:,} tokens, "
            f"{conversation.messages:,} messages, {len(conversation.probings)} questions",
            flush=True,
        )
    where = printable(shlex.quote(str(options.output)))
    print(f"run them with: pytest --compactor=window,anchored --compaction-cases={where}")
    return 0
