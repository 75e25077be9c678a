"""The places where OpenHands may cut a history, and the size of the end that it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, Thinking, groups


def manipulation_indices(messages: Sequence[Message]) -> list[int]:
    """Where the messages may be cut: between groups, but not within a loop of tool calls.

    A loop begins with calls made after thinking and goes on while only calls and
    results follow; calls after thinking begin another.
    """
    indices: list[int] = []
    in_loop = False
    for begin, _ in groups(messages):
        message = messages[begin]
        thinks = any(isinstance(part, Thinking) for part in message.parts)
        continues = in_loop and bool(message.calls) and not thinks
        in_loop = bool(message.calls) and (thinks or in_loop)
        if not continues:
            indices.append(begin)
    return [*indices, len(messages)]


def suffix_for_reduction(messages: Sequence[Message], tokens: int, context: Context) -> int:
    """How many messages are left once the oldest ones, more than ``tokens`` in all, are gone."""
    gone = 0
    for index, message in enumerate(messages):
        gone += context.tokens.message(message)
        if gone > tokens:
            return len(messages) - index - 1
    return 0
