"""``pytest-compaction doctor``: what an endpoint takes, before a run pays for it."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from pytest_compaction.commands.arguments import add_store, complain
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models import (
    RECORDED_WORDS,
    Call,
    Checked,
    EndpointCheck,
    Endpoints,
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
    parser.add_argument(
        "--judge", action="append", default=[], metavar="NAME", help="another model that judges"
    )
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
    problem = missing_key()
    if problem:
        complain(problem)
        return 1
    store = options.store
    endpoints = connect(store, str(store), "refresh", None, None, None, TokenCounter())
    try:
        check = endpoints.check_of(
            [name for name in answering if name in real],
            [name for name in judges if name in real],
        )
        found = asyncio.run(_checked(check, dict.fromkeys(real), endpoints))
    finally:
        endpoints.close()
    for checked, context in found:
        print("\n".join(checked.lines(endpoints.prices, context)))
    return int(any(checked.problem for checked, _ in found))


async def _checked(
    check: EndpointCheck, models: Any, endpoints: Endpoints
) -> list[tuple[Checked, int | None]]:
    listing = models_at_endpoint()
    try:
        found = [await check.of(model) for model in models]
        try:
            listed = (await listing.call(Call("models", {"path": "/v1/models"}))).body
        except ModelError:
            listed = {}
        return [(checked, context_of(listed, checked.model)) for checked in found]
    finally:
        await listing.close()
        await endpoints.caller.close()
