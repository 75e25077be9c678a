"""The endpoint: carries calls over the network, within bounds on time, size and retries.

With ``client`` this is the only module that talks to the openai package, which repeats
what failed in passing (429, 5xx, a lost connection). Every failure comes out as a
:class:`~pytest_compaction.models.protocol.ModelError`: one sentence without a key
in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from pytest_compaction.models.protocol import ModelError, UnsupportedError
from pytest_compaction.models.wire.call import Call, CallReply, Operation
from pytest_compaction.models.wire.refusals import (
    ADAPTATIONS,
    Complaint,
    adaptation_for,
    adapted,
    added_text,
    complaint_of,
    consequence,
    refuses_added,
)
from pytest_compaction.models.wire.rendering import clean
from pytest_compaction.models.wire.reply import usage_of
from pytest_compaction.secrets.keys import scrubbed
from pytest_compaction.text.words import printable

CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 120.0
TOTAL_SECONDS: Final = 300.0
"""What one call may take with all its repetitions, or more where reading may take longer."""
TOTAL_SHARE: Final = 2.5
MAX_RETRIES: Final = 4
MAX_REPLY_BYTES: Final = 8 * 1024 * 1024
EXCEEDED: Final = "compaction.exceeded"
"""The mark that the bound on the size leaves on a response."""
NO_KEY: Final = "no-key"
"""Sent where no key is set; servers of one's own do not look at it."""
_DEFAULT_HOST: Final = "api.openai.com"
_LONGER: Final = "give it longer with --compaction-request-timeout"
_PATHS: Final[Mapping[Operation, str]] = {
    "chat.completions": "/chat/completions",
    "responses": "/responses",
    "responses.compact": "/responses/compact",
}
_Known = tuple[Operation, str]
_Kind = tuple[_Known, frozenset[str], str]


