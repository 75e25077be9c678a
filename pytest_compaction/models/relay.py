"""Carries the requests of clients of strategies to the endpoint of the user, in their place.

A request becomes a call, which is kept, replayed, priced and limited as all others. Nothing that a
client sent is left out of a request that an endpoint refuses, because the client knows what it
asked for. The refusal of a request that is too long is kept as a reply: a strategy may shorten it
and ask again, and a replay has to go the same way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.address import (
    ANTHROPIC_URL,
    DEFAULT_HOST,
    base_url_for,
    host_of,
)
from pytest_compaction.models.calls.endpoint import (
    NO_KEY,
    READ_SECONDS,
    AttemptError,
    Endpoint,
    RetryingCaller,
)
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.spending_limit import SpendingLimit
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.protocol import ModelError, NotRecordedError
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.models.wire.call import ANTHROPIC, Call, Caller, CallReply, Operation
from pytest_compaction.models.wire.complaint import REFUSING
from pytest_compaction.models.wire.events import (
    KEY,
    events_of,
    is_usage_alone,
    payloads,
    written_events,
)
from pytest_compaction.models.wire.reply import counted, usage_of, whole_tokens
from pytest_compaction.secrets import own_variable, scrubbed, scrubbed_json

PATHS: Final[Mapping[str, Operation]] = {
    "/v1/chat/completions": "chat.completions",
    "/v1/responses": "responses",
    "/v1/responses/compact": "responses.compact",
    "/v1/embeddings": "embeddings",
    "/v1/messages": "messages",
    "/v1/messages/count_tokens": "messages.count_tokens",
}
"""Operations by the path of their POST request."""
MODELS: Final = "/v1/models"
"""The list of models, or with a name behind it one of them; asked with GET."""
FREE: Final[frozenset[Operation]] = frozenset(
    {"messages.count_tokens", "models", "messages.models"}
)
"""Operations that no endpoint charges for."""
PASSED: Final = ("anthropic-beta", "anthropic-version", "openai-beta")
"""Headers that are part of a request: they change what the endpoint does."""
USAGE: Final = "stream_options"
REFUSED: Final = "refused"
"""The member of a kept reply that holds the status of a refusal."""

JSON: Final = "application/json"
STREAM: Final = "text/event-stream; charset=utf-8"
MAX_REPLY_BYTES: Final = 64 * 1024 * 1024
"""A stream takes many times the bytes of what it says."""
_PATH_OF: Final = {operation: path for path, operation in PATHS.items()}
_VERSION: Final = "/v1"
_HOUR_LONG: Final = "ephemeral_1h_input_tokens"


class RefusedError(Exception):
    """A request that is not passed on: the status, and a sentence on why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    data: bytes = field(default=b"", repr=False)

    @property
    def is_anthropic(self) -> bool:
        """Whether a client of Anthropic sent it."""
        return "/messages" in self.path or "anthropic-version" in self.headers


def call_of(request: Request) -> Call:
    """The call that a request asks for. Raises :class:`RefusedError` for one of another kind."""
    path, mark, query = request.path.partition("?")
    path = path.rstrip("/")
    headers = {name: request.headers[name] for name in PASSED if name in request.headers}
    operation = PATHS.get(path)
    if path == MODELS or path.startswith(f"{MODELS}/"):
        if request.method != "GET":
            raise RefusedError(405, f"--compaction-proxy serves {MODELS} for GET alone")
        operation = "messages.models" if request.is_anthropic else "models"
        # The query names the page of a long list.
        return Call(operation, {"path": f"{path}{mark}{query}", **headers}, is_ours=False)
    if operation is None or request.method != "POST":
        served = ", ".join(f"POST {known}" for known in PATHS)
        said = f"--compaction-proxy does not pass on {request.method} {path}; it serves {served}"
        raise RefusedError(404, f"{said} and GET {MODELS}")
    try:
        body = json.loads(request.data)
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body of the request is not JSON") from None
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise RefusedError(400, "the body of the request is no JSON object with a model in it")
    sent = body
    if operation == "chat.completions" and body.get("stream"):
        # Such a stream tells its usage only if it is asked to.
        options = body.get(USAGE)
        options = options if isinstance(options, Mapping) else {}
        sent = {**body, USAGE: {**options, "include_usage": True}}
    return Call(operation, {**body, **headers}, sent=sent, is_ours=False)


