"""Carries the calls of clients of strategies to the endpoint of the user, in their place.

They are kept, replayed, priced and limited as all others. Nothing that a client sent is left out
of a request that an endpoint refuses, because the client knows what it asked for. The refusal of a
request that is too long is kept as a reply: a strategy may shorten it and ask again, and a replay
has to go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.address import (
    ANTHROPIC_URL,
    DEFAULT_HOST,
    base_url_for,
    host_of,
)
from pytest_compaction.models.calls.endpoint import (
    EXCEEDED,
    NO_KEY,
    AttemptError,
    Endpoint,
    RetryingCaller,
    excerpt_of,
    sentence_on,
)
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.spending_limit import SpendingLimit
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.relay.routes import (
    PATHS,
    REFUSED,
    USAGE,
    is_anthropic,
    is_free,
    passed_headers,
    without_usage,
)
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.models.wire.events import KEY, failure_in, is_whole, read_events
from pytest_compaction.models.wire.refusals import REFUSING
from pytest_compaction.models.wire.usage import counted, relayed_usage
from pytest_compaction.secrets.own_environment import own_variable

MAX_REPLY_BYTES: Final = 64 * 1024 * 1024
"""A stream takes many times the bytes of what it says."""
_PATH_OF: Final = {operation: path for path, operation in PATHS.items()}
_VERSION: Final = "/v1"


class Upstream(Endpoint):
    """Sends each call once to the address, and with the key, that the user set.

    With ``anthropic`` it takes requests in the form of Anthropic, else those in that of OpenAI.
    """

    def __init__(self, read: float, anthropic: bool, transport: Any = None) -> None:
        super().__init__(read=read, max_reply_bytes=MAX_REPLY_BYTES, transport=transport)
        self._anthropic = anthropic

    def _address(self) -> tuple[str, str]:
        if not self._anthropic:
            base_url = base_url_for(is_ours=False)
            if host_of(base_url) == DEFAULT_HOST:
                return super()._address()
            return base_url, own_variable("OPENAI_API_KEY") or NO_KEY
        base_url = base_url_for("messages", is_ours=False)
        key = own_variable("ANTHROPIC_API_KEY") or own_variable("ANTHROPIC_AUTH_TOKEN")
        if not key and host_of(base_url) == host_of(ANTHROPIC_URL):
            raise ModelError(
                f"no key for {host_of(ANTHROPIC_URL)}: set ANTHROPIC_API_KEY, or "
                "ANTHROPIC_BASE_URL for another endpoint"
            )
        return base_url, key or NO_KEY

    async def _sent(self, client: Any, call: Call) -> Any:
        from pytest_compaction.models.calls.client import httpx

        asked = {"headers": self._headers(call)}
        if "path" in call.body:
            path = self._path(str(call.body["path"]))
            return await client.get(path, cast_to=httpx.Response, options=asked)
        body = dict(call.body if call.sent is None else call.sent)
        path = self._path(_PATH_OF[call.operation])
        return await client.post(path, body=body, cast_to=httpx.Response, options=asked)

    def _path(self, path: str) -> str:
        """The path behind the base URL, which for OpenAI has the version in it."""
        return path if self._anthropic else path.removeprefix(_VERSION)

    def _headers(self, call: Call) -> dict[str, Any]:
        headers: dict[str, Any] = passed_headers(call)
        key = own_variable("ANTHROPIC_API_KEY")
        if is_anthropic(call) and key:
            from openai import Omit

            headers |= {"x-api-key": key, "Authorization": Omit()}
        return headers

    def _usage(self, call: Call, parsed: Mapping[str, Any]) -> Usage:
        return relayed_usage(call.operation, parsed)

    def _parsed(self, call: Call, response: Any) -> dict[str, Any]:
        """The JSON object of a reply, or the events of its stream."""
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream") or response.extensions.get(EXCEEDED):
            return super()._parsed(call, response)
        events = read_events(response.content)
        failed = failure_in(events)
        if failed is not None or not is_whole(call.operation, events):
            said = "its end is missing" if failed is None else excerpt_of(str(failed))
            raise AttemptError(
                sentence_on(call, f"broke off its stream: {said}"), charged=True, passing=True
            )
        return {KEY: events}


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
