"""Safe cuts of a conversation: between groups, never between a call and its result."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.conversation.messages import Message, groups, pending_calls


def cut_before(messages: Sequence[Message], index: int) -> int:
    """The nearest safe cut at or before ``index``: the start of the group that holds it."""
    return next((begin for begin, end in groups(messages) if begin <= index < end), len(messages))


def cut_after(messages: Sequence[Message], index: int) -> int:
    """The nearest safe cut at or after ``index``: where the group that holds it ends."""
    if index >= len(messages):
        return len(messages)
    begin, end = next(
        (begin, end) for begin, end in groups(messages) if begin <= max(index, 0) < end
    )
    return begin if begin == max(index, 0) else end


def pending_start(messages: Sequence[Message]) -> int:
    """Index of the group whose calls still wait for a result; ``len(messages)`` without one."""
    return groups(messages)[-1][0] if pending_calls(messages) else len(messages)


def user_turns(messages: Sequence[Message]) -> list[int]:
    """Indices of the messages that a user really wrote, in order."""
    return [
        index
        for index, message in enumerate(messages)
        if message.role == "user" and message.origin == "log"
    ]


def without_orphans(messages: Sequence[Message], new: Sequence[Message]) -> tuple[Message, ...]:
    """The new messages without leading results whose call is no longer in ``messages``.

    For strategies that drop a call before its result is there: their originals
    never run such a tool, or do not send its result.
    """
    waiting = set(pending_calls(messages))
    start = 0
    while start < len(new) and new[start].role == "tool":
        start += 1
    answers = (
        message
        for message in new[:start]
        if any(result.call_id in waiting for result in message.results)
    )
    return (*answers, *new[start:])
