"""What ``generate --model`` adds: the estimate of its calls, and the conversation they make."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable

from pytest_compaction.commands.complaint import complain
from pytest_compaction.commands.generate_progress import CallsLine
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.long_conversations.assemble import Conversation, Draft, draft
from pytest_compaction.long_conversations.by_model.writer import (
    MISSED,
    Written,
    estimated,
    write_out,
)
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.registry import Endpoints, connect
from pytest_compaction.models.usage import Usage
from pytest_compaction.text.words import printable


def print_estimate(options: argparse.Namespace, seeds: Iterable[int], endpoints: Endpoints) -> int:
    """Say how many calls a model takes for the conversations, and what they cost; returns how many.

    Calls that are made again, because a reply lacks something, are not among them.
    """
    drafts = (draft(options.tokens, seed) for seed in seeds)
    usage = sum((estimated(made, endpoints.tokens) for made in drafts), Usage())
    cost = _cost(options.model, usage, endpoints.prices)
    print(
        f"{printable(options.model)}: about {usage.calls:,} calls, {usage.input_tokens:,} tokens "
        f"read and {usage.output_tokens:,} written, {cost}",
        flush=True,
    )
    usd = endpoints.prices.cost(options.model, usage)
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


def _cost(model: str, usage: Usage, prices: PriceTable) -> str:
    usd = prices.cost(model, usage)
    if usd is None:
        return "no price known"
    return f"about ${usd:,.2f} at the prices of {prices.as_of}"


def connected(options: argparse.Namespace) -> Endpoints:
    """The endpoint of ``OPENAI_BASE_URL`` behind the store; nothing is asked yet.

    Raises :class:`OSError` when the store cannot be created.
    """
    store = options.store
    return connect(store, str(store), "normal", None, options.max_cost, None, TokenCounter())


def written_by_model(
    options: argparse.Namespace, seed: int, endpoints: Endpoints, line: CallsLine
) -> Conversation | None:
    """The conversation of a seed in the words of the model; what was dropped is said.

    ``line`` says how far it is.

    ``None`` if a call failed for good, which is said, too.
    """
    made = draft(options.tokens, seed)
    try:
        with line.shown():
            written = asyncio.run(_write(made, options.model, endpoints))
    except ModelError as error:
        complain(
            f"the conversation of seed {seed} is not finished; the same command goes on with what "
            f"is in {options.store}: {_in_names_of_here(str(error))}"
        )
        return None
    found = written.conversation.tokens
    if abs(found - made.tokens) > MISSED * made.tokens:
        complain(
            f"seed {seed}: {found:,} tokens in place of {made.tokens:,}: {options.model} did not "
            "keep to the lengths that it was asked for"
        )
    for question, why in written.dropped.items():
        complain(f"seed {seed}: dropped “{question}”: {why}")
    if all(probing.ability == "abstention" for probing in written.conversation.probings):
        complain(
            f"seed {seed}: its text answers no question, so nothing is written: {options.model} "
            "does not keep to what it is told"
        )
        return None
    return written.conversation


def say_notes(endpoints: Endpoints) -> None:
    """Say what calls have left to say, as that their replies could not be kept."""
    for note in endpoints.accounts.notes:
        complain(_in_names_of_here(note))


def _in_names_of_here(text: str) -> str:
    """A sentence on calls with the option as this command names it."""
    return text.replace("--compaction-max-cost", "--max-cost")


async def _write(made: Draft, model: str, endpoints: Endpoints) -> Written:
    try:
        return await write_out(made, model, endpoints.caller, endpoints.tokens)
    finally:
        await endpoints.caller.close()
