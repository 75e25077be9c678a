"""``pytest-compaction generate``: long conversations with questions whose truth is known."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.long_memory.size import size_name
from pytest_compaction.commands.complaint import complain
from pytest_compaction.commands.generate_by_model import (
    DEFAULT_STORE,
    connected,
    print_estimate,
    written_by_model,
)
from pytest_compaction.long_conversations.assemble import (
    FEWEST_TOKENS,
    Conversation,
    make_conversation,
)
from pytest_compaction.models.offline.model import NAME as OFFLINE
from pytest_compaction.models.registry import is_offline
from pytest_compaction.text.words import printable

MOST_TOKENS: Final = 100_000_000
_PLANS_FROM: Final = 10_000_000
"""From this length on a conversation is split over ten files, as in the published set."""


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "generate",
        help="write long conversations with questions of ten abilities of memory",
        description="Write conversations in the layout of BEAM, with twenty questions each, two of "
        "each ability. An invented user tells an assistant of some months; what the questions ask "
        "for is stated, changed, contradicted or never said by plan. No model is needed, and the "
        "same seed and length give the same bytes.",
    )
    parser.add_argument(
        "--tokens",
        type=_tokens,
        default=100_000,
        metavar="N",
        help=f"the length of a conversation, from {FEWEST_TOKENS} (default: 100000)",
    )
    parser.add_argument(
        "--seed", type=_seed, default=1, metavar="N", help="what is drawn (default: 1)"
    )
    parser.add_argument(
        "--conversations",
        type=_count,
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
    parser.add_argument(
        "--store",
        type=Path,
        default=Path(DEFAULT_STORE),
        metavar="DIR",
        help=f"where the calls of that model are kept ({DEFAULT_STORE})",
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="print how many calls that model takes and what they cost, and stop",
    )
    parser.add_argument(
        "--max-cost",
        type=_dollars,
        metavar="USD",
        help="US dollars that the calls may cost (default: no limit)",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Write the conversations; returns 1 if one is there already, or cannot be written."""
    size = size_name(options.tokens)
    seeds = range(options.seed, options.seed + options.conversations)
    folders = {seed: options.output / size / str(seed) for seed in seeds}
    for folder in folders.values():
        if folder.exists():
            complain(f"{folder} is there already; remove it, or name another folder or seed")
            return 1
    if is_offline(options.model):
        if options.estimate:
            options.refuse("--estimate needs --model NAME: without a model there are no calls")
        return _write(options, folders, lambda seed: make_conversation(options.tokens, seed))
    try:
        endpoints = connected(options)
    except OSError as error:
        complain(f"{options.store}: {error.strerror or error}")
        return 1
    try:
        print_estimate(options, seeds, endpoints)
        if options.estimate:
            return 0
        return _write(options, folders, lambda seed: written_by_model(options, seed, endpoints))
    finally:
        endpoints.close()


def _write(
    options: argparse.Namespace,
    folders: Mapping[int, Path],
    make: Callable[[int], Conversation | None],
) -> int:
    for seed, folder in folders.items():
        conversation = make(seed)
        if conversation is None:
            return 1
        try:
            conversation.write(folder, plans=10 if options.tokens >= _PLANS_FROM else 1)
        except OSError as error:
            complain(f"{folder} cannot be written: {error.strerror or error}")
            return 1
        print(
            f"{printable(str(folder))}: {conversation.tokens:,} tokens, "
            f"{conversation.messages:,} messages, {len(conversation.probings)} questions"
        )
    where = printable(str(options.output))
    print(f"run them with: pytest --compactor=window,anchored --compaction-cases={where}")
    return 0


def _dollars(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 < amount < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of US dollars above 0")
    return amount


def _tokens(text: str) -> int:
    return _number(text, FEWEST_TOKENS, MOST_TOKENS)


def _seed(text: str) -> int:
    return _number(text, 0, 999_999_999)


def _count(text: str) -> int:
    return _number(text, 1, 1000)


def _number(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 9 or not low <= int(text) <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
    return int(text)
