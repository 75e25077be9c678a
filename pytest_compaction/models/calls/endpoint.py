"""The endpoint: carries each call once over the network, within bounds on time and size.

With ``client`` this is the only module that talks to the openai package. Every failure
becomes a :class:`~pytest_compaction.models.protocol.ModelError`: one sentence without a
key in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.conversation.messages import json_or_none
from pytest_compaction.models.calls.address import base_url_for, missing_key, url_variable
from pytest_compaction.models.calls.attempt import (
    LONGER,
    AttemptError,
    excerpt_of,
    sentence_on,
    too_slow,
)
from pytest_compaction.models.calls.retries import asked_wait, is_passing
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply, Operation
from pytest_compaction.models.wire.refusals import complaint_of
from pytest_compaction.models.wire.reply import (
    UnusableReplyError,
    error_in,
    reply_object,
    strict_json,
    usage_of,
)
from pytest_compaction.secrets.own_environment import own_variable
from pytest_compaction.text.words import printable

CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 120.0
"""Seconds for a connection, and for a reply."""
TOTAL_SECONDS: Final = 300.0
"""Seconds that one call may take with all its repetitions, unless reading may take longer."""
TOTAL_SHARE: Final = 2.5
"""The bound on a call as a multiple of the bound on reading: room for two time-outs and a reply."""
MAX_REPLY_BYTES: Final = 8 * 1024 * 1024
EXCEEDED: Final = "compaction.exceeded"
"""The mark on a response that was longer than the bound on its size."""
NO_KEY: Final = "no-key"
"""Sent where no key is set: the package demands one, and local servers ignore it."""
_PATHS: Final[Mapping[Operation, str]] = {
    "chat.completions": "/chat/completions",
    "responses": "/responses",
    "responses.compact": "/responses/compact",
}


class Endpoint:
    """A :class:`~pytest_compaction.models.wire.call.Caller` over the network.

    It sends each call once. Times are in seconds: ``connect`` for a connection, ``read`` for
    a reply, whether the endpoint is silent or sends a little at a time, ``total`` for a whole
    call. A redirect to another host is refused. One client is made for each event loop on
    first use.
    """

    def __init__(
        self,
        connect: float = CONNECT_SECONDS,
        read: float = READ_SECONDS,
        total: float | None = None,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        transport: Any = None,
    ) -> None:
        self._connect = connect
        self._read = read
        self.total = max(TOTAL_SECONDS, TOTAL_SHARE * read) if total is None else total
        self._max_reply_bytes = max_reply_bytes
        self._transport = transport
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}

    async def call(self, call: Call) -> CallReply:
        """The endpoint's reply.

        A request that fails raises :class:`AttemptError`; one that cannot be made for want
        of a key or a usable address raises another :class:`ModelError`.
        """
        # openai takes half a second to load, which is not the endpoint's time.
        import pytest_compaction.models.calls.client  # noqa: F401

        started = time.perf_counter()
        try:
            response = await self._response(call)
            parsed = self._parsed(call, response)
        except AttemptError as error:
            error.seconds = time.perf_counter() - started
            raise
        used = self._usage(call, parsed)
        return CallReply(parsed, used, round(time.perf_counter() - started, 3))

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _response(self, call: Call) -> Any:
        """The response to a call that was not refused."""
        left = self.total if call.seconds is None else min(call.seconds, self.total)
        if left <= 0:
            raise too_slow(call, self.total, charged=False)
        import openai

        from pytest_compaction.models.calls.client import NEVER_SENT
        from pytest_compaction.models.calls.http import httpx
        from pytest_compaction.models.calls.redirects import RedirectedError

        bound = self._read + min(self._read, self._connect)
        try:
            client = self._client()
            async with asyncio.timeout(min(left, bound)):
                return await self._sent(client, call)
        except TimeoutError:
            if left <= bound:
                raise too_slow(call, self.total, charged=True) from None
            raise too_slow(call, self._read, charged=True, passing=True) from None
        except RedirectedError as error:
            raise _redirected(call, error) from None
        except openai.APIStatusError as error:
            raise _refused(call, error) from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, RedirectedError):  # so openai 2 says it
                raise _redirected(call, error.__cause__) from None
            raise self._lost(call, error, not isinstance(error.__cause__, NEVER_SENT)) from None
        except (openai.OpenAIError, httpx.InvalidURL, ValueError) as error:
            said = f"could not be asked: {excerpt_of(str(error))}"
            raise AttemptError(sentence_on(call, said)) from None

    async def _sent(self, client: Any, call: Call) -> Any:
        """Send a call; the response of a request that was not refused."""
        from pytest_compaction.models.calls.http import httpx

        body = call.body if call.sent is None else call.sent
        return await client.post(_PATHS[call.operation], body=dict(body), cast_to=httpx.Response)

    def _usage(self, call: Call, parsed: Mapping[str, Any]) -> Usage:
        """What a reply says that it took."""
        return usage_of(parsed)

    def _address(self) -> tuple[str, str]:
        """Base URL, empty for that of the package, and key; raises :class:`ModelError`."""
        missing = missing_key()
        if missing is not None:
            raise ModelError(missing)
        return base_url_for(), own_variable("OPENAI_API_KEY") or NO_KEY

    def _lost(self, call: Call, error: Any, sent: bool) -> AttemptError:
        """The failure of a request to which no whole reply came."""
        import openai

        cause = error.__cause__
        if isinstance(error, openai.APITimeoutError):
            times = f"connecting {self._connect:g} s, reading {self._read:g} s"
            said, advice = f"did not answer in time ({times})", f"; {LONGER}"
        else:
            said = "could not be reached, or broke off its reply"
            detail = "" if cause is None else f" ({type(cause).__name__}: {excerpt_of(str(cause))})"
            variable = url_variable(call.operation)
            advice = f"{detail}; is {variable} right and the server running?"
        return AttemptError(sentence_on(call, said), advice, charged=sent, passing=True)

    def _client(self) -> Any:
        """The client of the running loop, made on first use."""
        loop = asyncio.get_running_loop()
        for other in [other for other in self._clients if other.is_closed()]:
            del self._clients[other]
        if loop not in self._clients:
            self._clients[loop] = self._new_client()
        return self._clients[loop]

    def _new_client(self) -> Any:
        from pytest_compaction.models.calls.client import new_client
        from pytest_compaction.models.calls.http import httpx
        from pytest_compaction.models.calls.size_limit import Bounded

        base_url, key = self._address()
        return new_client(
            base_url,
            key,
            httpx.Timeout(self._read, connect=self._connect, pool=None),
            Bounded(self._max_reply_bytes, EXCEEDED),
            self._transport,
        )

    def _parsed(self, call: Call, response: Any) -> dict[str, Any]:
        """The JSON object of a reply."""
        if response.extensions.get(EXCEEDED):
            limit = self._max_reply_bytes / 1024**2
            raise _unusable(call, f"sent a reply of more than {limit:g} MB, which was not read")
        if not response.content.strip():
            raise _unusable(call, "sent an empty reply")
        try:
            value = strict_json(response.content)
        except UnusableReplyError as error:
            kind = printable(response.headers.get("content-type", "no content type"), 40)
            raise _unusable(call, f"sent {kind} that {error}") from None
        try:
            parsed = reply_object(value, response.content)
        except UnusableReplyError as error:
            raise _unusable(call, f"sent JSON that {error}") from None
        complaint = error_in(parsed)
        if complaint is not None:
            said = excerpt_of(complaint.text)
            raise _unusable(call, f"answered with an error: {said}")
        return parsed


def _unusable(call: Call, said: str) -> AttemptError:
    """The failure of a request whose reply came, and is charged for, but cannot be used."""
    return AttemptError(sentence_on(call, said), charged=True)


def _redirected(call: Call, error: Any) -> AttemptError:
    """The failure of a request that was to go on at another host; it is not asked again."""
    advice = f"; nothing was sent there; if that host is right, set {url_variable(call.operation)}"
    return AttemptError(sentence_on(call, str(error)), f"{advice} to it")


def _refused(call: Call, error: Any) -> AttemptError:
    """The failure of a request that was answered with an error status."""
    text = error.response.content[:100_000].decode("utf-8", "replace")
    said = json_or_none(text)
    complaint = replace(complaint_of(error.status_code, said, text), body=said)
    headers = error.response.headers
    return AttemptError(
        sentence_on(call, f"answered {complaint.status}: {excerpt_of(complaint.text)}"),
        passing=is_passing(complaint.status, headers),
        wait=asked_wait(headers),
        complaint=complaint,
    )
