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
from pytest_compaction.commands.arguments import (
    CommandError,
    add_number,
    add_store,
    complain,
)
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
    model = "the model that writes, at the endpoint of OPENAI_BASE_URL (required)"
    parser.add_argument("--model", "--compaction-model", default="", metavar="NAME", help=model)
    domain = "what the conversations are about (default: general)"
    parser.add_argument("--domain", choices=tuple(DOMAINS), default="general", help=domain)
    tokens = f"the length of a conversation, from {FEWEST_TOKENS} (default: 100000)"
    add_number(parser, "--tokens", Range(FEWEST_TOKENS, MOST_TOKENS, True), tokens, default=100_000)
    seed = "the number of the conversation, which picks its subject (default: 1)"
    add_number(parser, "--seed", Range(0, 999_999_999, True), seed, default=1)
    many = "how many, each with the next seed (default: 1)"
    add_number(parser, "--conversations", Range(1, 1000, True), many, default=1)
    folder = "where they are written, as FOLDER/SIZE/SEED"
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER", help=folder)
    add_store(parser)
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="print how many calls the model takes and what they cost, and stop",
    )
    most = "US dollars that the calls may cost (default: no limit)"
    add_number(parser, "--max-cost", range_of("compaction_max_cost"), most, metavar="USD")
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Write the conversations that are not there; returns 1 if one cannot be, or all are."""
    try:
        if not options.model.strip() or is_offline(options.model):
            options.refuse(
                "generate needs --model NAME, the model that writes the conversation; rules do "
                "not write any"
            )
    except UnknownModelError as error:
        options.refuse(f"--model: {error}")
    seeds = range(options.seed, options.seed + options.conversations)
    size, store = size_name(options.tokens), options.store
    try:
        folders = _missing({seed: options.output / size / str(seed) for seed in seeds})
    except OSError as error:
        raise CommandError(
            f"{options.output} cannot be written: {error.strerror or error}"
        ) from None
    problem = missing_key()
    if problem and not options.estimate:
        options.refuse(problem.partition("; without either")[0])  # rules do not write here
    if store.exists() and not store.is_dir():
        raise CommandError(f"--store {store} is no folder, so that no call could be kept there")
    try:
        endpoints = connect(
            store, str(store), "normal", None, options.max_cost, None, TokenCounter()
        )
    except OSError as error:
        raise CommandError(f"{store}: {error.strerror or error}") from None
    try:
        calls = _print_estimate(options, len(folders), endpoints)
        if not options.estimate:
            for seed, folder in folders.items():
                _write(options, seed, folder, endpoints, calls)
            where = printable(shlex.quote(str(options.output)))
            print(f"run them with: pytest --compactor=window,anchored --compaction-cases={where}")
        return 0
    finally:
        for note in endpoints.accounts.notes:  # as that replies could not be kept
            complain(_in_names_of_here(note))
        endpoints.close()


def _missing(folders: Mapping[int, Path]) -> dict[int, Path]:
    """The folders that are not there; refuses if one is in the way, or all are there."""
    there = [folder for folder in folders.values() if os.path.lexists(folder)]
    other = [f for f in there if not (f / QUESTIONS_FOLDER / QUESTIONS).is_file()]
    if other or len(there) == len(folders):
        raise CommandError(
            f"{(other or there)[0]} is there already; remove it, or name another folder or seed"
        )
    for folder in there:
        print(f"{printable(str(folder))}: is there already and stays as it is")
    return {seed: folder for seed, folder in folders.items() if folder not in there}


def _print_estimate(options: argparse.Namespace, count: int, endpoints: Endpoints) -> int:
    usage = sum((estimated(options.tokens) for _ in range(count)), Usage())
    usd, limit = endpoints.prices.cost(options.model, usage), options.max_cost
    cost = "no price known"
    if usd is not None:
        cost = f"about ${usd:,.2f} at the prices of {endpoints.prices.edition}"
    print(
        f"{printable(options.model)}: about {usage.calls:,} calls, {usage.input_tokens:,} tokens "
        f"read and {usage.output_tokens:,} written, {cost}",
        flush=True,
    )
    if limit is not None and usd is None and not options.estimate:
        options.refuse(
            f"--max-cost needs a price, and none is known for {options.model} at this endpoint; "
            "leave the limit out, or take another model"
        )
    if limit is not None and usd is not None and usd > limit:
        complain(
            f"that is more than --max-cost {limit:g}, which ends it unless {options.store} holds "
            "enough of the calls"
        )
    return usage.calls


def _write(
    options: argparse.Namespace, seed: int, folder: Path, endpoints: Endpoints, calls: int
) -> None:
    path, terminal = endpoints.accounts.path, sys.stderr if sys.stderr.isatty() else None
    say = partial(print, file=sys.stderr, flush=True)

    async def written() -> Conversation:
        caller = endpoints.caller
        try:
            return await write_out(options.model, caller, options.domain, seed, options.tokens)
        finally:
            await caller.close()

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        line = CallsLine("generate", path, calls, True, say, terminal)
        try:
            made = asyncio.run(written())
        finally:
            line.end()
        if abs(made.tokens - options.tokens) > _MISSED * options.tokens:
            complain(
                f"seed {seed}: {made.tokens:,} tokens in place of {options.tokens:,}: "
                f"{options.model} did not keep to the lengths that it was asked for"
            )
        for question, why in made.dropped.items():
            complain(f"seed {seed}: dropped “{printable(question, 200)}”: {printable(why, 200)}")
        without = [name for name in ABILITIES if all(q.ability != name for q in made.questions)]
        if without and made.dropped:
            complain(f"seed {seed}: no question of {', '.join(without)}")
        if all(asked.ability == "abstention" for asked in made.questions):
            raise CommandError(f"seed {seed}: no question holds, so nothing is written")
        made.write(folder)
    except ModelError as error:
        raise CommandError(
            f"the conversation of seed {seed} is not finished; the same command goes on with "
            f"what is in {options.store}: {_in_names_of_here(str(error))}"
        ) from None
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from None
    case = read_conversation(folder, str(folder))
    if not isinstance(case, Case):
        faults = "; ".join(str(fault) for file in case for fault in file.faults)
        raise CommandError(f"{folder} cannot be read as a case: {faults}")
    print(
        f"{printable(str(folder))}: {made.tokens:,} tokens, {made.messages:,} messages, "
        f"{len(case.probes)} questions",
        flush=True,
    )


def _in_names_of_here(text: str) -> str:
    """A sentence on calls with the option as this command names it."""
    return text.replace("--compaction-max-cost", "--max-cost")
