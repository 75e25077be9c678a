"""``openhands``: the first events and a tail stay, the middle becomes one summary.

After the ``LLMSummarizingCondenser`` of the OpenHands SDK 1.58.2 (the published
package, read on 2026-11-30), with the sizes of its ``default_condenser`` (80 events, the
first 4 kept; the class itself says 240 and 2: ``max_size=240:keep_first=2``). There
are three reasons to condense. Too many events: half of ``max_size`` stays. Too many
tokens: the tail is as long as half of the allowed tokens permits. A request: half of
the events stays. With several reasons the shortest tail counts. Both ends of the
forgotten range move on to the next index at which the view may be cut: not within
a call and its results, not within a run of tool calls that began with thinking.
Earlier summaries are events like others; the new one stands where the forgotten
events began.

The summariser does not read the events themselves but what ``str(event)`` gives: the
first 500 characters of what was said or of a result, and of an action the name of its tool
without arguments. An earlier summary is such a preview as well. If the model writes
nothing, the events are forgotten all the same, and no summary stands for them.

``version=1`` has the request of version 1.43.1, in which the instructions stand in the user message
before the events; now they are a system message. All else is the same.

Mended: endpoints refuse a conversation that is empty, or that the model begins or ends. Where that
would be left, a note in the user's name stands for what was forgotten.

Condensing fails if nothing or less than a tenth of the events can be forgotten, or if
the model cannot be asked. If only the number of events is too large (a soft requirement), the
view then stays as it is. With too many tokens or a request (a hard requirement)
everything is summarised anew, in up to five attempts; each attempt cuts the texts to
four fifths of the one before.

Adapted: an event is a message here, several calls made at once are one. The tokens
allowed are the smaller of budget and window; as in the original, it is due by itself at
the window. The system prompt counts as one of the first events, but neither a reset nor
a smaller ``keep_first`` forgets it. Calls that wait for a result are never forgotten,
because the original is asked only between steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import load, rewritten, unchanged
from pytest_compaction.compactors.base.product import (
    ProductCompactor,
)
from pytest_compaction.compactors.base.summaries import (
    Written,
    each_at_most,
    read_limits,
    sections_of,
    summary_room,
    without_preamble,
)
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import (
    Message,
    Thinking,
    groups,
    leading_system,
    readable,
    text_message,
)

PREAMBLE: Final = "Part of this conversation was condensed. What happened in it:"
FORGOTTEN: Final = "[Part of this conversation was forgotten to save space.]"
RESET_ATTEMPTS: Final = 5
RESET_SCALING: Final = 0.8
MINIMUM_PROGRESS: Final = 0.1
PREVIEW: Final = 500
"""Characters of an event that the summariser reads."""


@dataclass(eq=False)
class OpenHands(ProductCompactor):
    """Condenses the middle of the view.

    ``max_size`` is the number of messages above which the view is condensed,
    ``keep_first`` how many at the start stay, ``max_tokens`` a limit below the budget.
    ``read_texts``, ``read_results`` and ``read_arguments`` are the characters that the
    summariser may read of a message, of a result and of each argument, or ``all``. With
    ``version=1`` the request is that of 1.43.1.
    """

    name = "openhands"
    asks = "openhands"
    sections = sections_of("openhands")
    preamble = PREAMBLE
    description = "first 4 events and the newest half kept, the middle summarised (OpenHands)"

    max_size: int = whole(80, 1)
    keep_first: int = whole(4, 0)
    max_tokens: int | None = whole(None, 1, unit="tokens")
    read_texts: int | str = PREVIEW
    read_results: int | str = PREVIEW
    read_arguments: int | str = 0
    version: int = choice(2, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_size // 2 - self.keep_first - 1 <= 0:
            raise ValueError(
                f"keep_first={self.keep_first} leaves no room in half of max_size={self.max_size}; "
                f"it must be below {self.max_size // 2 - 1}"
            )
        self.previews = read_limits(self.read_texts, self.read_results, self.read_arguments)
        if self.version == 1:
            self.asks = "openhands-1"
        if self.keep_first:
            self.also_violates("openhands-first")
        if self.max_tokens:
            self.also_violates("due-again")

    def due(self, state: State, context: Context) -> str | None:
        messages = load(state["messages"])
        used = context.tokens.messages(messages)
        limit = min(context.window, self.max_tokens or context.window)
        if used > limit:
            return f"{used} tokens used, {limit} allowed"
        if len(messages) > self.max_size:
            return f"{len(messages)} messages, {self.max_size} allowed"
        return None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        if not before or not self.is_needed(state, context):
            return unchanged(state)
        cycle = self.cycle(state)
        error, after = await self._condensed(before, cycle, context)
        if error and self._is_hard(before, context):
            error, after = await self._reset(before, cycle, context)
        if error:
            return unchanged(state, error)
        id = self.summary(cycle, "").id
        by = id if any(message.id == id for message in after) else None
        return rewritten(state, before, after, by, cycle=cycle)

    def _tail_lengths(self, messages: Sequence[Message], context: Context) -> list[int]:
        """Lengths of the tail, one for each reason to condense."""
        lengths: list[int] = []
        if context.reason == "manual":
            lengths.append(len(messages) // 2 - self._first(messages) - 1)
        if len(messages) > self.max_size:
            lengths.append(self.max_size // 2 - self._first(messages) - 1)
        limit = self._limit(context)
        total = context.tokens.messages(messages)
        if total > limit:
            lengths.append(
                suffix_for_reduction(messages[self._first(messages) :], total - limit // 2, context)
            )
        return lengths

    def _first(self, messages: Sequence[Message]) -> int:
        """Number of messages that stay at the start, at least the system prompt."""
        return max(self.keep_first, leading_system(messages))

    def _limit(self, context: Context) -> int:
        allowed = min(context.budget, context.window)
        return min(allowed, self.max_tokens) if self.max_tokens else allowed

    def _is_hard(self, messages: Sequence[Message], context: Context) -> bool:
        over = context.tokens.messages(messages) > self._limit(context)
        return over or context.reason == "manual"

    def forgotten(self, messages: Sequence[Message], context: Context) -> tuple[int, int]:
        """The range of messages to forget: after the first ones, before the tail."""
        cuts = manipulation_indices(messages)
        begin = next((cut for cut in cuts if cut >= self._first(messages)), len(messages))
        wanted = len(messages) - min(self._tail_lengths(messages, context), default=0)
        end = next((cut for cut in cuts if cut >= wanted), len(messages))
        return begin, min(end, pending_start(messages))

    async def _condensed(
        self, before: tuple[Message, ...], cycle: int, context: Context
    ) -> tuple[str | None, tuple[Message, ...]]:
        begin, end = self.forgotten(before, context)
        gone = before[begin:end]
        if len(gone) < max(len(before) * MINIMUM_PROGRESS, 1):
            return "too little of the view can be forgotten", before
        budget = summary_room((*before[:begin], *before[end:]), context)
        written = await self.written(self._shown(gone), budget, context)
        return self._with_summary(before, begin, end, written, cycle)

    async def _reset(
        self, before: tuple[Message, ...], cycle: int, context: Context
    ) -> tuple[str | None, tuple[Message, ...]]:
        head, end = leading_system(before), pending_start(before)
        if not before[head:end]:
            return "there is nothing that could be forgotten", before
        shown = self._shown(before[head:end])
        budget = summary_room((*before[:head], *before[end:]), context)
        written = Written(error="the model was not asked")
        length = 0
        for _ in range(RESET_ATTEMPTS):
            read = each_at_most(shown, length) if length else shown
            written = await self.written(read, budget, context)
            if not written.error or written.empty:
                break
            length = int((length or max(len(readable(m)) for m in shown)) * RESET_SCALING)
        return self._with_summary(before, head, end, written, cycle)

    def _shown(self, gone: Sequence[Message]) -> tuple[Message, ...]:
        return self.previews.applied(without_preamble(gone, PREAMBLE))

    def _with_summary(
        self, before: tuple[Message, ...], begin: int, end: int, written: Written, cycle: int
    ) -> tuple[str | None, tuple[Message, ...]]:
        """The error, or the view with the summary: without one where the model wrote nothing."""
        if written.error and not written.empty:
            return written.error, before
        if not written.empty:
            return None, (*before[:begin], self.summary(cycle, written.text), *before[end:])
        after = (*before[:begin], *before[end:])
        head = leading_system(after)
        said = [message.role for message in after[head:]]
        opened = bool(said) and (begin > head or said[0] == "user")
        if opened and (end < len(before) or said[-1] != "assistant"):
            return None, after
        note = text_message(f"openhands-forgotten-{cycle}", "user", FORGOTTEN, "synthetic")
        return None, (*before[:begin], note, *before[end:])


def manipulation_indices(messages: Sequence[Message]) -> list[int]:
    """Indices at which messages may be cut: between groups, not within a loop of tool calls.

    A loop begins with calls made after thinking and goes on while only calls and
    results follow; calls after thinking begin another.
    """
    indices: list[int] = []
    in_loop = False
    for begin, _ in groups(messages):
        message = messages[begin]
        thinks = any(isinstance(part, Thinking) for part in message.parts)
        continues = in_loop and bool(message.calls) and not thinks
        in_loop = bool(message.calls) and (thinks or in_loop)
        if not continues:
            indices.append(begin)
    return [*indices, len(messages)]


def suffix_for_reduction(messages: Sequence[Message], tokens: int, context: Context) -> int:
    """Number of messages that remain once the oldest ``tokens`` are gone."""
    gone = 0
    for index, message in enumerate(messages):
        gone += context.tokens.message(message)
        if gone > tokens:
            return len(messages) - index - 1
    return 0
