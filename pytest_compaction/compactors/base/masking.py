"""Masking: a placeholder replaces the content of tool results, and calls keep their results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pytest_compaction.conversation.messages import Image, Message, Part, Text, ToolResult
from pytest_compaction.conversation.tokens import TokenCounter

Placeholder = Callable[[ToolResult], str]
"""Gives the text that replaces a result."""


def mask_results(
    messages: Sequence[Message], ids: Collection[str], placeholder: str | Placeholder
) -> tuple[Message, ...]:
    """The messages, with a placeholder for the results of those whose id is in ``ids``.

    Images of such a message are removed. A result without images that is no longer than the
    placeholder stays as it is.
    """
    return tuple(
        _masked(message, placeholder) if message.id in ids and message.results else message
        for message in messages
    )


def _masked(message: Message, placeholder: str | Placeholder) -> Message:
    parts: list[Part] = []
    pictured = any(isinstance(part, Image) for part in message.parts)
    for part in message.parts:
        if isinstance(part, ToolResult):
            text = placeholder if isinstance(placeholder, str) else placeholder(part)
            shorter = pictured or len(text) < len(part.text)
            parts.append(replace(part, text=text) if shorter else part)
        elif not isinstance(part, Image):
            parts.append(part)
    return replace(message, parts=tuple(parts))


def images_as_text(
    messages: Sequence[Message], placeholder: str = "[image]"
) -> tuple[Message, ...]:
    """The messages with each image replaced by a text, for a reader that cannot see."""
    return tuple(
        replace(
            message,
            parts=tuple(
                Text(placeholder) if isinstance(part, Image) else part for part in message.parts
            ),
        )
        if any(isinstance(part, Image) for part in message.parts)
        else message
        for message in messages
    )


def tool_names(messages: Sequence[Message]) -> dict[str, str]:
    """The name of the tool that each message with a result comes from, by message id."""
    called = {call.id: call.name for message in messages for call in message.calls}
    return {
        message.id: called[message.results[0].call_id]
        for message in messages
        if message.results and message.results[0].call_id in called
    }


def where_smaller(
    old: Sequence[Message], new: Sequence[Message], tokens: TokenCounter
) -> tuple[Message, ...]:
    """Each new message that takes fewer tokens than the old one in its place, else the old one."""
    return tuple(
        changed if tokens.message(changed) < tokens.message(message) else message
        for message, changed in zip(old, new, strict=True)
    )
