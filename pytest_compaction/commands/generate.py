"""``pytest-compaction generate``: long conversations by a model, with questions and nuggets."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import (
    ABILITIES,
    QUESTIONS,
    QUESTIONS_FOLDER,
    Case,
    read_conversation,
    size_name,
)
from pytest_compaction.commands.arguments import add_store, complain, number_type
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.long_conversations import (
    DOMAINS,
    FEWEST_TOKENS,
    Conversation,
    estimated,
    write_out,
)
from pytest_compaction.models import (
    Endpoints,
    ModelError,
    UnknownModelError,
    Usage,
    connect,
    is_offline,
    missing_key,
)
from pytest_compaction.options import range_of
from pytest_compaction.session.progress_line import CallsLine
from pytest_compaction.text import Range, printable

MOST_TOKENS: Final = 100_000_000
INTERRUPTED: Final = 130
"""The exit code of a command that was interrupted, as shells have it."""
_MISSED: Final = 0.1
"""The share by which a conversation may miss its length without a word."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "generate",
        help="have a model write long conversations with questions of ten abilities of memory",
        description="Have a model write conversations in the layout of BEAM: a user with people "
        "and a time line, a plan of parts, the turns of user and assistant, and two questions of "
        "each ability with nuggets (one below 20,000 tokens). Calls are kept in the store, so that "
        "the same command goes on where it was. What is there stays as it is.",
    )
    parser.add_argument(
        "--model",
        "--compaction-model",
        default="",
        metavar="NAME",
        help="the model that writes, at the endpoint of OPENAI_BASE_URL (required)",
    )
    parser.add_argument(
        "--domain",
        choices=tuple(DOMAINS),
        default="general",
        help="what the conversations are about (default: general)",
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
        help="the number of the conversation, which picks its subject (default: 1)",
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
    add_store(parser)
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="print how many calls the model takes and what they cost, and stop",
    )
    parser.add_argument(
        "--max-cost",
        type=number_type(range_of("compaction_max_cost")),
        metavar="USD",
        help="US dollars that the calls may cost (default: no limit)",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Write the conversations that are not there; returns 1 if one cannot be, or all are."""
    try:
        return _run(options)
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on where it was")
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    _check_model(options)
    seeds = range(options.seed, options.seed + options.conversations)
    size = size_name(options.tokens)
    try:
        folders = _missing({seed: options.output / size / str(seed) for seed in seeds})
    except OSError as error:
        complain(f"{options.output} cannot be written: {error.strerror or error}")
        return 1
    if not folders:
        return 1
    problem = missing_key()
    if problem and not options.estimate:
        options.refuse(problem.partition("; without either")[0])  # rules do not write here
    store = options.store
    if store.exists() and not store.is_dir():
        complain(f"--store {store} is no folder, so that no call could be kept there")
        return 1
    try:
        endpoints = connect(
            store, str(store), "normal", None, options.max_cost, None, TokenCounter()
        )
    except OSError as error:
        complain(f"{store}: {error.strerror or error}")
        return 1
    try:
        calls = _print_estimate(options, len(folders), endpoints)
        if options.estimate:
            return 0
        return _write(options, folders, endpoints, calls)
    finally:
        for note in endpoints.accounts.notes:  # as that replies could not be kept
            complain(_in_names_of_here(note))
        endpoints.close()


def _check_model(options: argparse.Namespace) -> None:
    try:
        if not options.model.strip() or is_offline(options.model):
            options.refuse(
                "generate needs --model NAME, the model that writes the conversation; rules do "
                "not write any"
            )
    except UnknownModelError as error:
        options.refuse(f"--model: {error}")


def _missing(folders: Mapping[int, Path]) -> dict[int, Path]:
    """The folders that are not there; empty if one is in the way, or all are, which is said."""
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


def _print_estimate(options: argparse.Namespace, count: int, endpoints: Endpoints) -> int:
    usage = sum((estimated(options.tokens) for _ in range(count)), Usage())
    usd = endpoints.prices.cost(options.model, usage)
    cost = (
        "no price known"
        if usd is None
        else f"about ${usd:,.2f} at the prices of {endpoints.prices.edition}"
    )
    print(
        f"{printable(options.model)}: about {usage.calls:,} calls, {usage.input_tokens:,} tokens "
        f"read and {usage.output_tokens:,} written, {cost}",
        flush=True,
    )
    if options.max_cost is not None and usd is None and not options.estimate:
        options.refuse(
            f"--max-cost needs a price, and none is known for {options.model} at this endpoint; "
            "leave the limit out, or take another model"
        )
    if options.max_cost is not None and usd is not None and usd > options.max_cost:
        complain(
            f"that is more than --max-cost {options.max_cost:g}, which ends it unless "
            f"{options.store} holds enough of the calls"
        )
    return usage.calls


def _write(
    options: argparse.Namespace, folders: Mapping[int, Path], endpoints: Endpoints, calls: int
) -> int:
    path, terminal = endpoints.accounts.path, sys.stderr if sys.stderr.isatty() else None
    say = partial(print, file=sys.stderr, flush=True)
    for seed, folder in folders.items():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            line = CallsLine("generate", path, calls, True, say, terminal)
            try:
                made = asyncio.run(_written(options, seed, endpoints))
            finally:
                line.end()
            _say_what_is_missing(options, seed, made)
            if all(asked.ability == "abstention" for asked in made.questions):
                complain(f"seed {seed}: no question holds, so nothing is written")
                return 1
            made.write(folder)
        except ModelError as error:
            complain(
                f"the conversation of seed {seed} is not finished; the same command goes on with "
                f"what is in {options.store}: {_in_names_of_here(str(error))}"
            )
            return 1
        except OSError as error:
            complain(f"{folder} cannot be written: {error.strerror or error}")
            return 1
        case = read_conversation(folder, str(folder))
        if not isinstance(case, Case):
            faults = "; ".join(str(fault) for file in case for fault in file.faults)
            complain(f"{folder} cannot be read as a case: {faults}")
            return 1
        print(
            f"{printable(str(folder))}: {made.tokens:,} tokens, {made.messages:,} messages, "
            f"{len(case.probes)} questions",
            flush=True,
        )
    where = printable(shlex.quote(str(options.output)))
    print(f"run them with: pytest --compactor=window,anchored --compaction-cases={where}")
    return 0


async def _written(options: argparse.Namespace, seed: int, endpoints: Endpoints) -> Conversation:
    caller = endpoints.caller
    try:
        return await write_out(options.model, caller, options.domain, seed, options.tokens)
    finally:
        await caller.close()


def _say_what_is_missing(options: argparse.Namespace, seed: int, made: Conversation) -> None:
    if abs(made.tokens - options.tokens) > _MISSED * options.tokens:
        complain(
            f"seed {seed}: {made.tokens:,} tokens in place of {options.tokens:,}: {options.model} "
            "did not keep to the lengths that it was asked for"
        )
    for question, why in made.dropped.items():
        complain(f"seed {seed}: dropped “{printable(question, 200)}”: {printable(why, 200)}")
    without = [name for name in ABILITIES if all(q.ability != name for q in made.questions)]
    if without and made.dropped:
        complain(f"seed {seed}: no question of {', '.join(without)}")


def _in_names_of_here(text: str) -> str:
    """A sentence on calls with the option as this command names it."""
    return text.replace("--compaction-max-cost", "--max-cost")
