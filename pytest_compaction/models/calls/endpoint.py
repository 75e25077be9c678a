"""Calls to an endpoint: one request, its repetitions, and what a request does without.

:class:`Endpoint` sends each call once over the network, within bounds on time and size. With
``client`` it is all that talks to the openai package. :class:`RetryingCaller` repeats what may
succeed later, and :class:`AdaptingCaller` leaves out what a model refuses. Every failure becomes
a :class:`~pytest_compaction.models.protocol.ModelError`: one sentence without a key in it.
"""

from __future__ import annotations

import asyncio
import email.utils
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.models.calls.address import (
    base_url_for,
    missing_key,
    shown_host,
    url_variable,
)
from pytest_compaction.models.protocol import ModelError, UnsupportedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply, ChainedCaller, Operation
from pytest_compaction.models.wire.complaint import BROKEN_JSON, Complaint, complaint_of
from pytest_compaction.models.wire.events import failure_in, is_whole, joined, read_events
from pytest_compaction.models.wire.refusals import (
    adaptable,
    adaptation_for,
    adapted,
    added_text,
    consequence,
    is_lasting,
    refuses_added,
)
from pytest_compaction.models.wire.reply import (
    UnusableReplyError,
    error_in,
    marked_as_thought,
    reply_object,
    strict_json,
    thought_in,
    usage_of,
)
from pytest_compaction.secrets import own_variable, scrubbed
from pytest_compaction.text import printable

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
    "embeddings": "/embeddings",
}
_QUOTED_CHARACTERS: Final = 200
"""The most characters of an endpoint's reply that a sentence quotes."""
_LONGER: Final = "give it longer with --compaction-request-timeout"

MAX_RETRIES: Final = 4
FIRST_WAIT_S: float = 0.5
LONGEST_WAIT_S: float = 8.0
"""Waits double from the first to the longest. These are the figures of the openai package."""
LONGEST_ASKED_S: Final = 120.0
"""An endpoint that asks for a longer wait than this is not asked again."""
_JITTER: Final = 0.25
"""Share of a wait by which it may be shorter, so that many callers do not return at once."""
_PASSING: Final = frozenset({408, 409, 429})
"""Refusals that another attempt may overcome: a time-out, a conflict, a rate limit."""


