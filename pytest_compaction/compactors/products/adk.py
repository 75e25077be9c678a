"""``adk``: all but the last events become a rolling summary.

After the event compaction of Google ADK 2.13.0 (the published package, read on 2026-11-30), which
has two ways to compact, neither of them on by default. By tokens (which comes first if
both are on): from a threshold on, all but the last ``retention`` events are summarised,
the previous summary read first as a seed. By turns (``interval=3: overlap=1``, the
figures of its documentation): once there are ``interval`` new turns of the user, all of
them are summarised together with the ``overlap`` turns before them; earlier summaries
are neither read nor removed. A split moves back so that no result loses its call, and
it never passes a call that waits for its result, unless that call can never be
answered. A range stays if it has no more characters than the last summary. The
summariser reads what the model thought, and 2,000 characters of each tool argument and result. A
failure is only
logged, and the history stays as it is.

Mended: the summary is a message of the user. In the original it has the role of the model, and
endpoints refuse a conversation that the model begins.

Adapted: results of calls made at once are one event, as in the original. In a
well-formed log a call without a result stands only at the end, so only that one waits;
a call in the middle never blocks. The original has no default configuration; here 10
events stay, and the threshold is the budget of the case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import cut_before, pending_start, user_turns, with_parts
from pytest_compaction.compactors.base.history import dump, load, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor
from pytest_compaction.compactors.base.summaries import sections_of, short_arguments, summary_room
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import Message, Part, ToolCall, ToolResult, canonical_json
from pytest_compaction.conversation.formats.chat import message_to_chat

RETENTION: Final = 10
MAX_TOOL_CHARACTERS: Final = 2000


@dataclass(eq=False)
class Adk(ProductCompactor):
    """Summarises older events, by tokens or by turns.

    ``threshold`` (tokens) and ``retention`` (events that stay) belong to the first
    way, ``interval`` and ``overlap`` (turns) to the second.
    """

    name = "adk"
    asks = "adk"
    sections = sections_of("adk")
    description = "last 10 events kept; older ones in a rolling summary (Google ADK)"

    threshold: int | None = whole(None, 1)
    retention: int | None = whole(None, 0)
    interval: int | None = whole(None, 1)
    overlap: int | None = whole(None, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and self.retention is None:
            raise ValueError(f"threshold={self.threshold} needs retention=, the events that stay")
        if (self.interval is None) != (self.overlap is None):
            raise ValueError("interval= and overlap= must be given together")
        if self.retention is None and self.interval is None:
            self.retention = RETENTION
        if self.interval:
            self.also_violates("adk-turns")
        if self.threshold:
            self.also_violates("due-again")

    def due(self, state: State, context: Context) -> str | None:
        messages = load(state["messages"])
        used = context.tokens.messages(messages)
        limit = self.threshold or int(context.window * 0.9)
        if self.retention is not None and used >= limit:
            return f"{used} tokens used, {limit} is the threshold"
        turns = len(user_turns(messages))
        if self.interval and turns >= self.interval:
            return f"{turns} turns since the last summary"
        return None

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        logged = (i for i, m in enumerate(before) if i >= first and m.origin == "log")
        body = next(logged, len(before))
        end, by_turns = self._end_by_tokens(before, body, context), False
        if end == body and self.interval and len(user_turns(before)) >= self.interval:
            end, by_turns = pending_start(before), True
        new, earlier = before[body:end], before[first:body]
        removable = characters(new if by_turns else (*earlier, *new))
        if not new or removable <= characters(earlier[-1:]):
            return unchanged(state)
        again = load(state.get("overlap", ())) if by_turns else ()
        head, tail = before[: body if by_turns else first], before[end:]
        read = capped((*again, *new) if by_turns else (*earlier, *new))
        written = await self.written(read, summary_room((*head, *tail), context), context)
        overlap = dump(last_turns((*again, *new), self.overlap or 0))
        return self.replaced(state, before, head, written, tail, overlap=overlap)

    def _end_by_tokens(self, messages: Sequence[Message], body: int, context: Context) -> int:
        """End of the range by tokens; ``body`` if that rule does not apply."""
        used = context.tokens.messages(messages)
        if self.retention is None or (self.threshold and used < self.threshold):
            return body
        ranges = events(messages[body:])
        if len(ranges) <= self.retention:
            return body
        cut = len(messages)
        if self.retention:
            cut = cut_before(messages, body + ranges[-self.retention][0])
        return max(min(cut, pending_start(messages)), body)


def events(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Ranges of messages that are one event: one message, or all results of the same calls."""
    ranges: list[tuple[int, int]] = []
    for index, message in enumerate(messages):
        if ranges and message.role == "tool" and messages[index - 1].role == "tool":
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return ranges


def characters(messages: Sequence[Message]) -> int:
    """The size of the messages in a request, in characters of JSON."""
    return sum(len(canonical_json(message_to_chat(message))) for message in messages)


def last_turns(messages: Sequence[Message], turns: int) -> tuple[Message, ...]:
    """The messages of the last ``turns`` turns of the user."""
    starts = user_turns(messages)
    return tuple(messages[starts[-turns] if len(starts) > turns else 0 :]) if turns else ()


def capped(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages with at most 2,000 characters of each tool result and of tool arguments."""
    return tuple(with_parts(message, _capped_part) for message in messages)


def _capped_part(part: Part) -> Part:
    limit = MAX_TOOL_CHARACTERS
    if isinstance(part, ToolResult) and len(part.text) > limit:
        left_out = len(part.text) - limit
        return replace(part, text=f"{part.text[:limit]} [{left_out} characters left out]")
    if isinstance(part, ToolCall) and len(part.arguments) > limit:
        return replace(part, arguments=short_arguments(part, limit))
    return part
