"""Whether a request may be charged for: seen where it is sent, booked where it is paid.

An endpoint charges for what it answers, whether or not the answer arrives and is of any
use. Only a request that it refused, or that never reached it, is free. The client of the
openai package sends a request again by itself, and between payer and client stand
callers that know nothing of either; so what is under way is kept in a context variable.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final


class Charge:
    """The request of a call that is under way. ``due`` while it may be charged for.

    ``again`` is awaited before a request is sent anew although the last one may be
    charged for; it raises where there is no money for that.
    """

    def __init__(self, again: Callable[[], Awaitable[None]]) -> None:
        self._again = again
        self.due = False

    async def sending(self) -> None:
        """A request is about to be sent."""
        if self.due:
            await self._again()
        self.due = True

    def free(self) -> None:
        """It was refused, or did not reach the endpoint."""
        self.due = False


UNDER_WAY: Final[ContextVar[Charge | None]] = ContextVar("charge_under_way", default=None)
