"""Carries the calls of clients of strategies: kept, replayed, priced and limited as all others.

Nothing that a client sent is left out of a request that an endpoint refuses, because the client
knows what it asked for. The refusal of a request that is too long is kept as a reply: a strategy
may shorten it and ask again, and a replay has to go the same way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.attempt import AttemptError
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.retries import RetryingCaller
from pytest_compaction.models.calls.spending_limit import SpendingLimit
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.relay.routes import USAGE, is_anthropic, is_free, without_usage
from pytest_compaction.models.relay.upstream import Upstream
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.models.wire.refusals import REFUSING
from pytest_compaction.models.wire.usage_count import counted

REFUSED: Final = "refused"
"""The member of a kept reply that holds the status of a refusal."""


class Relay:
    """Carries a call to where a client wanted it to go. For coroutines of one event loop.

    ``prices`` and ``anthropic_prices`` are those of the endpoints in the form of OpenAI and of
    Anthropic. ``store`` keeps the replies, ``free`` those to calls that cost nothing and are on
    no account.
    """

    def __init__(
        self,
        store: Store,
        free: Store,
        prices: PriceTable,
        anthropic_prices: PriceTable,
        tokens: TokenCounter,
    ) -> None:
        self._store = store
        self._free = free
        self._prices = prices
        self._anthropic_prices = anthropic_prices
        self._tokens = tokens

    async def call(self, call: Call) -> CallReply:
        """The reply to a call; raises :class:`~pytest_compaction.models.protocol.ModelError`."""
        return await (self._free if is_free(call) else self._store).call(call)

    def used(self, call: Call, reply: CallReply) -> OwnCalls:
        """What a reply stands for in records: tokens, and dollars where they are known."""
        if is_free(call) or REFUSED in reply.body:
            return OwnCalls()
        usage = counted(call, reply, self._tokens)
        prices = self._anthropic_prices if is_anthropic(call) else self._prices
        return OwnCalls(usage, prices.cost(call.model, usage))

    async def close(self) -> None:
        """Close all connections of the running loop."""
        await self._store.close()
        await self._free.close()


class Dialects:
    """Passes each call on to the endpoint of its form."""

    def __init__(self, openai: Caller, anthropic: Caller) -> None:
        self._openai = openai
        self._anthropic = anthropic

    async def call(self, call: Call) -> CallReply:
        """The reply, or a refusal that says that the request is too long."""
        try:
            return await self._asked(call)
        except AttemptError as error:
            complaint = error.complaint
            if complaint is None or not (complaint.too_long or complaint.status == 413):
                raise
            said = complaint.body if isinstance(complaint.body, dict) else {}
            return CallReply({**said, REFUSED: complaint.status}, Usage())

    async def _asked(self, call: Call) -> CallReply:
        """The reply; if what was added to the request is refused, to what its client sent."""
        following = self._anthropic if is_anthropic(call) else self._openai
        try:
            return await following.call(call)
        except AttemptError as error:
            as_sent, complaint = without_usage(call), error.complaint
            if as_sent is None or complaint is None or complaint.status not in REFUSING:
                raise
            if USAGE not in complaint.text and USAGE not in complaint.parameter:
                raise
        return await following.call(as_sent)

    async def close(self) -> None:
        """Close both."""
        await self._openai.close()
        await self._anthropic.close()


def new_relay(
    store: Store,
    accounts: Accounts,
    tokens: TokenCounter,
    prices: PriceTable,
    anthropic_prices: PriceTable,
    limit: float | None,
    request_timeout: float,
) -> Relay:
    """A relay that keeps replies where ``store`` does. Nothing is connected to yet.

    ``limit`` is in US dollars, ``request_timeout`` in seconds.
    """
    openai = Upstream(request_timeout, anthropic=False)
    anthropic = Upstream(request_timeout, anthropic=True)

    def paying(upstream: Upstream, table: PriceTable) -> Caller:
        return RetryingCaller(
            SpendingLimit(upstream, accounts, table, tokens, limit), upstream.total
        )

    asked = Dialects(paying(openai, prices), paying(anthropic, anthropic_prices))
    unpaid = Dialects(
        RetryingCaller(openai, openai.total), RetryingCaller(anthropic, anthropic.total)
    )
    return Relay(
        store.before(asked, accounts),
        store.before(unpaid, None),
        prices,
        anthropic_prices,
        tokens,
    )


def in_trial(call: Call, trial: int) -> Call:
    """The call as one of a repetition, which shares no calls with other repetitions."""
    return replace(call, trial=trial)