class AttemptError(ModelError):
    """One request to the endpoint failed; the text is a sentence for the user, without a key.

    ``charged`` tells that the endpoint may charge for the request although no usable reply
    came. ``passing`` tells that the same request may succeed later, ``wait`` for how many
    seconds the endpoint asks until then. ``complaint`` is what the endpoint said against
    the request, if it replied. ``seconds`` is how long the request took, with all its
    repetitions and the waits between them.
    """

    def __init__(
        self,
        sentence: str,
        advice: str = "",
        *,
        charged: bool = False,
        passing: bool = False,
        wait: float | None = None,
        complaint: Complaint | None = None,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(sentence + advice)
        self._sentence = sentence
        self._advice = advice
        self.charged = charged
        self.passing = passing
        self.wait = wait
        self.complaint = complaint
        self.seconds = seconds

    def repeated(self, attempts: int, seconds: float) -> AttemptError:
        """The failure of the last of ``attempts`` attempts, which took ``seconds`` in all."""
        counted = self.passing and self.complaint is None
        times = f", {attempts} time{'' if attempts == 1 else 's'}" if counted else ""
        return AttemptError(
            self._sentence + times,
            self._advice,
            charged=self.charged,
            complaint=self.complaint,
            seconds=seconds,
        )


def sentence_on(call: Call, said: str) -> str:
    """A sentence on what the model of a call did at the endpoint, without a key in it."""
    model = printable(call.model, 80)
    host = shown_host(base_url_for(call.operation, call.is_ours))
    return scrubbed(f"model {model} at {host} {said}")


def excerpt_of(text: str) -> str:
    """A quotation of the endpoint: keys out first, then shortened, so that none is cut in half."""
    return printable(scrubbed(text), _QUOTED_CHARACTERS).strip() or "(no reason given)"


def too_slow(call: Call, seconds: float, charged: bool, passing: bool = False) -> AttemptError:
    """The failure of a call, or of one request of it, that has used up its time."""
    return AttemptError(
        sentence_on(call, f"did not finish its reply within {seconds:g} s"),
        "; try fewer requests at a time (--compaction-concurrency) or a faster model, or "
        f"{_LONGER}",
        charged=charged,
        passing=passing,
    )


class Endpoint:
    """A :class:`~pytest_compaction.models.wire.call.Caller` over the network.

    It sends each call once. Times are in seconds: ``connect`` for a connection, ``read`` for
    a reply, whether the endpoint is silent or sends a little at a time, ``total`` for a whole
    call. A redirect to another host is refused. One client is made for each event loop on
    first use. The openai package is loaded by the first call.
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
            parsed = self._parsed(call, await self._response(call))
        except AttemptError as error:
            error.seconds = time.perf_counter() - started
            raise
        return CallReply(parsed, self._usage(call, parsed), round(time.perf_counter() - started, 3))

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _response(self, call: Call) -> Any:
        left = self.total if call.seconds is None else min(call.seconds, self.total)
        if left <= 0:
            raise too_slow(call, self.total, charged=False)
        import openai

        from pytest_compaction.models.calls.client import NEVER_SENT, RedirectedError, httpx

        bound = self._read + min(self._read, self._connect)
        try:
            client = self._client()
            async with asyncio.timeout(min(left, bound)):
                return await self._sent(client, call)
        except TimeoutError:
            if left <= bound:
                raise too_slow(call, self.total, charged=True) from None
            raise too_slow(call, self._read, charged=True, passing=True) from None
        except openai.APIStatusError as error:
            raise _refused(call, error) from None
        except (openai.APIConnectionError, RedirectedError) as error:
            cause = error if isinstance(error, RedirectedError) else error.__cause__
            if isinstance(cause, RedirectedError):  # openai 2 wraps it
                variable = url_variable(call.operation)
                advice = f"; nothing was sent there; if that host is right, set {variable} to it"
                raise AttemptError(sentence_on(call, str(cause)), advice) from None
            if isinstance(error, openai.APITimeoutError):
                times = f"connecting {self._connect:g} s, reading {self._read:g} s"
                said, advice = f"did not answer in time ({times})", f"; {_LONGER}"
            else:
                said = "could not be reached, or broke off its reply"
                detail = f" ({type(cause).__name__}: {excerpt_of(str(cause))})" if cause else ""
                variable = url_variable(call.operation)
                advice = f"{detail}; is {variable} right and the server running?"
            sent = not isinstance(cause, NEVER_SENT)
            raise AttemptError(
                sentence_on(call, said), advice, charged=sent, passing=True
            ) from None
        except (openai.OpenAIError, httpx.InvalidURL, ValueError) as error:
            said = f"could not be asked: {excerpt_of(str(error))}"
            raise AttemptError(sentence_on(call, said)) from None

    async def _sent(self, client: Any, call: Call) -> Any:
        from pytest_compaction.models.calls.client import httpx

        body = call.body if call.sent is None else call.sent
        return await client.post(_PATHS[call.operation], body=dict(body), cast_to=httpx.Response)

    def _usage(self, call: Call, parsed: Mapping[str, Any]) -> Usage:
        return usage_of(parsed)

    def _address(self) -> tuple[str, str]:
        """Base URL, empty for that of the package, and key; raises :class:`ModelError`."""
        missing = missing_key()
        if missing is not None:
            raise ModelError(missing)
        return base_url_for(), own_variable("OPENAI_API_KEY") or NO_KEY

    def _client(self) -> Any:
        from pytest_compaction.models.calls.client import Bounded, httpx, new_client

        loop = asyncio.get_running_loop()
        for other in [other for other in self._clients if other.is_closed()]:
            del self._clients[other]
        if loop not in self._clients:
            timeout = httpx.Timeout(self._read, connect=self._connect, pool=None)
            bound = Bounded(self._max_reply_bytes, EXCEEDED)
            self._clients[loop] = new_client(*self._address(), timeout, bound, self._transport)
        return self._clients[loop]

    def _parsed(self, call: Call, response: Any) -> dict[str, Any]:
        kind = response.headers.get("content-type", "no content type")
        if response.extensions.get(EXCEEDED):
            limit = self._max_reply_bytes / 1024**2
            said = f"sent a reply of more than {limit:g} MB, which was not read"
        elif kind.startswith("text/event-stream") or response.content.startswith(b"data:"):
            return self._reply_of(self._events(call, response.content))
        elif not response.content.strip():
            said = "sent an empty reply"
        else:
            sent = printable(kind, 40)
            try:
                value = strict_json(response.content)
                sent = "JSON"
                parsed = reply_object(value, response.content)
            except UnusableReplyError as error:
                said = f"sent {sent} that {error}"
            else:
                complaint = error_in(parsed)
                if complaint is None:
                    return parsed
                raise _answered_error(call, complaint)
        raise AttemptError(sentence_on(call, said), charged=True)

    def _events(self, call: Call, data: bytes) -> list[dict[str, Any]]:
        events = read_events(data)
        failed = failure_in(events)
        if failed is None and is_whole(call.operation, events):
            return events
        complaint = error_in(failed) if isinstance(failed, dict) else None
        if complaint is not None and complaint.status != 200:
            raise _answered_error(call, complaint)
        said = "its end is missing" if failed is None else excerpt_of(str(failed))
        raise AttemptError(
            sentence_on(call, f"broke off its stream: {said}"), charged=True, passing=True
        )

    def _reply_of(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        return joined(events)


def _answered_error(call: Call, complaint: Complaint) -> AttemptError:
    said = sentence_on(call, f"answered with an error: {excerpt_of(complaint.text)}")
    known = complaint if complaint.status != 200 else None
    return AttemptError(said, charged=True, complaint=known)


def _refused(call: Call, error: Any) -> AttemptError:
    text = error.response.content[:100_000].decode("utf-8", "replace")
    said = json_or_none(text)
    complaint = replace(complaint_of(error.status_code, said, text), body=said)
    headers = error.response.headers
    passing = is_passing(complaint.status, headers)
    return AttemptError(
        sentence_on(call, f"answered {complaint.status}: {excerpt_of(complaint.text)}"),
        passing=passing and not is_lasting(complaint, call.sent or call.body),
        wait=asked_wait(headers),
        complaint=complaint,
    )


class RetryingCaller(ChainedCaller):
    """Passes calls on, again up to ``retries`` times while that may help.

    That is after 408, 409, 429, 5xx, a time-out or a lost connection. All attempts at a call share
    ``total`` seconds with the waits between them. Time that the next caller spends before it
    sends a request, as in waiting for money, does not count. ``jitter`` gives random numbers
    from 0 to 1.
    """

    def __init__(
        self,
        following: Caller,
        total: float,
        retries: int = MAX_RETRIES,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(following)
        self._total = total
        self._retries = retries
        self._jitter = jitter

    async def call(self, call: Call) -> CallReply:
        """The reply to one of the attempts; raises the :class:`AttemptError` of the last one."""
        total = self._total if call.seconds is None else call.seconds
        used = 0.0
        for attempt in count(1):
            try:
                reply = await self._following.call(replace(call, seconds=total - used))
                break
            except AttemptError as error:
                failed = error
            used += failed.seconds
            if not failed.passing or attempt > self._retries:
                raise failed.repeated(attempt, used) from None
            wait = self._wait(attempt, failed)
            if used + wait >= total:
                raise too_slow(call, self._total, failed.charged) from None
            await asyncio.sleep(wait)
            used += wait
        if not used or reply.latency_s is None:
            return reply
        return replace(reply, latency_s=round(reply.latency_s + used, 3))

    def _wait(self, attempt: int, failed: AttemptError) -> float:
        """Seconds until the next attempt: what the endpoint asks for, or about twice the last."""
        if failed.wait is not None:
            return failed.wait
        wait = min(FIRST_WAIT_S * 2.0 ** (attempt - 1), LONGEST_WAIT_S)
        return wait * (1 - _JITTER * self._jitter())


def is_passing(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a request that was refused with this status may succeed when it is sent again.

    The header ``x-should-retry`` decides where there is one. Names of headers are lower case.
    """
    wait = _asked_seconds(headers)
    if wait is not None and wait > LONGEST_ASKED_S:
        return False
    said = headers.get("x-should-retry")
    if said in ("true", "false"):
        return said == "true"
    return status in _PASSING or status >= 500


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to wait; ``None`` if it does not ask, or asks for 0."""
    wait = _asked_seconds(headers)
    return wait if wait is not None and wait > 0 else None


def _asked_seconds(headers: Mapping[str, str]) -> float | None:
    """The wait in ``retry-after-ms`` or ``retry-after``, which holds seconds or a date."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        said = headers.get(name, "").strip().lower()
        try:
            value = float(said) / divisor
        except ValueError:
            continue
        if math.isinf(value) and "inf" not in said:
            return LONGEST_ASKED_S + 1  # more digits than a number can hold: a very long wait
        return value if math.isfinite(value) else None
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    try:
        return None if date is None else email.utils.mktime_tz(date) - time.time()
    except (ValueError, OverflowError, OSError):
        return None


ADAPTED: Final = "compaction_adapted"
"""The member of a kept reply to a check that names what its model has refused."""
_Model = tuple[Operation, str]
_Kind = tuple[_Model, frozenset[str], str]


class AdaptingCaller(ChainedCaller):
    """Passes calls on without what their model has refused.

    What a model refuses holds for the life of the caller: a parameter is left out of later
    calls, and what it cannot do at all is not asked for again. All requests for a call share
    ``total`` seconds.
    """

    def __init__(self, following: Caller, total: float) -> None:
        super().__init__(following)
        self._total = total
        self._adapted: dict[_Model, frozenset[str]] = {}
        self._closed_to: dict[tuple[_Model, str], str] = {}
        """Why not to ask again: for all requests, or for those with these added parameters."""
        self._first: dict[_Kind, asyncio.Event] = {}
        self._checked: set[tuple[_Model, frozenset[str]]] = set()
        """What requests of a model could do without that a check has tried."""
        self._answered: set[_Model] = set()
        self._thinking: set[_Model] = set()
        """Models that end their thoughts with a mark, and begin them with none."""

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller; raises :class:`ModelError` if the call is refused.

        The first call of a kind goes alone. Others of its kind wait until it is back and
        then go together, because it is then known what the model refuses. After a check that
        is known before.
        """
        model: _Model = (call.operation, call.model)
        asked = adaptable(call.body)
        kind = (model, asked, added_text(call.body))
        if not kind[2] and any(of == model and asked <= tried for of, tried in self._checked):
            return await self._adapting(call, model)
        event = self._first.get(kind)
        if event is not None:
            await event.wait()
            return await self._adapting(call, model)
        event = self._first[kind] = asyncio.Event()
        try:
            return await self._adapting(call, model)
        finally:
            event.set()

    def adopt(self, check: Call, names: frozenset[str]) -> None:
        """Do without what a check has found, which an earlier run or another process made."""
        model: _Model = (check.operation, check.model)
        self._adapted[model] = self._adapted.get(model, frozenset()) | names
        self._checked.add((model, adaptable(check.body)))

    async def _adapting(self, call: Call, model: _Model) -> CallReply:
        left = self._total
        alone: frozenset[str] = frozenset()  # what this call does without, and no other
        is_second = False
        while True:
            for closed in ((model, ""), (model, added_text(call.body))):
                if closed in self._closed_to:
                    raise UnsupportedError(self._closed_to[closed])
            body = adapted(call.body, self._adapted.get(model, frozenset()) | alone)
            try:
                reply = await self._following.call(replace(call, sent=body, seconds=left))
            except AttemptError as error:
                if error.complaint is None:
                    raise
                left -= error.seconds
                if BROKEN_JSON in error.complaint.text and not is_second:
                    is_second = True
                    continue
                step = adaptation_for(error.complaint, body)
                if step is None:
                    raise self._refusal(error.complaint, call, model) from None
                if step.kept:
                    self._adapted[model] = self._adapted.get(model, frozenset()) | {step.name}
                else:
                    alone |= {step.name}
            else:
                return self._taken(reply, call, model, alone)

    def _taken(
        self, reply: CallReply, call: Call, model: _Model, alone: frozenset[str]
    ) -> CallReply:
        """A reply as it is kept: with its cut thought marked, or with what a check has found."""
        self._answered.add(model)
        if thought_in(reply.body):
            self._thinking.add(model)
        elif model in self._thinking:
            reply = replace(reply, body=marked_as_thought(dict(reply.body)))
        if call.role != "check":
            return reply
        names = sorted(self._adapted.get(model, frozenset()) | alone)
        return replace(reply, body={**reply.body, ADAPTED: names})

    def _refusal(self, complaint: Complaint, call: Call, model: _Model) -> ModelError:
        """The error for a complaint that no adaptation answers; kept if it is for good."""
        said = excerpt_of(complaint.text)
        if complaint.too_long:
            return ModelError(
                sentence_on(
                    call,
                    f"has too small a context for this request ({said}); use a model with a "
                    "larger one, or a smaller budget in the case",
                )
            )
        answered = model in self._answered
        lasting, advice = consequence(complaint, call.operation, call.body, answered)
        sentence = sentence_on(call, f"answered {complaint.status}: {said}{advice}")
        if not lasting:
            return ModelError(sentence)
        theirs = added_text(call.body) if refuses_added(complaint, call.body) else ""
        self._closed_to[model, theirs] = sentence
        return UnsupportedError(sentence)