class Endpoint:
    """A :class:`~pytest_compaction.models.wire.call.Caller` over the network.

    Times are in seconds. One client is made for each event loop on first use. What
    a model refuses is remembered for the life of the endpoint: a parameter is left
    out of later calls, and what it cannot do at all is not asked for again.
    """

    def __init__(
        self,
        connect: float = CONNECT_SECONDS,
        read: float = READ_SECONDS,
        total: float | None = None,
        max_retries: int = MAX_RETRIES,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        transport: Any = None,
    ) -> None:
        self._connect = connect
        self._read = read
        self._total = max(TOTAL_SECONDS, TOTAL_SHARE * read) if total is None else total
        self._max_retries = max_retries
        self._max_reply_bytes = max_reply_bytes
        self._transport = transport
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}
        self._adapted: dict[_Known, frozenset[str]] = {}
        self._closed_to: dict[tuple[_Known, str], str] = {}
        """Why not to ask again: for all requests, or for those with these added parameters."""
        self._first: dict[_Kind, asyncio.Event] = {}
        self._answered: set[_Known] = set()

    async def call(self, call: Call) -> CallReply:
        """The endpoint's reply; whatever goes wrong raises :class:`ModelError`.

        The first call of a kind goes alone, and those that came meanwhile go when it
        is back: what it was refused for is then known.
        """
        known: _Known = (call.operation, str(call.body.get("model")))
        adaptable = frozenset(a.name for a in ADAPTATIONS if a.present(dict(call.body)))
        kind = (known, adaptable, added_text(call.body))
        event = self._first.get(kind)
        if event is not None:
            await event.wait()
            return await self._adapting(call, known)
        event = self._first[kind] = asyncio.Event()
        try:
            return await self._adapting(call, known)
        finally:
            event.set()

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _adapting(self, call: Call, known: _Known) -> CallReply:
        """Send a call; where the endpoint refuses a part of it, remember that and do without."""
        started = time.perf_counter()
        while True:
            for closed in ((known, ""), (known, added_text(call.body))):
                if closed in self._closed_to:
                    raise UnsupportedError(self._closed_to[closed])
            done_without = self._adapted.get(known, frozenset())
            body = adapted(call.body, done_without)
            left = self._total - (time.perf_counter() - started)
            reply = await self._sent(call, body, left)
            if isinstance(reply, CallReply):
                self._answered.add(known)
                return reply
            step = adaptation_for(reply, body)
            if step is None:
                raise self._refusal(reply, call, known)
            self._adapted[known] = self._adapted.get(known, frozenset()) | {step.name}

    async def _sent(
        self, call: Call, body: Mapping[str, Any], left: float
    ) -> CallReply | Complaint:
        """The reply to one request, or what the endpoint complained about."""
        import httpx2
        import openai

        started = time.perf_counter()
        try:
            client = self._client()
            async with asyncio.timeout(left):
                response = await client.post(
                    _PATHS[call.operation], body=dict(body), cast_to=httpx2.Response
                )
        except TimeoutError:
            sentence = f"did not finish its reply within {self._total:g} s"
            advice = "try fewer requests at a time (--compaction-concurrency) or a faster model"
            raise self._error(call, f"{sentence}; {advice}, or {_LONGER}") from None
        except openai.APIStatusError as error:
            return _complaint(error)
        except openai.APITimeoutError:
            times = f"connecting {self._connect:g} s, reading {self._read:g} s"
            tries = self._max_retries + 1
            sentence = f"did not answer in time ({times}), {tries} times"
            raise self._error(call, f"{sentence}; {_LONGER}") from None
        except openai.APIConnectionError as error:
            raise self._error(call, self._unreachable(error)) from None
        except (openai.OpenAIError, httpx2.InvalidURL, ValueError) as error:
            raise self._error(call, f"could not be asked: {_excerpt(str(error))}") from None
        parsed = self._parsed(call, response)
        return CallReply(parsed, usage_of(parsed), round(time.perf_counter() - started, 3))

    def _client(self) -> Any:
        """The client of the running loop, made on first use."""
        loop = asyncio.get_running_loop()
        for other in [other for other in self._clients if other.is_closed()]:
            del self._clients[other]
        if loop not in self._clients:
            self._clients[loop] = self._new_client()
        return self._clients[loop]

    def _new_client(self) -> Any:
        import httpx2

        from pytest_compaction.models.calls.client import new_client
        from pytest_compaction.models.calls.size_limit import Bounded

        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if not key and self.host == _DEFAULT_HOST:
            raise ModelError(
                f"no key for {_DEFAULT_HOST}: set OPENAI_API_KEY, or OPENAI_BASE_URL for another "
                "endpoint; without either, --compaction-model=offline needs no key"
            )
        return new_client(
            os.environ.get("OPENAI_BASE_URL", "").strip(),
            key or NO_KEY,
            httpx2.Timeout(self._read, connect=self._connect, pool=None),
            self._max_retries,
            Bounded(self._max_reply_bytes, EXCEEDED),
            self._transport,
        )

    @property
    def host(self) -> str:
        """Host and port of the endpoint, without anything that may be a credential."""
        return host_of(os.environ.get("OPENAI_BASE_URL"))

    def _parsed(self, call: Call, response: Any) -> dict[str, Any]:
        """The JSON object of a reply."""
        if response.extensions.get(EXCEEDED):
            limit = self._max_reply_bytes / 1024**2
            raise self._error(call, f"sent a reply of more than {limit:g} MB, which was not read")
        kind = printable(response.headers.get("content-type", "no content type"), 40)
        if not response.content.strip():
            raise self._error(call, "sent an empty reply")
        try:
            text = response.content.decode("utf-8")
            body: Any = json.loads(text, parse_constant=_no_constant)
        except RecursionError:
            raise self._error(call, "sent JSON that is nested too deep") from None
        except ValueError as error:
            said = printable(str(error), 80)
            raise self._error(call, f"sent {kind} that is not valid JSON ({said})") from None
        if not isinstance(body, dict):
            raise self._error(call, f"sent JSON that is no object but a {type(body).__name__}")
        parsed: dict[str, Any] = _cleaned(body) if "\\ud" in text.casefold() else body
        if isinstance(body.get("error"), Mapping) and not ({"choices", "output"} & body.keys()):
            said = _excerpt(complaint_of(200, body, text).text)
            raise self._error(call, f"answered with an error: {said}")
        return parsed

    def _refusal(self, complaint: Complaint, call: Call, known: _Known) -> ModelError:
        """The error for a complaint that nothing can be done about; kept if it will not pass."""
        status, said = complaint.status, _excerpt(complaint.text)
        if complaint.too_long:
            return self._error(
                call,
                f"has too small a context for this request ({said}); use a model with a "
                "larger one, or a smaller budget in the case",
            )
        answered = known in self._answered
        lasting, advice = consequence(complaint, call.operation, call.body, answered)
        error = self._error(call, f"answered {status}: {said}{advice}")
        if not lasting:
            return error
        theirs = added_text(call.body) if refuses_added(complaint, call.body) else ""
        self._closed_to[known, theirs] = str(error)
        return UnsupportedError(str(error))

    def _unreachable(self, error: BaseException) -> str:
        cause = error.__cause__
        detail = f" ({type(cause).__name__}: {_excerpt(str(cause))})" if cause is not None else ""
        return (
            f"could not be reached, or broke off its reply, {self._max_retries + 1} times{detail}; "
            "is OPENAI_BASE_URL right and the server running?"
        )

    def _error(self, call: Call, sentence: str) -> ModelError:
        model = printable(str(call.body.get("model")), 80)
        return ModelError(scrubbed(f"model {model} at {self.host} {sentence}"))


def host_of(base_url: str | None) -> str:
    """Host and port of a base URL; that of the openai package's default without one."""
    if not (base_url or "").strip():
        return _DEFAULT_HOST
    try:
        parts = urlsplit(str(base_url).strip())
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port = None, None
    return printable(f"{name or 'an address without host'}{f':{port}' if port else ''}", 100)


def _complaint(error: Any) -> Complaint:
    text = error.response.content[:100_000].decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = None
    return complaint_of(error.status_code, body, text)


def _excerpt(text: str) -> str:
    """What an endpoint said: keys out first, then shortened, so that none is cut in half."""
    return printable(scrubbed(text), 200).strip() or "(no reason given)"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _cleaned(value: Any) -> Any:
    """JSON whose texts hold no half of a surrogate pair, which could neither be kept nor sent."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _cleaned(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value
