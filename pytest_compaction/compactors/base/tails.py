"""The tail that a strategy keeps word for word, and the last request of the user beside it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.summaries import SUMMARY_OVERHEAD
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import (
    Message,
    groups,
    last_user,
    leading_system,
    pending_calls,
)
from pytest_compaction.conversation.tail import newest_that_fit
from pytest_compaction.conversation.tokens import TokenCounter


def tail_start(messages: Sequence[Message], budget: int, context: Context, first: int = 0) -> int:
    """Index from which the longest run of whole groups up to the end fits ``budget`` tokens.

    A group with unanswered calls is kept however large it is, because a call whose
    result is still to come cannot be summarised away. ``first`` is the earliest
    index allowed; ``len(messages)`` means that nothing fits.
    """
    waiting = 1 if pending_calls(messages) else 0
    return _groups_start(messages, budget, context.tokens, first, waiting)


def newest_within(
    messages: Sequence[Message], limit: int, tokens: TokenCounter
) -> tuple[Message, ...]:
    """The longest run of whole groups up to the end that takes at most ``limit`` tokens."""
    return tuple(messages[_groups_start(messages, limit, tokens) :])


def _groups_start(
    messages: Sequence[Message], room: int, tokens: TokenCounter, first: int = 0, least: int = 0
) -> int:
    """Where the newest whole groups that fit begin; the last ``least`` always count as fitting."""
    ranges = [(begin, end) for begin, end in groups(messages) if begin >= first]
    sizes = [tokens.messages(messages[begin:end]) for begin, end in ranges]
    kept = newest_that_fit(sizes, room, least)
    return ranges[kept][0] if kept < len(ranges) else len(messages)


def tail_and_request(
    messages: Sequence[Message], first: int, start: int, context: Context
) -> tuple[int, Message | None]:
    """Where a tail starts, not before ``start``, and the last request if it lies before the tail.

    ``messages[:first]`` stays in front of the summary. Tail and request together take
    at most half of the budget that is left then; the other half is for the summary.
    The last message of the user has precedence over the other messages of the tail. It
    is given up only if it alone takes more than half of the budget without the system
    prompt. Calls that wait for a result are always in the tail. The first group of the
    log never is, unless it waits for a result, because something has to go.
    """
    room = context.budget - context.tokens.messages(messages[:first]) - SUMMARY_OVERHEAD
    opening = next((end for _, end in _groups_of_log(messages, first)), len(messages))
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


def _groups_of_log(messages: Sequence[Message], first: int = 0) -> list[tuple[int, int]]:
    """The groups from index ``first`` on that are from the log, not written by a compactor."""
    return [
        (begin, end)
        for begin, end in groups(messages)
        if begin >= first and messages[begin].origin == "log"
    ]


def live_request(messages: Sequence[Message], context: Context) -> Message | None:
    """The last message of the user, or ``None`` if it is too large to stay.

    It may take half of the budget that the system prompt leaves.
    """
    live = last_user(messages)
    head = context.tokens.messages(messages[: leading_system(messages)])
    if live is None or 2 * context.tokens.message(live) > context.budget - head:
        return None
    return live


def last_request(messages: Sequence[Message], room: int, context: Context) -> Message | None:
    """The last message of the user if it leaves a quarter of ``room`` tokens to a summary."""
    live = last_user(messages)
    if live is None or context.tokens.message(live) > room * 3 // 4:
        return None
    return live
