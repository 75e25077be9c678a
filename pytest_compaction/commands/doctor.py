"""``pytest-compaction doctor``: what an endpoint takes, before a run pays for it."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from pytest_compaction.commands.arguments import CommandError, add_repeatable, add_store
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models import (
    RECORDED_WORDS,
    Call,
    ModelError,
    UnknownModelError,
    connect,
    context_of,
    is_offline,
    missing_key,
    models_at_endpoint,
)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="check what an endpoint takes, with one tiny call a role",
        description="Check what the endpoint of OPENAI_BASE_URL takes, with one tiny call for each "
        "role of each model, under 500 tokens in all: schema, roles, streams, output, parameters, "
        "thinking, limits and prices. The table says what was found and what a run adapts. The "
        "replies are kept, so that a run with the same store does not ask again.",
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="the model of all roles")
    parser.add_argument("--responder", metavar="NAME", help="another model that answers")
    add_repeatable(parser, "--judge", "NAME", "another model that judges")
    add_store(parser)
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Print the table; returns 1 if a model could not be asked."""
    answering = [options.model, options.responder or options.model]
    judges = options.judge or [options.model]
    try:
        named = (name for name in (*answering, *judges) if name != RECORDED_WORDS)
        real = [name for name in named if not is_offline(name)]
    except UnknownModelError as error:
        options.refuse(str(error))
    if not real:
        options.refuse("rules ask no endpoint; name a model that is at one with --model")
    if problem := missing_key():
        raise CommandError(problem)
    store = options.store
    endpoints = connect(store, str(store), "refresh", None, None, None, TokenCounter())
    check = endpoints.check_of(
        [name for name in answering if name in real], [name for name in judges if name in real]
    )

    async def print_checks() -> bool:
        listing, failed = models_at_endpoint(), False
        try:
            checks = [await check.of(model) for model in dict.fromkeys(real)]
            try:
                listed = (await listing.call(Call("models", {"path": "/v1/models"}))).body
            except ModelError:
                listed = {}
        finally:
            await listing.close()
            await endpoints.caller.close()
        for each in checks:
            print("\n".join(each.lines(endpoints.prices, context_of(listed, each.model))))
            failed |= bool(each.problem)
        return failed

    try:
        return int(asyncio.run(print_checks()))
    finally:
        endpoints.close()
