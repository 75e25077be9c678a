"""Paying for calls: what was paid is counted, and a limit in US dollars is kept.

Before a call the most that it can cost is set aside, and when its reply is there
what it did cost is booked instead. What may be charged for although no reply came, or
none that says what it took, stays booked at its most, and a request that is sent again
after that is one more. A call that the limit has no room for waits while others in
flight may still turn out cheaper, and is refused when none is; then no further call
is made in the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation.tokens import IMAGE_TOKENS, TokenCounter
from pytest_compaction.models.calls.accounts import Ledger, LimitReachedError
from pytest_compaction.models.calls.charges import UNDER_WAY, Charge
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.protocol import ModelError, NotAskedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.models.wire.usage_count import counted
from pytest_compaction.text.words import printable

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
        number: int | None = await self._reserved(call)

        async def again() -> None:
            nonlocal number
            self._lost(number, call)
            number = None
            number = await self._reserved(call)

        charge = Charge(again)
        token = UNDER_WAY.set(charge)
        try:
            reply = await self._following.call(call)
        except BaseException:
            if charge.due:
                self._lost(number, call)
            elif number is not None:
                self._ledger.release(number)
            raise
        finally:
            UNDER_WAY.reset(token)
        self._settle(number, call, reply)
        return reply

    async def close(self) -> None:
        """Close the next caller."""
        await self._following.close()

    def _settle(self, number: int | None, call: Call, reply: CallReply) -> None:
        """Book a reply; one that does not say what it took is priced as if it took the most."""
        if number is None:
            return
        model, usage = _model_of(call), counted(call, reply, self._tokens)
        usd = self._prices.cost(model, usage)
        if usage != reply.usage:
            stand = "counted here"
            if self._limit is not None:
                usd, stand = None, "held against --compaction-max-cost at the most they can cost"
            self._ledger.note(
                f"{printable(model, 80)}: not all replies say how many tokens they took; "
                f"those calls are {stand}"
            )
        self._ledger.settle(number, usage, usd)

    def _lost(self, number: int | None, call: Call) -> None:
        """Book a request whose reply did not arrive, or was of no use, at the most it can cost."""
        if number is None:
            return
        usage = self._most_usage(call)
        self._ledger.settle(number, usage, self._prices.cost(_model_of(call), usage))

    async def _reserved(self, call: Call) -> int:
        model = _model_of(call)
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
        most = self._prices.cost(model, self._most_usage(call))
        if most is None:
            raise ModelError(
                f"--compaction-max-cost: the price table has no price of {model!r} for a request "
                "of this length; leave the limit out or take another model"
            )
        return most

    def _most_usage(self, call: Call) -> Usage:
        usage = most_usage(call, self._tokens)
        return Usage(1, int(usage.input_tokens * _MARGIN), 0, usage.output_tokens)


def _model_of(call: Call) -> str:
    return str(call.body.get("model") or "")


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
