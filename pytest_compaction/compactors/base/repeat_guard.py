"""A guard against compacting the same view again, for strategies with a trigger of their own.

A user may set a trigger so low that the view a compaction leaves reaches it at once.
The originals then compact again. The hardened profile writes down in its state, under
``left``, how many messages a compaction left, and waits until that number changes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, cast

from pytest_compaction.compactors.base.profiles import HARDENED
from pytest_compaction.compactors.protocol import Outcome, State

P = ParamSpec("P")


def remembers_size(
    compact: Callable[P, Awaitable[Outcome[State]]],
) -> Callable[P, Awaitable[Outcome[State]]]:
    """Decorate the method ``compact``: the hardened profile notes how many messages it left."""

    @wraps(compact)
    async def noted(*args: P.args, **kwargs: P.kwargs) -> Outcome[State]:
        outcome = await compact(*args, **kwargs)
        if cast(Any, args[0]).profile != HARDENED:
            return outcome
        if outcome.status not in {"compacted", "truncated"}:
            return outcome
        left = len(outcome.state["messages"])
        return replace(outcome, state={**outcome.state, "left": left})

    return noted


def quiet_until_growth(due: Callable[P, str | None]) -> Callable[P, str | None]:
    """Decorate the method ``due``: the hardened profile is not due until a message is added."""

    @wraps(due)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> str | None:
        state = cast(State, args[1])
        hardened = cast(Any, args[0]).profile == HARDENED
        if hardened and len(state["messages"]) == state.get("left"):
            return None
        return due(*args, **kwargs)

    return waiting
