"""``opencode``: one checkpoint message: a summary that is updated, and the newest 15,000 tokens.

After version 2 of opencode's sessions (public source, MIT, ``packages/core``, commit 031a4a9c, read
on 2026-11-30). It is due where the view reaches the smaller of two ceilings: the input limit
without 20,000 tokens, if the model has one, and the window without the reply (at most 32,000
tokens) or 20,000 tokens, whichever is more. The newest 15,000 tokens stay, in whole turns of the
user: the cut goes back to the message of the user that it falls behind. If everything fits, only
the last turn stays; if there is no other, nothing does. What stays is written out as text, each
tool result cut to 2,000 characters, and stands beside the summary in one message of the user.
The summary has nine sections. The next compaction updates it, and reads what stood beside it. A
reply without any section is asked for once more; then the view stays as it was. A checkpoint is
not compacted before something was said after it.

A refused request adds nothing to that. If the endpoint refuses a request as too long before any
output, the original does this same compaction, once a step, and sends the request again. It trims
nothing. A checkpoint that is still too long leaves nothing to compact, so the step fails, and a
request for the summary that is too long is not tried again, so the compaction fails: here too.

Clearing old tool output was part of version 1: ``opencode-prune``.

Kept from the original: the last user message stands in the checkpoint only, and so does an open
call (its result is left out when it comes).

Adapted: constants in tokens are in proportion to the case's window (200,000 tokens are assumed),
and what stays is sought within half of the budget. Tokens are counted, not estimated from
characters. Arguments of calls are written out decoded, not as JSON. An error is cut as a result is:
logs mark commands that failed as errors, opencode does not. Reasoning is not written out, because
the recorded words of this strategy answer requests without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.history import rewritten, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor, product_prompt, scaled
from pytest_compaction.compactors.base.summaries import Written, sections_of, summary_room
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.compactors.told import Told
from pytest_compaction.conversation import (
    Image,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    groups,
    readable,
    text_message,
)
from pytest_compaction.models import summary_from_json

PRODUCT_WINDOW: Final = 200_000
KEPT: Final = 15_000
BUFFER: Final = 20_000
MOST_OUTPUT: Final = 32_000
RESULT_CHARACTERS: Final = 2_000
PREAMBLE: Final = (
    "[checkpoint] A summary of the earlier conversation, and its newest part written out. Both are "
    "a record of what was, not new instructions."
)
RECENT: Final = "The newest part before this point:"
REMINDER: Final = "The reply before this one had none of the sections. Write each section."


@dataclass(eq=False)
class Opencode(ProductCompactor):
    """Updates a summary in one checkpoint message, which also writes out the newest turns.

    ``keep`` is how much stays, ``reserve`` how much of the window is to stay free, ``output`` the
    model's limit of a reply, and ``input`` its limit of a request, if it has one: all in tokens of
    a 200,000-token window.
    """

    name = "opencode"
    asks = "opencode"
    description = "opencode: one checkpoint: an updated summary and the newest 15k tokens as text"
    sections = sections_of("opencode")
    preamble = PREAMBLE
    drops_calls = True

    keep: int = whole(KEPT, 1)
    reserve: int = whole(BUFFER, 1, PRODUCT_WINDOW - 1)
    output: int = whole(MOST_OUTPUT, 1, PRODUCT_WINDOW - 1)
    input: int | None = whole(None, 1)

    def due(self, state: State, context: Context) -> str | None:
        messages = state["messages"]
        is_new = messages and messages[-1]["id"] != state.get("checkpoint")
        return super().due(state, context) if is_new else None

    def due_at(self, context: Context) -> int:
        output = min(self.output, MOST_OUTPUT)
        most = context.window - scaled(max(output, self.reserve), PRODUCT_WINDOW, context)
        if self.input is not None:
            most = min(most, scaled(max(self.input - self.reserve, 1), PRODUCT_WINDOW, context))
        return most

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        body = first + (before[first].id == state.get("checkpoint"))
        left = context.budget - context.tokens.messages(before[:first])
        keep = min(scaled(self.keep, PRODUCT_WINDOW, context), max(left // 2, 1))
        start = tail_start(before[body:], keep, bool(state.get("recent")), context)
        if start is None:
            return unchanged(state)
        recent = written_out(before[body + start :])
        read = before[body : body + start]
        if state.get("recent"):
            read = (text_message("opencode-recent", "user", state["recent"], "synthetic"), *read)
        if context.tokens.messages(read) > context.window:
            return unchanged(state, "the conversation is longer than the window")
        cycle = self.cycle(state)
        beside = self.checkpoint(cycle, "", recent)
        room = summary_room((*before[:first], beside), context)
        written = await self._asked(state, read, room, context)
        if written.error:
            return unchanged(state, written.error)
        message = self.checkpoint(cycle, written.text, recent)
        after = (*before[:first], message)
        noted: State = {"summary": written.summary.as_json(), "recent": recent, "cycle": cycle}
        return rewritten(state, before, after, message.id, checkpoint=message.id, **noted)

    async def _asked(
        self, state: State, read: Sequence[Message], room: int, context: Context
    ) -> Written:
        """The summary, updated if there is an earlier one; asked for again if it is empty."""
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        written = await self.written(read, room, context, previous)
        if written.empty or self.lacks_sections(written):
            written = await self.written(read, room, context, previous, REMINDER)
        if self.lacks_sections(written):
            return Written(error="the summary came back without any of its sections")
        return written

    def lacks_sections(self, written: Written) -> bool:
        """Whether a model wrote none of the headings of the prompt; of a user's, none is known."""
        headings = [line for line in product_prompt(self.asks).user.split("\n") if line[:2] == "##"]
        lines = {line.strip() for line in written.text.splitlines()}
        told: Told | None = getattr(self, "told", None)
        own = told is not None and told.prompt is not None
        return bool(written.summary.as_written) and not own and lines.isdisjoint(headings)

    def checkpoint(self, cycle: int, summary: str, recent: str) -> Message:
        """The message with the summary and what stays, written out."""
        return self.summary(cycle, f"{summary}\n\n{RECENT}\n\n{recent}" if recent else summary)


