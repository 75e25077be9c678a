"""Making a view fit its budget by leaving out whole groups: how hardened profiles end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import (
    dump,
    last_user,
    leading_system,
    load,
    spans_between,
    tail_start,
    unchanged,
)
from pytest_compaction.compactors.base.newest_part import newest_part
from pytest_compaction.compactors.base.profiles import FAITHFUL, HARDENED, Profile
from pytest_compaction.compactors.base.summaries import SUMMARY_OVERHEAD
from pytest_compaction.compactors.protocol import Context, Outcome, State, Status
from pytest_compaction.conversation.messages import Message, groups

TOO_MUCH: Final = "the system prompt and calls that wait for a result do not fit the budget"


def fitted(messages: Sequence[Message], context: Context) -> tuple[Message, ...] | None:
    """The system prompt and the newest whole groups that fit the budget; unchanged where all do.

    ``None`` when what may not be left out is too much alone; see :func:`newest_part`.
    """
    if context.tokens.messages(messages) <= context.budget:
        return tuple(messages)
    head = leading_system(messages)
    room = context.budget - context.tokens.messages(messages[:head])
    newest = newest_part(messages[head:], room, context) if room >= 0 else None
    return None if newest is None else (*messages[:head], *newest)


def tail_and_request(
    messages: Sequence[Message], first: int, start: int, context: Context
) -> tuple[int, Message | None]:
    """Where a tail starts, not before ``start``, and the last request if it lies before the tail.

    What stays in front of the summary is ``messages[:first]``. Tail and request take
    at most half of what that leaves of the budget, so that the summary has the other
    half. The last message of the user after it goes before anything else; it is given
    up only where it alone takes more than half of the budget beside the system prompt.
    Calls that wait for a result are in the tail whatever they take, and the first
    group that a user or a model wrote never is, unless it waits: something has to go.
    """
    room = context.budget - context.tokens.messages(messages[:first]) - SUMMARY_OVERHEAD
    opening = next((end for _, end in groups_of_log(messages, first)), len(messages))
    start = min(max(start, opening), pending_start(messages))
    begin = tail_start(messages, room // 2, context, start)
    request = last_user(messages[first:])
    if request is None or any(message is request for message in messages[begin:]):
        return begin, None
    cost = context.tokens.message(request)
    head = context.tokens.messages(messages[: leading_system(messages)])
    if 2 * cost > context.budget - head:
        return begin, None
    begin = tail_start(messages, room // 2 - cost, context, start)
    return begin, None if any(message is request for message in messages[begin:]) else request


def groups_of_log(messages: Sequence[Message], first: int = 0) -> list[tuple[int, int]]:
    """The groups from index ``first`` on that no compactor wrote."""
    return [
        (begin, end)
        for begin, end in groups(messages)
        if begin >= first and messages[begin].origin == "log"
    ]


def by_rule(
    state: State, before: Sequence[Message], after: Sequence[Message] | None, noted: str = ""
) -> Outcome[State]:
    """The outcome of a rule that masked or left out messages; ``None`` is a view that cannot fit.

    ``noted`` is the key of the state under which the ids of all masked messages stand.
    """
    if after is None:
        return unchanged(state, TOO_MUCH)
    if tuple(after) == tuple(before):
        return unchanged(state)
    spans = spans_between(before, after)
    new: State = {**state, "messages": dump(after)}
    if noted:
        masked = {id for span in spans if span.fate == "masked" for id in span.ids}
        new[noted] = sorted({*state.get(noted, ()), *masked})
    status: Status = "compacted" if len(after) == len(before) else "truncated"
    return Outcome(new, status, spans)


def by_summary(
    state: State,
    before: Sequence[Message],
    after: Sequence[Message],
    by: str,
    context: Context,
    profile: Profile,
    growth: bool = True,
    **noted: Any,
) -> Outcome[State]:
    """The outcome of a summary that replaced messages; ``noted`` goes into the state.

    The hardened profile refuses a view that is over its budget or did not get smaller.
    The faithful one does what the original does: with ``growth`` it takes any view,
    without it none that got larger.
    """
    was, now = context.tokens.messages(before), context.tokens.messages(after)
    if now > was or (now == was and profile == HARDENED):
        if profile == HARDENED or not growth:
            return unchanged(state, f"the view would take {now} tokens, it took {was} before")
    elif now > context.budget and profile == HARDENED:
        return unchanged(state, f"the view would take {now} tokens and may take {context.budget}")
    new: State = {**state, "messages": dump(after), **noted}
    return Outcome(new, "compacted", spans_between(before, after, by))


def nothing_to_summarise(state: State, context: Context, profile: Profile) -> Outcome[State]:
    """The outcome where nothing may go: the hardened profile says so if the view is too large."""
    used = context.tokens.messages(load(state["messages"]))
    if profile == FAITHFUL or used <= context.budget:
        return unchanged(state)
    return unchanged(
        state, f"nothing of the {used} tokens can be summarised, {context.budget} are allowed"
    )
