"""The newest part of a conversation that fits a budget, whole and ready to be sent."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final, Literal

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation.messages import Message, groups, leading_system, text_message

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
