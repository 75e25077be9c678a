"""Not due again before something new is said: how hardened profiles end what triggers itself.

A user may set a trigger so low that what a compaction leaves reaches it again at once.
Originals go on compacting then. The hardened profile notes in its state under ``left``
how many messages a compaction left, and waits until there are others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Final, ParamSpec, cast

from pytest_compaction.compactors.base.profiles import HARDENED
from pytest_compaction.compactors.protocol import Outcome, State

P = ParamSpec("P")

LOW: Final = 0.4
"""The share of the window under which a trigger may lie below what a compaction leaves."""

DUE_AGAIN: Final = {
    "not-due-after": "a trigger below what a compaction leaves is reached again at once",
}
SET_OFF_AGAIN: Final = {
    **DUE_AGAIN,
    "progress-or-stop": "a trigger below what a compaction leaves sets it off without end",
    "never-larger": "what is small already is summarised again, and may grow",
}
"""The violations of originals that a trigger below what they leave sets off again and again."""


def settling(
    compact: Callable[P, Awaitable[Outcome[State]]],
) -> Callable[P, Awaitable[Outcome[State]]]:
    """The method ``compact`` of a strategy; a hardened one notes how much it left."""

    @wraps(compact)
    async def settled(*args: P.args, **kwargs: P.kwargs) -> Outcome[State]:
        outcome = await compact(*args, **kwargs)
        if cast(Any, args[0]).profile != HARDENED:
            return outcome
        if outcome.status not in {"compacted", "truncated"}:
            return outcome
        left = len(outcome.state["messages"])
        return replace(outcome, state={**outcome.state, "left": left})

    return settled


def once_more_was_said(due: Callable[P, str | None]) -> Callable[P, str | None]:
    """The method ``due`` of a strategy; a hardened one waits while nothing is added."""

    @wraps(due)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> str | None:
        state = cast(State, args[1])
        hardened = cast(Any, args[0]).profile == HARDENED
        if hardened and len(state["messages"]) == state.get("left"):
            return None
        return due(*args, **kwargs)

    return waiting