def without_usage(call: Call) -> Call | None:
    """The call as its client sent it; ``None`` if nothing was added to it."""
    if call.sent is None or call.sent.get(USAGE) == call.body.get(USAGE):
        return None
    sent = {name: value for name, value in call.sent.items() if name != USAGE}
    return replace(call, sent=sent | {USAGE: call.body[USAGE]} if USAGE in call.body else sent)


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response. All are final: whatever repetition can help with was done."""

    status: int
    data: bytes = field(repr=False)
    kind: str = JSON


def answer_of(call: Call, reply: CallReply) -> Answer:
    """The answer to a request whose call got a reply."""
    if REFUSED in reply.body:
        said = {name: value for name, value in reply.body.items() if name != REFUSED}
        return Answer(int(reply.body[REFUSED]), _written(said))
    if KEY not in reply.body:
        return Answer(200, _written(reply.body))
    events = list(events_of(reply.body))
    options = call.body.get(USAGE)
    asks_for_usage = isinstance(options, Mapping) and options.get("include_usage")
    if call.operation == "chat.completions" and not asks_for_usage:
        events = [event for event in events if not is_usage_alone(event)]
    return Answer(200, written_events(events), STREAM)


def error_answer(request: Request, error: Exception) -> Answer:
    """The answer to a request that was refused here, or got no reply."""
    complaint = error.complaint if isinstance(error, AttemptError) else None
    if isinstance(error, RefusedError):
        status = error.status
    elif complaint is not None:
        status = complaint.status if complaint.status >= 400 else 502  # no other redirect is known
    elif isinstance(error, NotRecordedError):
        status = 404
    else:
        status = 402 if isinstance(error, ModelError) and error.unpaid else 502
    body = complaint.body if complaint is not None else None
    if not isinstance(body, dict):
        kind = "invalid_request_error" if status < 500 else "api_error"
        inner = {"type": kind, "message": scrubbed(str(error))}
        body = {"type": "error", "error": inner} if request.is_anthropic else {"error": inner}
    return Answer(status, _written(scrubbed_json(body)))


def _written(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


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
        from openai import Omit

        from pytest_compaction.models.calls.client import httpx

        headers: dict[str, Any] = {
            name: str(call.body[name]) for name in PASSED if name in call.body
        }
        key = own_variable("ANTHROPIC_API_KEY")
        if call.operation in ANTHROPIC and key:
            headers |= {"x-api-key": key, "Authorization": Omit()}
        path = str(call.body["path"]) if "path" in call.body else _PATH_OF[call.operation]
        if not self._anthropic:  # whose base URL has the version in it
            path = path.removeprefix(_VERSION)
        options: dict[str, Any] = {"cast_to": httpx.Response, "options": {"headers": headers}}
        if "path" in call.body:
            return await client.get(path, **options)
        body = dict(call.body if call.sent is None else call.sent)
        return await client.post(path, body=body, **options)

    def _usage(self, call: Call, parsed: Mapping[str, Any]) -> Usage:
        return relayed_usage(call.operation, parsed)

    def _reply_of(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        return {KEY: events}


def relayed_usage(operation: Operation, body: Mapping[str, Any]) -> Usage:
    """One call with the tokens that a reply charges for; a figure that it lacks is 0."""
    streamed: dict[str, Any] = {}  # what the events tell; later ones complete earlier ones
    for payload in payloads(body):
        for holder in (payload, payload.get("response") or payload.get("message")):
            told = holder.get("usage") if isinstance(holder, Mapping) else None
            if isinstance(told, Mapping):
                streamed |= {name: value for name, value in told.items() if value is not None}
    used = streamed or body.get("usage")
    if not isinstance(used, Mapping):
        return Usage(1)
    if operation not in ANTHROPIC:
        return usage_of({"usage": used})
    cached = whole_tokens(used.get("cache_read_input_tokens"))
    kept = whole_tokens(used.get("cache_creation_input_tokens"))
    read = whole_tokens(used.get("input_tokens")) + cached + kept
    apart = used.get("cache_creation")
    long = whole_tokens(apart.get(_HOUR_LONG)) if isinstance(apart, Mapping) else 0
    long = min(long, kept)
    return Usage(1, read, cached, whole_tokens(used.get("output_tokens")), kept - long, long)


@dataclass(frozen=True, slots=True)
class Relay:
    """Carries a call to where a client wanted it to go. For coroutines of one event loop.

    ``prices`` and ``anthropic_prices`` are those of the endpoints in the form of OpenAI and of
    Anthropic. ``store`` keeps the replies, ``free`` those to calls that cost nothing and are on
    no account.
    """

    store: Store
    free: Store
    prices: PriceTable
    anthropic_prices: PriceTable
    tokens: TokenCounter

    async def call(self, call: Call) -> CallReply:
        """The reply to a call; raises :class:`~pytest_compaction.models.protocol.ModelError`."""
        return await (self.free if call.operation in FREE else self.store).call(call)

    def used(self, call: Call, reply: CallReply) -> OwnCalls:
        """The usage that records get for a reply: tokens, and dollars where they are known."""
        if call.operation in FREE or REFUSED in reply.body:
            return OwnCalls()
        usage = counted(call, reply, self.tokens)
        prices = self.anthropic_prices if call.operation in ANTHROPIC else self.prices
        return OwnCalls(usage, prices.cost(call.model, usage))

    async def close(self) -> None:
        await self.store.close()
        await self.free.close()


@dataclass(frozen=True, slots=True)
class Dialects:
    """Passes each call on to the endpoint of its form."""

    openai: Caller
    anthropic: Caller

    async def call(self, call: Call) -> CallReply:
        """The reply, or a refusal that says that the request is too long.

        If what was added to the request is refused, it is sent as its client sent it.
        """
        following = self.anthropic if call.operation in ANTHROPIC else self.openai
        try:
            try:
                return await following.call(call)
            except AttemptError as error:
                as_sent, complaint = without_usage(call), error.complaint
                if as_sent is None or complaint is None or complaint.status not in REFUSING:
                    raise
                if USAGE not in complaint.text and USAGE not in complaint.parameter:
                    raise
            return await following.call(as_sent)
        except AttemptError as error:
            complaint = error.complaint
            if complaint is None or not (complaint.too_long or complaint.status == 413):
                raise
            said = complaint.body if isinstance(complaint.body, dict) else {}
            return CallReply({**said, REFUSED: complaint.status}, Usage())

    async def close(self) -> None:
        await self.openai.close()
        await self.anthropic.close()


def models_at_endpoint() -> Caller:
    """The request for the endpoint's list of models, which is free."""
    return Upstream(READ_SECONDS, anthropic=False)


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
    ends = [
        (Upstream(request_timeout, form), table)
        for form, table in ((False, prices), (True, anthropic_prices))
    ]
    paid = Dialects(
        *(
            RetryingCaller(SpendingLimit(end, accounts, table, tokens, limit), end.total)
            for end, table in ends
        )
    )
    unpaid = Dialects(*(RetryingCaller(end, end.total) for end, _ in ends))
    return Relay(
        store.before(paid, accounts),
        store.before(unpaid, None),
        prices,
        anthropic_prices,
        tokens,
    )
