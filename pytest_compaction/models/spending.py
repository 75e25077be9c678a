"""Paying for calls: what was paid is counted, and a limit in US dollars is kept.

Before a call the most that it can cost is set aside, and when its reply is there
what it did cost is booked instead. A call that the limit has no room for waits
while others in flight may still turn out cheaper, and is refused when none is; then
no further call is made in the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.models.calls import Call, Caller, CallReply
from pytest_compaction.models.ledger import Ledger, LimitReachedError
from pytest_compaction.models.prices import PriceTable
from pytest_compaction.models.protocol import ModelError, NotAskedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.tokens import IMAGE_TOKENS, TokenCounter

_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5
_MARGIN: Final = 1.25
"""What other tokenizers may count more of an input than ours."""
_OUTPUT_KEYS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens")


class SpentError(NotAskedError):
    """The call would cost more than the run may still spend; it was not made."""


class Spending:
    """Passes calls on to ``following``, enters them in the ledger, and keeps ``limit``."""

    def __init__(
        self,
        following: Caller,
        ledger: Ledger,
        prices: PriceTable,
        tokens: TokenCounter,
        limit: float | None = None,
    ) -> None:
        self._following = following
        self._ledger = ledger
        self._prices = prices
        self._tokens = tokens
        self._limit = limit

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller, or :class:`SpentError` without any call."""
        model = str(call.body.get("model") or "")
        number = await self._reserved(call, model)
        try:
            reply = await self._following.call(call)
        except Exception:
            self._ledger.release(number)
            raise
        self._ledger.settle(number, reply.usage, self._prices.cost(model, reply.usage))
        return reply

    async def close(self) -> None:
        """Close the next caller."""
        await self._following.close()

    async def _reserved(self, call: Call, model: str) -> int:
        most = self._most(call, model)
        wait = _WAIT_S
        while True:
            try:
                number = self._ledger.reserve(call.role, model, most, self._limit)
            except LimitReachedError as reached:
                raise SpentError(
                    f"not paid for: --compaction-max-cost={reached.limit:g} leaves no room for "
                    f"another call; run again with a higher limit, what was paid for is stored"
                ) from None
            if number is not None:
                return number
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)

    def _most(self, call: Call, model: str) -> float | None:
        """The most that a call can cost, as counted here; ``None`` without a limit to keep."""
        if self._limit is None:
            return None
        counted = most_usage(call, self._tokens)
        usage = Usage(1, int(counted.input_tokens * _MARGIN), 0, counted.output_tokens)
        most = self._prices.cost(model, usage)
        if most is None:
            raise ModelError(
                f"--compaction-max-cost: the price table has no price of {model!r} for a request "
                "of this length; leave the limit out or take another model"
            )
        return most


def most_usage(call: Call, tokens: TokenCounter) -> Usage:
    """The tokens that a call can take: its texts, counted here, and the output that it allows.

    A call that names no bound on its output is taken to write as much as it reads.
    """
    read = sum(
        IMAGE_TOKENS if text.startswith("data:") else tokens.text(text)
        for text in _texts(call.body)
    )
    allowed = next((call.body[key] for key in _OUTPUT_KEYS if key in call.body), read)
    return Usage(1, read, 0, int(allowed))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, the names in it included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
