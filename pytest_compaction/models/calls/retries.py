"""Repeats requests that may succeed later: 408, 409, 429, 5xx, a time-out, a lost connection."""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pytest_compaction.models.calls.attempt import AttemptError, too_slow
from pytest_compaction.models.wire.call import Call, Caller, CallReply

if TYPE_CHECKING:
    from tenacity import RetryCallState

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


class RetryingCaller:
    """Passes calls on to ``following``, again up to ``retries`` times while that may help.

    All attempts at a call share ``total`` seconds with the waits between them. Time that
    ``following`` spends before it sends a request, as in waiting for money, does not count.
    ``jitter`` gives random numbers from 0 to 1.
    """

    def __init__(
        self,
        following: Caller,
        total: float,
        retries: int = MAX_RETRIES,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._following = following
        self._total = total
        self._retries = retries
        self._jitter = jitter

    async def call(self, call: Call) -> CallReply:
        """The reply to one of the attempts; raises the :class:`AttemptError` of the last one."""
        seconds = self._total if call.seconds is None else call.seconds
        try:
            return await self._following.call(replace(call, seconds=seconds))
        except AttemptError as error:
            failed = error
        return await self._repeated(call, seconds, failed)

    async def _repeated(self, call: Call, seconds: float, failed: AttemptError) -> CallReply:
        """The reply to one of the attempts after the first one, which has failed."""
        # Imported here because it costs a tenth of a second that most runs need not pay.
        from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

        asked = 0.0

        def out_of_time(state: RetryCallState) -> bool:
            return asked + state.idle_for + state.upcoming_sleep >= seconds

        last = stop_after_attempt(self._retries + 1)
        attempts = AsyncRetrying(
            retry=retry_if_exception(_is_passing),
            stop=lambda state: last(state) or out_of_time(state),
            wait=self._wait,
            reraise=True,
        )
        number, idle = 0, 0.0
        try:
            async for attempt in attempts:
                with attempt:
                    number, idle = number + 1, attempt.retry_state.idle_for
                    left = seconds - asked - idle
                    try:
                        if number == 1:
                            raise failed
                        reply = await self._following.call(replace(call, seconds=left))
                    except AttemptError as error:
                        asked += error.seconds
                        raise
        except AttemptError as error:
            if error.passing and number <= self._retries:
                raise too_slow(call, self._total, error.charged) from None
            raise error.repeated(number, asked + idle) from None
        if reply.latency_s is None:
            return reply
        return replace(reply, latency_s=round(reply.latency_s + asked + idle, 3))

    async def close(self) -> None:
        """Close the next caller."""
        await self._following.close()

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next attempt: what the endpoint asks for, or about twice the last."""
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, AttemptError) and error.wait is not None:
            return error.wait
        wait = min(FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT_S)
        return wait * (1 - _JITTER * self._jitter())


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, AttemptError) and error.passing


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
