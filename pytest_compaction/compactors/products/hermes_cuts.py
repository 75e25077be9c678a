"""What ``hermes`` keeps and cuts: old results, the tail, images, and who says the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import (
    cut_after,
    cut_before,
    mask_results,
    pending_start,
    user_turns,
    where_smaller,
    with_parts,
)
from pytest_compaction.compactors.base.summaries import short_arguments
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import (
    Image,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    text_message,
)

OVER_TAIL: Final = 1.5
TAIL_MESSAGES: Final = 8
SHORT_RESULT: Final = 200
LONG_ARGUMENTS: Final = 500
PRIOR: Final = "[From before, for reference:]"
SAME_AGAIN: Final = "[the same result comes again below]"
NO_IMAGE: Final = "[an image that was attached here was removed]"


def pruned_results(
    messages: Sequence[Message], end: int, context: Context, arguments: int | None = LONG_ARGUMENTS
) -> tuple[Message, ...]:
    """The messages with results before ``end`` as one line, and arguments longer than that cut.

    A result that comes again later is replaced wherever it stands, before calls that wait.
    """
    calls = {call.id: call for message in messages for call in message.calls}
    waiting = pending_start(messages)
    newest: dict[str, str] = {}
    for message in messages:
        newest.update((r.text, message.id) for r in message.results if len(r.text) >= SHORT_RESULT)
    again = {
        m.id
        for m in messages[:waiting]
        if any(newest.get(result.text, m.id) != m.id for result in m.results)
    }
    old = {
        m.id
        for m in messages[: min(end, waiting)]
        if any(len(result.text) > SHORT_RESULT for result in m.results)
    }
    shown = mask_results(messages, again, SAME_AGAIN)
    shown = mask_results(shown, old - again, lambda result: _one_line(result, calls))

    def short(part: Part) -> Part:
        if arguments and isinstance(part, ToolCall) and len(part.arguments) > arguments:
            return replace(part, arguments=short_arguments(part, SHORT_RESULT))
        return part

    cut = [with_parts(m, short) if n < min(end, waiting) else m for n, m in enumerate(shown)]
    return where_smaller(messages, cut, context.tokens)


def _one_line(result: ToolResult, calls: dict[str, ToolCall]) -> str:
    """The line that stands for a result: the tool, its first argument, the size."""
    call = calls.get(result.call_id)
    if call is None:
        return f"[result of {len(result.text):,} characters]"
    target = next((str(value) for value in call.parsed().values()), "")
    lines = len(result.text.splitlines())
    return f"[{call.name}] {target[:80]} ({lines} lines, {len(result.text):,} characters)"


def tail_of(
    messages: Sequence[Message], first: int, keep: int, ceiling: int, least: int, context: Context
) -> int:
    """Index from which the newest messages take at most ``ceiling`` tokens, or are ``least``.

    Where all of them do, those from ``first`` on are walked again with ``keep``.
    """
    for limit in (ceiling, keep):
        taken, start = 0, len(messages)
        for index in range(len(messages) - 1, first - 1, -1):
            size = context.tokens.message(messages[index])
            if taken + size > limit and len(messages) - index >= least:
                break
            taken, start = taken + size, index
        if start > first:
            break
    return start


def tail_start(messages: Sequence[Message], head: int, keep: int, context: Context) -> int:
    """Index from which messages stay: at least one after ``head`` is summarised."""
    count = len(messages)
    available = max(0, count - head - 1)
    least = min(TAIL_MESSAGES, max(3, available - 2), available) if available > 1 else 0
    start = tail_of(messages, head, keep, int(keep * OVER_TAIL), least, context)
    start = min(start, count - least)
    if start <= head:
        start = max(count - least, head + 1)
    start = cut_before(messages, start) if start < count else start
    users = [i for i in range(head, count) if messages[i].role == "user"]
    if users and users[-1] < start:
        start = users[-1] if users[-1] > head else turn_end(messages, users[-1])
    said = [i for i in range(head, count) if messages[i].role == "assistant"]
    spoken = [i for i in said if messages[i].text.strip()] or said
    if spoken and spoken[-1] < start:
        start = cut_before(messages, spoken[-1])
    return cut_after(messages, max(start, head + 1))


def turn_end(messages: Sequence[Message], user: int) -> int:
    """The index behind a message of the user, the answer to it and its results."""
    end = user + 1
    if end < len(messages) and messages[end].role == "assistant":
        end += 1
        while end < len(messages) and messages[end].role == "tool":
            end += 1
    return end


def joins(
    head: Sequence[Message], tail: Sequence[Message], text: str, id: str, opens: bool = False
) -> tuple[Message, ...]:
    """The tail with the summary before it, or in its first message where nobody else can say it.

    There it stands after what was said, or before it if it ``opens`` the conversation. Where it
    does not begin it, messages with calls and results then do not count among those who take turns.
    """
    last = head[-1].role if head else "system"
    following = tail[0].role if tail else ""
    if opens:
        last = next((m.role for m in reversed(head) if _takes_turn(m)), "system")
    alone = not any(m.role == "user" for m in (*head, *tail))
    leads = last == "system" or alone
    if opens and not leads:
        following = next((m.role for m in tail if _takes_turn(m)), "")
    role = "user" if leads or last in {"assistant", "tool"} else "assistant"
    if role == following:
        other = "assistant" if role == "user" else "user"
        if other == last or leads:
            joined = (Text(PRIOR), *tail[0].parts, Text(text))
            if opens and leads:
                joined = (Text(text), *tail[0].parts)
            return (replace(tail[0], parts=joined), *tail[1:])
        role = other
    return (text_message(id, role, text, "synthetic"), *tail)


def _takes_turn(message: Message) -> bool:
    return not (message.calls or message.results)


def without_old_images(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without the images before the last message of the user that has one."""
    pictured = (
        turn
        for turn in user_turns(messages)
        if any(isinstance(part, Image) for part in messages[turn].parts)
    )
    last = max(pictured, default=0)
    return tuple(
        with_parts(m, lambda part: Text(NO_IMAGE) if isinstance(part, Image) else part)
        if index < last
        else m
        for index, m in enumerate(messages)
    )
