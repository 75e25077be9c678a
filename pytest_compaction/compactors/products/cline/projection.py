"""What Cline's summariser is given to read where the messages exceed its input.

First reasoning and images go, whatever there is room for. Then texts are cut, from the newest
message to the oldest, each to its equal share; then the oldest messages go, a call always with
its results. The first and the latest message of the user and calls that wait for a result stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolResult,
    groups,
    pending_calls,
    readable,
)

LEAST_CHARACTERS: Final = 16
"""Characters that a text keeps at least where it is cut to its share."""


def projected(
    messages: Sequence[Message], limit: int, context: Context
) -> tuple[Message, ...] | None:
    """The messages within ``limit`` tokens, or ``None`` if what must stay exceeds it."""
    shown = _Projection(_without_unreadable(messages), context)
    if shown.total > limit:
        shown.cut(limit)
    if shown.total > limit:
        shown.drop(limit)
    return shown.messages if limit > 0 and shown.total <= limit else None


def _without_unreadable(messages: Sequence[Message]) -> list[Message]:
    """The messages without reasoning, and without images except in what must stay."""
    spared = _latest_request(messages)
    waiting = _first_waiting(messages)
    left: list[Message] = []
    for place, message in enumerate(messages):
        gone: tuple[type[Part], ...] = (Thinking,)
        if place != spared and place < waiting:
            gone = (Thinking, Image, Opaque)
        parts = tuple(part for part in message.parts if not isinstance(part, gone))
        if parts:
            left.append(message if parts == message.parts else replace(message, parts=parts))
    return left


class _Projection:
    """The messages as they are so far; ``total`` is their size in tokens."""

    def __init__(self, messages: list[Message], context: Context) -> None:
        self.all, self.context = messages, context
        self.dropped: set[int] = set()
        self.sizes = [context.tokens.message(message) for message in messages]
        self.total = sum(self.sizes)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that were not dropped."""
        return tuple(one for place, one in enumerate(self.all) if place not in self.dropped)

    def cut(self, limit: int) -> None:
        """Cut texts from the newest message to the oldest, until all is within the limit."""
        spared, waiting = _latest_request(self.all), _first_waiting(self.all)
        for place in range(min(waiting, len(self.all)) - 1, -1, -1):
            if self.total <= limit:
                return
            if place != spared:
                message = self.all[place]
                of_token = max(1.0, len(readable(message)) / max(1, self.sizes[place]))
                share = max(LEAST_CHARACTERS, int(limit * of_token / len(self.all)))
                self.all[place] = _cut(message, share)
                size = self.context.tokens.message(self.all[place])
                self.total += size - self.sizes[place]
                self.sizes[place] = size

    def drop(self, limit: int) -> None:
        """Drop the oldest messages, a call with its results, until all is within the limit."""
        users = [place for place, one in enumerate(self.all) if one.role == "user"]
        pinned = {*users[:1], *users[-1:]}
        waiting = _first_waiting(self.all)
        for begin, end in groups(self.all):
            if self.total <= limit:
                return
            if end <= waiting and pinned.isdisjoint(range(begin, end)):
                self.dropped.update(range(begin, end))
                self.total -= sum(self.sizes[begin:end])


def _latest_request(messages: Sequence[Message]) -> int:
    """The place of the latest message of the user; -1 if there is none."""
    return max((place for place, one in enumerate(messages) if one.role == "user"), default=-1)


def _first_waiting(messages: Sequence[Message]) -> int:
    """The place of the message with calls that have no result yet; the end if there is none."""
    return groups(messages)[-1][0] if pending_calls(messages) else len(messages)


def _cut(message: Message, length: int) -> Message:
    """The message with at most ``length`` characters of texts and results."""
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text | ToolResult):
            parts.append(replace(part, text=_shortened(part.text, length)))
            length = max(0, length - len(part.text))
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def _shortened(text: str, length: int) -> str:
    note = f"\n[{len(text) - length} characters cut]"
    if len(text) <= length:
        return text
    if length <= LEAST_CHARACTERS + len(note):
        return text[:length]
    return text[: length - len(note)] + note
