"""Where a conversation may be cut: between groups, never between a call and its result."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.conversation import Message, groups, pending_calls


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
