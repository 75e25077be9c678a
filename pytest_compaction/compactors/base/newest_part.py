"""The newest part of a conversation that fits a budget, whole and ready to be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, groups, text_message

LEFT_OUT_ID: Final = "left-out"
LEFT_OUT: Final = "[What was said before this point was left out to save space.]"

Lead = Callable[[int], int | Literal[False] | None]
"""Index of a message that must stand before a tail, ``None`` for none; ``False``: impossible."""


def newest_part(
    messages: Sequence[Message], room: int, context: Context, opened: bool = False
) -> tuple[Message, ...] | None:
    """The longest run of whole groups up to the end that fits ``room`` tokens.

    ``messages`` are those after the system prompt. The last user message comes along
    when it is older than the run. With ``opened``, another user message will stand
    before the result; without it the result starts with a user message: one that was
    there, or a note that something was left out. A user message that does not fit
    even alone is left out like any other. Never empty where a call still waits for
    its result; ``None`` when that call does not fit.
    """
    whole = all(message.id != LEFT_OUT_ID for message in messages)
    messages = [message for message in messages if message.id != LEFT_OUT_ID]
    lead = _live(messages) if opened else _opener(messages, whole)
    found = _fitting(messages, room, context, lead)
    if found is not None:
        return found
    note = () if opened else (text_message(LEFT_OUT_ID, "user", LEFT_OUT, "synthetic"),)
    left = room - context.tokens.messages(note)
    rest = _fitting(messages, left, context, lambda _: None) if left >= 0 else None
    return None if rest is None else (*note, *rest)


def _fitting(
    messages: Sequence[Message], room: int, context: Context, lead: Lead
) -> tuple[Message, ...] | None:
    waiting = pending_start(messages)
    begins = [begin for begin, _ in groups(messages) if begin <= waiting]
    if waiting == len(messages):
        begins.append(len(messages))
    left = context.tokens.messages(messages)
    before = 0
    for begin in begins:
        left -= context.tokens.messages(messages[before:begin])
        before = begin
        if left > room:
            continue
        first = lead(begin)
        if first is False:
            continue
        head = () if first is None else (messages[first],)
        if left + context.tokens.messages(head) <= room:
            return (*head, *messages[begin:])
    return None


def _live(messages: Sequence[Message]) -> Lead:
    """The last message that a user really wrote must be there."""
    last = max(
        (i for i, m in enumerate(messages) if m.role == "user" and m.origin == "log"), default=-1
    )
    return lambda begin: last if 0 <= last < begin else None


def _opener(messages: Sequence[Message], whole: bool) -> Lead:
    """The tail starts as the log did or with a user message, if need be the one it answers.

    ``whole`` says that the log still begins here: nothing was left out before.
    """
    users = [i for i, m in enumerate(messages) if m.role == "user"]

    def lead(begin: int) -> int | Literal[False] | None:
        if (begin == 0 and whole) or begin in users:
            return None
        return max((i for i in users if i < begin), default=False)

    return lead
