"""What a summariser may read of a conversation: everything, or the beginnings of long texts.

Products show their summariser less than their agent saw. OpenHands gives it previews of
500 characters and no arguments, Cline the first 2,000 characters of each tool result.
What the summariser never read cannot be in the summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.bounds import short_arguments
from pytest_compaction.conversation.messages import Message, Part, Text, ToolCall, ToolResult

WHOLE: Final = "all"
"""The value of a parameter that sets no limit."""

_NOT_SHOWN: Final = "[not shown]"


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Characters that a summariser may read; ``None`` sets no limit, 0 shows nothing.

    ``texts`` is for all that one message says, ``results`` for each tool result, and
    ``arguments`` for each text among the arguments of a call: with 0 the name of the tool
    is all that is left of it.
    """

    texts: int | None = None
    results: int | None = None
    arguments: int | None = None

    def applied(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as the summariser may read them, each with its id and its place."""
        if self == NO_LIMITS:
            return tuple(messages)
        return tuple(self._limited(message) for message in messages)

    def _limited(self, message: Message) -> Message:
        left = self.texts
        parts: list[Part] = []
        for part in message.parts:
            limited = part
            if isinstance(part, Text) and left is not None:
                limited = Text(beginning(part.text, left))
                left = max(left - len(part.text), 0)
            elif isinstance(part, ToolResult) and self.results is not None:
                limited = replace(part, text=beginning(part.text, self.results))
            elif isinstance(part, ToolCall) and self.arguments is not None:
                limited = _with_short_arguments(part, self.arguments)
            parts.append(limited)
        return message if tuple(parts) == message.parts else replace(message, parts=tuple(parts))


NO_LIMITS: Final = ReadLimits()


def read_limits(texts: int | str, results: int | str, arguments: int | str) -> ReadLimits:
    """The limits that the parameters ``read_texts``, ``read_results``, ``read_arguments`` set.

    Each is a number of characters, 0 or more, or ``all``; else a ``ValueError`` says so.
    """
    return ReadLimits(
        _characters("read_texts", texts),
        _characters("read_results", results),
        _characters("read_arguments", arguments),
    )


def beginning(text: str, length: int) -> str:
    """The first ``length`` characters of a text, and a note of how many follow."""
    if len(text) <= length:
        return text
    if not length:
        return _NOT_SHOWN
    return f"{text[:length]} [{len(text) - length} more characters]"


def _characters(name: str, value: int | str) -> int | None:
    if value == WHOLE:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(
            f"{name}={value} must be a whole number of characters, 0 or more, or {WHOLE}"
        )
    return value


def _with_short_arguments(call: ToolCall, length: int) -> ToolCall:
    if not length:
        return replace(call, arguments="{}")
    short = short_arguments(call, length)
    return replace(call, arguments=short) if len(short) < len(call.arguments) else call
