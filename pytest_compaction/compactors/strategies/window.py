"""``window``: the newest part of the conversation that fits the budget, and nothing else.

The plainest thing that can be done, and what every strategy has to beat. The
system prompt stays, the rest is cut to the longest run of whole groups that the
budget holds exactly; the user message that this run answers comes along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    leading_system,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.newest_part import newest_part
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message


class Window(HistoryCompactor):
    """Keeps the system prompt and the newest whole groups that fit the budget."""

    name = "window"
    description = "the newest part that fits, exactly; nothing else is kept"
    traits = Traits(keeps_tail=True)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Cut the view to its newest part; the view stays when what must stay does not fit."""
        before = load(state["messages"])
        after = cut_to_fit(state, before, context)
        if isinstance(after, Outcome):
            return after
        spans = spans_between(before, after)
        return Outcome({**state, "messages": dump(after)}, "truncated", spans)


def cut_to_fit(
    state: State, before: Sequence[Message], context: Context
) -> tuple[Message, ...] | Outcome[State]:
    """A smaller view within the budget, or the outcome where there is none to be had or needed."""
    used = context.tokens.messages(before)
    if used <= context.budget:
        return unchanged(state)
    after = windowed(before, context)
    if after is None:
        return unchanged(state, too_small(before, context))
    return after if context.tokens.messages(after) < used else unchanged(state)


def windowed(messages: Sequence[Message], context: Context) -> tuple[Message, ...] | None:
    """System prompt and newest part within the budget; ``None`` when that cannot be."""
    first = leading_system(messages)
    room = context.budget - context.tokens.messages(messages[:first])
    newest = newest_part(messages[first:], room, context) if room >= 0 else None
    return None if newest is None else (*messages[:first], *newest)


def too_small(messages: Sequence[Message], context: Context) -> str:
    """Why a budget cannot hold even what must stay."""
    system = context.tokens.messages(messages[: leading_system(messages)])
    if system > context.budget:
        return f"the system prompt alone takes {system} tokens of a budget of {context.budget}"
    return f"what must stay takes more than the budget of {context.budget} tokens"


STRATEGY: Final = Window
