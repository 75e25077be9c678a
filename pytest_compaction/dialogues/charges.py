"""The usage of replaying a dialogue by role, also when the replay was stopped half-way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from typing import Final, Protocol, TypeVar

from pytest_compaction.dialogues.dialogue import TurnReply
from pytest_compaction.models import ChargedError, OwnCalls, Usage

BASELINE: Final = "baseline"
"""The role of the answers from full history; all strategies of a run share them."""

Spent = Mapping[str, Usage]
"""Usage by role: the roles of models, and :data:`BASELINE`."""


class Charged(Protocol):
    """A result with its usage."""

    @property
    def spent(self) -> Spent:
        """Usage by role."""

    @property
    def own(self) -> OwnCalls:
        """The part of it that the strategy's own client asked for."""


E = TypeVar("E", bound=ChargedError)
C = TypeVar("C", bound=Charged)


def answering(replies: Iterable[TurnReply]) -> Usage:
    """The usage of these answers, whether they came from the endpoint or from the store."""
    used = (
        Usage(1, reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens)
        for reply in replies
    )
    return sum(used, Usage())


def summed(parts: Iterable[Spent]) -> dict[str, Usage]:
    total: dict[str, Usage] = {}
    for part in parts:
        for role, usage in part.items():
            total[role] = total.get(role, Usage()) + usage
    return total


def stopped(error: E, *spent: Spent, own: OwnCalls = OwnCalls()) -> E:
    """A copy of the error, which other strategies may share, charged with ``spent`` alone."""
    copy = type(error)(*error.args, spent=summed(spent))
    copy.own = own
    return copy


async def together(*work: Awaitable[C]) -> list[C]:
    """The results of all in order, after all ended; the first error carries the usage of all."""
    done = await asyncio.gather(*work, return_exceptions=True)
    results: list[C] = []
    errors: list[BaseException] = []
    for one in done:
        if isinstance(one, BaseException):
            errors.append(one)
        else:
            results.append(one)
    if not errors:
        return results
    if isinstance(errors[0], ChargedError):
        charged: list[Charged] = [one for one in errors if isinstance(one, ChargedError)]
        charged += results
        own = sum((one.own for one in charged), OwnCalls())
        raise stopped(errors[0], *(one.spent for one in charged), own=own) from errors[0]
    raise errors[0]
