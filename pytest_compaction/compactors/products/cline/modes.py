"""The arithmetic of Cline's ways to shrink a history, on messages alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts.operations import file_operations
from pytest_compaction.compactors.base.cuts import cut_after, cut_before, user_turns
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    leading_system,
    text_message,
)

RESERVED: Final = {64_000: 27_000, 128_000: 30_000, 200_000: 40_000}
"""Tokens that stay free in the windows that the product knows by name."""

USABLE: Final = 0.9
"""Share of the window that is usable for input where a model gives only its window."""
TRIGGER: Final = 0.9
"""Share of the usable input at which ``agentic`` is due."""
TARGET: Final = 0.7
"""Share of the trigger that is to be left after it."""
MANY_PAIRS: Final = 5
FIRST_REQUEST_CHARACTERS: Final = 400_000

NOTICE: Final = (
    "[Messages after this one were removed to stay within the context window. The first request "
    "and the most recent messages are still here.]"
)
NOTE_ID: Final = "cline-removed"
NOTE: Final = "[Messages were removed here to stay within the context window.]"


def allowed(window: int) -> int:
    """Tokens of a window that may be used before the history is shortened."""
    if window in RESERVED:
        return window - RESERVED[window]
    return max(window - 40_000, window * 4 // 5)


def sides(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Ranges after the system prompt in which one side speaks: the user with tools, the model.

    The original keeps tool results in messages of the user, so that both sides
    alternate: one range is one of its messages.
    """
    ranges: list[tuple[int, int]] = []
    for index in range(leading_system(messages), len(messages)):
        model = messages[index].role == "assistant"
        if ranges and (messages[index - 1].role == "assistant") == model:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return ranges


def first_pair_end(messages: Sequence[Message]) -> int:
    """Where the first message of the user and the answer of the model to it end, with results."""
    ranges = sides(messages)
    return cut_after(messages, ranges[min(2, len(ranges)) - 1][1]) if ranges else len(messages)


def removed(messages: Sequence[Message], quarter: bool) -> tuple[int, int]:
    """The range to remove after the first pair: half of the rest, or all but a ``quarter`` of it.

    The range has an even number of sides and ends with one of the model. Its ends move
    inwards so that no call loses its results. An empty range means that there is too
    little to remove.
    """
    ranges = sides(messages)
    rest = len(ranges) - 2
    count = rest * 3 // 8 * 2 if quarter else rest // 4 * 2
    if count <= 0:
        return 0, 0
    last = 1 + count
    if messages[ranges[last][0]].role != "assistant":
        last -= 1
    begin = cut_after(messages, ranges[2][0])
    end = cut_before(messages, ranges[last][1])
    return (begin, end) if begin < end else (0, 0)


def with_notice(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with the notice as the text of the first message of the model."""
    place = next((i for i, m in enumerate(messages) if m.role == "assistant"), None)
    if place is None:
        return tuple(messages)
    first = messages[place]
    before: list[Part] = []
    after: list[Part] = []
    for part in first.parts:
        if not isinstance(part, Text):
            (after if part in first.calls else before).append(part)
    noted = replace(first, parts=(*before, Text(NOTICE), *after))
    return (*messages[:place], noted, *messages[place + 1 :])


def with_note(first: Sequence[Message], rest: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that stay, with a note of its own where others were removed."""
    note = text_message(NOTE_ID, "user", NOTE, "synthetic")
    return (*first, note, *(message for message in rest if message.id != NOTE_ID))


def tail_cut(messages: Sequence[Message], preserved: int, context: Context) -> int:
    """Where the newest ``preserved`` tokens begin, at a message of the user or of the model.

    The cut is never after the last turn of the user, unless that is the first message: one
    request and a long run of tool calls are cut within the run. 0 if nothing may be cut.
    """
    turns = user_turns(messages)
    total, cut = 0, len(messages)
    while cut and total < preserved:
        cut -= 1
        total += context.tokens.message(messages[cut])
    if turns and turns[-1] > 0:
        cut = min(cut, turns[-1])
    while cut > 0 and not (messages[cut].role == "assistant" or cut in turns):
        cut -= 1
    return cut


def target(messages: Sequence[Message], due: bool, context: Context) -> int:
    """Tokens that the messages after the system prompt are to take after a compaction.

    If it is due, that is half of the usable input once there are five pairs of a user's and
    a model's message, and 70 % of the trigger before that. If it was asked for, half of
    what the messages take now.
    """
    usable = int(context.window * USABLE)
    trigger = int(usable * TRIGGER)
    first = leading_system(messages)
    fixed = context.tokens.messages(messages[:first])
    if not due:
        return max(1, min(trigger - fixed, context.tokens.messages(messages[first:]) // 2))
    pairs = sum(messages[begin].role == "assistant" for begin, _ in sides(messages)[1:])
    return max(1, (usable // 2 if pairs >= MANY_PAIRS else int(trigger * TARGET)) - fixed)


def touched_files(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Paths that the tool calls read, and those that they changed in any way."""
    found: dict[str, set[str]] = {"read": set(), "edited": set()}
    for operation in file_operations(messages):
        if operation.succeeded and operation.operation != "restored":
            found["read" if operation.operation == "read" else "edited"].add(operation.path)
    return {kind: sorted(paths) for kind, paths in found.items()}


def files_section(files: Mapping[str, Sequence[str]], limit: int, context: Context) -> str:
    """The list of files in at most ``limit`` tokens; files that were only read go first."""
    read, edited = list(files["read"]), list(files["edited"])
    while True:
        text = f"## Files\nRead: {_listed(read)}\nEdited: {_listed(edited)}"
        if context.tokens.text(text) <= limit:
            return text
        if not read and not edited:
            return ""
        (read or edited).pop()


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths) or "none"


def readable_tokens(previous: str, new: Sequence[Message], context: Context) -> int:
    """Tokens of new messages that the summariser may read.

    The usable input less the ``previous`` summary and the list of the files of these messages.
    """
    listed = files_section(touched_files(new), context.window, context)
    return int(context.window * USABLE) - sum(map(context.tokens.text, (previous, listed)))


def with_short_request(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with texts of the user cut at 400,000 characters."""
    return tuple(
        replace(
            message,
            parts=tuple(
                Text(part.text[:FIRST_REQUEST_CHARACTERS]) if isinstance(part, Text) else part
                for part in message.parts
            ),
        )
        if message.role == "user"
        else message
        for message in messages
    )