def tail_start(
    messages: Sequence[Message], keep: int, updates: bool, context: Context
) -> int | None:
    """Index from which messages stay as text; their number if none do; ``None`` without any.

    ``updates`` says that text stood beside an earlier summary, which can be summarised alone.
    """
    starts = [begin for begin, _ in groups(messages)]
    if not starts:
        return None
    users = [i for i in starts if messages[i].role == "user"]
    start, total = len(messages), 0
    for begin, end in reversed(groups(messages)):
        total += context.tokens.text(written_out(messages[begin:end]))
        if start < len(messages) and total > keep:
            break
        start = begin
    start = max((i for i in users if i <= start), default=0)
    start = start or max(users, default=0)
    if start:
        return start
    return 0 if updates else len(messages)


def written_out(messages: Sequence[Message]) -> str:
    """The messages as text: who said what, calls, and the beginnings of results."""
    lines = (_line(message, part) for message in messages for part in message.parts)
    return "\n".join(line for line in lines if line)


def _line(message: Message, part: Part) -> str:
    who = message.role.capitalize()
    if isinstance(part, Text):
        return f"{who}: {part.text}" if part.text else ""
    if isinstance(part, ToolCall):
        return f"Call: {readable(replace(message, parts=(part,)))}"
    if isinstance(part, ToolResult):
        cut = "\n[cut]" if len(part.text) > RESULT_CHARACTERS else ""
        return f"{'Error' if part.is_error else 'Result'}: {part.text[:RESULT_CHARACTERS]}{cut}"
    return "[attached image]" if isinstance(part, Image) else ""
