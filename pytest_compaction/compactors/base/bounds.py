"""Bounds: what a summariser reads fits its window, and what it writes fits its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
    groups,
)
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.structured_summary import Section, Summary

_SHORTEST: Final = 200
"""Texts are not cut below this many characters; whole messages are left out then."""


def fitting_input(
    messages: Sequence[Message], limit: int, tokens: TokenCounter
) -> tuple[Message, ...]:
    """The messages shortened to at most ``limit`` tokens; unchanged if they fit.

    First, parts that only their provider can read are removed. Then long texts lose
    their middle, the longest texts most. At last the oldest groups are removed.
    """
    if tokens.messages(messages) <= limit:
        return tuple(messages)
    kept = [_readable_parts(message) for message in messages]
    kept = [message for message in kept if message.parts]
    length = max((len(text) for message in kept for text in _texts(message)), default=0)
    while length > _SHORTEST and tokens.messages(kept) > limit:
        length = max(length * 3 // 4, _SHORTEST)
        kept = [_shortened(message, length) for message in kept]
    while kept and tokens.messages(kept) > limit:
        del kept[: groups(kept)[0][1]]
    return tuple(kept)


def each_at_most(messages: Sequence[Message], length: int) -> tuple[Message, ...]:
    """The messages with every text, result and long argument cut to about ``length`` characters."""
    return tuple(_shortened(message, length) for message in messages)


def without_middle(text: str, length: int) -> str:
    """A text cut to about ``length`` characters: head, a note of how much is missing, tail."""
    if len(text) <= length:
        return text
    half = max(length // 2 - 20, 1)
    left_out = len(text) - 2 * half
    return f"{text[:half]} [{left_out} characters left out] {text[-half:]}"


def fitting_summary(
    summary: Summary, sections: Sequence[Section], budget: int, tokens: TokenCounter
) -> Summary:
    """The summary without the entries that do not fit ``budget`` tokens.

    The largest section loses its last entry first. The result is empty if not even one
    entry fits.
    """
    entries = {section: list(lines) for section, lines in summary.entries}
    shown = {section.id for section in sections}
    cost = {id: [tokens.text(line) + 2 for line in entries.get(id, ())] for id in shown}
    total = {id: sum(costs) for id, costs in cost.items()}

    def whole() -> Summary:
        return Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))

    over = tokens.text(summary.render(sections)) - budget
    while over > 0 and any(cost.values()):
        while over > 0 and any(cost.values()):
            largest = max(sorted(shown), key=total.__getitem__)
            entries[largest].pop()
            over -= cost[largest][-1]
            total[largest] -= cost[largest].pop()
        over = tokens.text(whole().render(sections)) - budget
    return whole() if over <= 0 else Summary(())


def _readable_parts(message: Message) -> Message:
    parts = tuple(part for part in message.parts if not isinstance(part, Thinking | Opaque))
    return message if len(parts) == len(message.parts) else replace(message, parts=parts)


def _texts(message: Message) -> list[str]:
    return [
        part.arguments if isinstance(part, ToolCall) else part.text
        for part in message.parts
        if isinstance(part, Text | ToolResult | ToolCall)
    ]


def _shortened(message: Message, length: int) -> Message:
    if all(len(text) <= length for text in _texts(message)):
        return message
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text | ToolResult):
            parts.append(replace(part, text=without_middle(part.text, length)))
        elif isinstance(part, ToolCall) and len(part.arguments) > length:
            parts.append(replace(part, arguments=short_arguments(part, length)))
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def short_arguments(call: ToolCall, length: int) -> str:
    """Arguments in which only long strings are cut, so that they parse if they did before."""
    values = call.parsed()
    if not values:
        return without_middle(call.arguments, length)
    return canonical_json(_short_values(values, length))


def _short_values(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return without_middle(value, length)
    if isinstance(value, dict):
        return {key: _short_values(item, length) for key, item in value.items()}
    if isinstance(value, list):
        return [_short_values(item, length) for item in value]
    return value
