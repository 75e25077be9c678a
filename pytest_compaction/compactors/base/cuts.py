"""Cuts and masks of a conversation.

A cut is never between a call and its result. A mask is a placeholder in the place of the content of
tool results, so that calls keep their results.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from string import Template
from typing import Final, Literal

from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import (
    Image,
    Message,
    Part,
    Text,
    TokenCounter,
    ToolResult,
    groups,
    last_user,
    leading_system,
    newest_that_fit,
    pending_calls,
    text_message,
)


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


def last_request(messages: Sequence[Message], room: int, context: Context) -> Message | None:
    """The last message of the user if it leaves a quarter of ``room`` tokens to a summary."""
    live = last_user(messages)
    if live is None or context.tokens.message(live) > room * 3 // 4:
        return None
    return live


LEFT_OUT_ID: Final = "left-out"
LEFT_OUT: Final = "[What was said before this point was left out to save space.]"

Lead = Callable[[int], int | Literal[False] | None]
"""For the index where a run begins: the index of a message that must stand before the run.

``None`` if the run needs no such message, ``False`` if it cannot begin there.
"""


def newest_part(
    messages: Sequence[Message], room: int, context: Context, opened: bool = False
) -> tuple[Message, ...] | None:
    """The longest run of whole groups up to the end that fits ``room`` tokens, ready to be sent.

    ``messages`` are those after the system prompt. The last user message comes along
    if it is older than the run. With ``opened``, the caller puts a user message before
    the result. Without it, the result starts with a user message: one of the
    conversation, or a note that something was left out. A user message that does not
    fit even alone is left out like any other. The group of a call that waits for its
    result is always there; ``None`` means that this group does not fit.
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
    """The last message that a user really wrote must be in the result."""
    last = max(
        (i for i, m in enumerate(messages) if m.role == "user" and m.origin == "log"), default=-1
    )
    return lambda begin: last if 0 <= last < begin else None


def _opener(messages: Sequence[Message], whole: bool) -> Lead:
    """The result starts as the log did or with a user message, if need be the one it answers.

    ``whole`` says that ``messages`` begin with the log: nothing was left out before.
    """
    users = [i for i, m in enumerate(messages) if m.role == "user"]

    def lead(begin: int) -> int | Literal[False] | None:
        earlier = bisect_left(users, begin)
        if (begin == 0 and whole) or begin in users[earlier : earlier + 1]:
            return None
        return users[earlier - 1] if earlier else False

    return lead


def windowed(messages: Sequence[Message], context: Context) -> tuple[Message, ...] | None:
    """System prompt and newest part within the budget; ``None`` if that is impossible."""
    first = leading_system(messages)
    room = context.budget - context.tokens.messages(messages[:first])
    newest = newest_part(messages[first:], room, context) if room >= 0 else None
    return None if newest is None else (*messages[:first], *newest)


def fitted(messages: Sequence[Message], context: Context) -> tuple[Message, ...] | None:
    """The messages as they are if they fit the budget, else as :func:`windowed` cuts them."""
    if context.tokens.messages(messages) <= context.budget:
        return tuple(messages)
    return windowed(messages, context)


def cut_to_fit(
    state: State, before: Sequence[Message], context: Context
) -> tuple[Message, ...] | Outcome[State]:
    """A smaller view within the budget, or an outcome if no such view is needed or possible."""
    used = context.tokens.messages(before)
    if used <= context.budget:
        return unchanged(state)
    after = windowed(before, context)
    if after is None:
        return unchanged(state, too_small(before, context))
    return after if context.tokens.messages(after) < used else unchanged(state)


def too_small(messages: Sequence[Message], context: Context) -> str:
    """Why a budget cannot hold even what must stay."""
    system = context.tokens.messages(messages[: leading_system(messages)])
    if system > context.budget:
        return f"the system prompt alone takes {system} tokens of a budget of {context.budget}"
    return f"what must stay takes more than the budget of {context.budget} tokens"


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
    pictured = any(isinstance(part, Image) for part in message.parts)

    def masked(part: Part) -> Part | None:
        if not isinstance(part, ToolResult):
            return None if isinstance(part, Image) else part
        text = placeholder if isinstance(placeholder, str) else placeholder(part)
        return replace(part, text=text) if pictured or len(text) < len(part.text) else part

    return with_parts(message, masked)


IMAGE: Final = "[image]"
_ADDRESS: Final = re.compile(r'https?://[^"\s]+')
_TYPE: Final = re.compile(r"\bdata:(image/[\w.+-]+)")


def images_as_text(
    messages: Sequence[Message], placeholder: str = IMAGE, linked: str | None = None
) -> tuple[Message, ...]:
    """The messages with each image replaced by a text, for a reader that cannot see.

    ``$type`` in the text is the image's media type, ``$hash`` 16 digits of what it is; ``linked``
    is the text for an image with an address on the web, ``$url``. An empty text leaves the image
    out, and a message of nothing else.
    """

    def readable_part(part: Part) -> Part | None:
        if not isinstance(part, Image):
            return part
        type, url = _TYPE.search(part.payload), _ADDRESS.search(part.payload)
        text = linked if url and linked is not None else placeholder
        named = {"type": type[1] if type else "image", "url": url[0] if url else ""}
        named["hash"] = hashlib.sha256(part.payload.encode()).hexdigest()[:16]
        return Text(Template(text).safe_substitute(named)) if text else None

    shown = [with_parts(message, readable_part) for message in messages]
    return tuple(
        new for new, old in zip(shown, messages, strict=True) if new.parts or not old.parts
    )


def with_parts(message: Message, change: Callable[[Part], Part | None]) -> Message:
    """The message with each part changed, and without those that ``change`` gives ``None`` for."""
    changed = map(change, message.parts)
    parts = tuple(part for part in changed if part is not None)
    return message if parts == message.parts else replace(message, parts=parts)


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
