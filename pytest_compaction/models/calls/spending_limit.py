"""Books what calls cost, and keeps a limit in US dollars.

Before a request the most that it can cost is set aside. When its reply is there, what it
did cost is booked instead. A request that may be charged for stays booked at its most if
no reply came, or one that does not say what it took. A request that the limit has no room
for waits while others in flight may still turn out cheaper. If none is in flight it is
refused, and no further request is sent in the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models.calls.accounts import Accounts, LimitReachedError, repeated
from pytest_compaction.models.calls.endpoint import AttemptError
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.own_tokens import input_tokens
from pytest_compaction.models.protocol import ModelError, NotAskedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply, ChainedCaller
from pytest_compaction.models.wire.reply import counted, whole_tokens
from pytest_compaction.text import printable

_MARGIN: Final = 1.25
"""Times our own count: other tokenizers may count more tokens of an input."""
_OUTPUT_KEYS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens")


class SpentError(NotAskedError):
    """The call would cost more than the run may still spend, and was not made."""

    unpaid = True


class SpendingLimit(ChainedCaller):
    """Passes requests on to ``following``, books each in the accounts, and keeps ``limit``.

    ``limit`` is in US dollars, ``None`` for none.
    """

    def __init__(
        self,
        following: Caller,
        accounts: Accounts,
        prices: PriceTable,
        tokens: TokenCounter,
        limit: float | None = None,
    ) -> None:
        super().__init__(following)
        self._accounts = accounts
        self._prices = prices
        self._tokens = tokens
        self._limit = limit

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller, or :class:`SpentError` without any request."""
        number = await self._reserved(call)
        try:
            reply = await self._following.call(call)
        except AttemptError as error:
            if error.charged:
                self._lost(number, call)
            else:
                self._accounts.release(number)
            raise
        except ModelError:
            self._accounts.release(number)
            raise
        except BaseException:
            # It was given up while it was under way: the endpoint may answer all the same.
            self._lost(number, call)
            raise
        self._settle(number, call, reply)
        return reply

    def _settle(self, number: int, call: Call, reply: CallReply) -> None:
        """Book a reply; one that does not say what it took is priced as if it took the most."""
        model, usage = call.model, counted(call, reply, self._tokens)
        usd = self._prices.cost(model, usage)
        if usage == reply.usage:
            self._accounts.settle(number, usage, usd)
            return
        stand = "counted here"
        if self._limit is not None:
            usd, stand = None, "held against --compaction-max-cost at the most they can cost"
        # First: while a call is in flight, calls that the limit has no room for wait for it.
        self._accounts.settle(number, usage, usd)
        self._accounts.note(
            f"{printable(model, 80)}: not all replies say how many tokens they took; "
            f"those calls are {stand}"
        )

    def _lost(self, number: int, call: Call) -> None:
        """Book a request without a usable reply at the most that it can cost."""
        usage = self._most_usage(call)
        self._accounts.settle(number, usage, self._prices.cost(call.model, usage))

    async def _reserved(self, call: Call) -> int:
        accounts, model = self._accounts, call.model
        if self._limit is None:
            return accounts.enter(call.role, model)
        most = self._prices.cost(model, self._most_usage(call))
        if most is None:
            raise NotAskedError(
                f"--compaction-max-cost: the price table has no price for a request of this "
                f"length to {model!r}; leave the limit out, take another model, or name its price "
                "in a file (--compaction-prices)"
            )
        try:
            return await repeated(lambda: accounts.reserve(call.role, model, most, self._limit))
        except LimitReachedError as reached:
            raise SpentError(
                f"not paid for: --compaction-max-cost={reached.limit:g} leaves no room for "
                "another call; run again with a higher limit (what was paid for is stored)"
            ) from None

    def _most_usage(self, call: Call) -> Usage:
        """The most tokens, all written to a cache for minutes or an hour if it is asked to be."""
        usage = most_usage(call, self._tokens)
        read = int(usage.input_tokens * _MARGIN)
        found = list(_members(call.body, "cache_control"))
        long = any(isinstance(each, Mapping) and each.get("ttl") == "1h" for each in found)
        kept = (0, read) if long else (read if found else 0, 0)
        return Usage(1, read, 0, usage.output_tokens, *kept)


def most_usage(call: Call, tokens: TokenCounter) -> Usage:
    """The tokens that a call can take: its texts, counted here, and the output that it allows.

    A call that names no bound on its output, which a client may also do with ``null``, is taken
    to write as much as it reads. Each of several choices is written for itself.
    """
    read = input_tokens(call.body, tokens)
    if call.operation == "embeddings":
        return Usage(1, read)
    bounds = (whole_tokens(call.body.get(key)) for key in _OUTPUT_KEYS)
    allowed = next(filter(None, bounds), read)
    return Usage(1, read, 0, allowed * max(whole_tokens(call.body.get("n")), 1))


def _members(value: Any, name: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        if value.get(name) is not None:
            yield value[name]
        for inner in value.values():
            yield from _members(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _members(inner, name)
