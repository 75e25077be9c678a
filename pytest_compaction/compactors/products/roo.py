"""``roo``: one summary of everything, a sliding window if that fails.

Follows Roo Code (public source, read on 2026-11-29). ``version=2`` is the fresh start of 2026
(v3.52.1): everything becomes one user message with the summary, the ``<command>`` blocks of the
first message word for word, and the definitions in the files that were seen (50,000 characters; a
file is cut if at least 200 are left for it). The summariser reads calls without result as
cancelled, and they are gone afterwards (their results are left out when they come). Nothing checks
whether the view got smaller. After a failure half of the messages after the first one are dropped,
an even number, once, with a note of how much is hidden.

``version=1`` is v3.25.8: everything but the last three messages (from the earlier summary on) is
summarised; the summary is an assistant message before the three, and a line in the user's name
stands in front because some providers want a user message first. The first message of the user is
not kept. It refuses if at most one message is to be summarised, a summary is among the last three,
the model writes nothing, or the result would not be smaller. Then the same half is dropped, without
a note. A model that cannot be reached leaves everything as it was.

Kept from the original: the three that version 1 keeps and the sliding window may leave more than
the budget.

Adapted: a cut never separates a call from its result, so that a few more than three may
be kept; constants in tokens and characters are in proportion to the case's window (the
product's is taken to be 200,000); beside a tail that takes the budget the summary gets a
quarter of it; files are as the log shows them and take at most a quarter of the room.
Environment details come from a running editor and are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import cut_before, pending_start
from pytest_compaction.compactors.base.file_contents import Contents, folded_files, followed
from pytest_compaction.compactors.base.history import (
    dump,
    load,
    rewritten,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    NINE_SECTIONS,
    PREAMBLE,
    ProductCompactor,
    scaled,
)
from pytest_compaction.compactors.base.summaries import SUMMARY_OVERHEAD, sections_of, summary_room
from pytest_compaction.compactors.parameters import check_whole, choice, parameter, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import (
    Message,
    Text,
    ToolResult,
    groups,
    leading_system,
    pending_calls,
    text_message,
)

SECTIONS: Final = sections_of("roo")
PRODUCT_WINDOW: Final = 200_000
FOLDED_CHARACTERS: Final = 50_000
KEPT: Final = 3
"""Messages that version 1 keeps."""
CANCELLED: Final = "[no result: the conversation was condensed before the tool had run]"
_COMMAND: Final = re.compile(r"<command\b[^<>]{0,200}>(?:(?!<command\b).)*?</command>", re.S)
HIDDEN_ID: Final = "roo-hidden"
_FRACTION: Final = 0.5
_LEAST_TO_HALVE: Final = 4
"""With fewer messages after the first one, half of them, rounded down to even, is zero."""
OPENING_ID: Final = "roo-opening"
OPENING: Final = "Go on from the summary of the conversation that follows."
_FOLLOWED_FILES: Final = 50


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was condensed; ``final`` if nothing else is tried either."""

    error: str
    final: bool = False


def _check_percent(name: str, value: object) -> None:
    if value != -1:
        check_whole(name, value, 5, 100)


@dataclass(eq=False)
class Roo(ProductCompactor):
    """Condenses everything (version 2), or all but the last ``keep`` messages (version 1).

    ``threshold`` is the share of the window in percent at which it is due (5 to 100, -1 for the
    default), ``max_output`` the limit of a reply, in tokens of a 200,000-token window.
    """

    name = "roo"
    asks = "roo"
    sections = NINE_SECTIONS
    drops_calls = True
    description = "Roo Code: one summary of all; before the last three messages (version=1)"

    version: int = choice(2, 1)
    keep: int = whole(KEPT, 1)
    threshold: int = parameter(100, _check_percent)
    max_output: int = whole(8192, 1, PRODUCT_WINDOW * 9 // 10 - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.version != 1 and self.keep != KEPT:
            raise ValueError(f"keep={self.keep} needs version=1; version 2 keeps no message")
        self.percent = 100 if self.threshold == -1 else self.threshold
        if self.version == 1:
            self.asks, self.sections = "roo-1", SECTIONS
        self.also_violates(f"roo-{self.version}")
        if self.percent < 100 * LOW_TRIGGER:
            self.also_violates("due-again" if self.version == 1 else "set-off-again")

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        observed = super().observe(state, new, context)
        if self.version == 1:
            return observed
        before = load(state["messages"])
        recent = (*before[pending_start(before) :], *load(observed["messages"][len(before) :]))
        return {**observed, "files": followed(state.get("files", {}), recent, _FOLLOWED_FILES)}

    def due(self, state: State, context: Context) -> str | None:
        used = context.tokens.messages(load(state["messages"]))
        allowed = context.window * 9 // 10 - scaled(self.max_output, PRODUCT_WINDOW, context)
        if used > allowed:
            return f"{used} tokens used, {allowed} are allowed"
        if 100 * used >= self.percent * context.window:
            return f"{used} of {context.window} tokens used, the threshold is {self.percent} %"
        return None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        condense = self._tail_kept if self.version == 1 else self._fresh_start
        outcome = await condense(state, before, context)
        if isinstance(outcome, Outcome):
            return outcome
        if outcome.final:
            return unchanged(state, outcome.error)
        return half_dropped(state, before, outcome.error, context, noted=self.version == 2)

    async def _tail_kept(
        self, state: State, before: Sequence[Message], context: Context
    ) -> Outcome[State] | Refusal:
        first = leading_system(before)
        cut = max(cut_before(before, max(len(before) - self.keep, 0)), first)
        if any(message.id.startswith("roo-summary") for message in before[cut:]):
            return Refusal("the conversation was condensed a moment ago")
        if cut - first <= 1:
            return Refusal("there are not enough messages to condense")
        kept = (*before[:first], *before[cut:])
        room = summary_room(kept, context)
        written = await self.written(before[first:cut], room, context)
        if written.error:
            return Refusal(written.error, final=written.raised)
        cycle = self.cycle(state)
        opening = text_message(OPENING_ID, "user", OPENING, "synthetic")
        message = self.summary(cycle, written.text, "assistant")
        after = (*before[:first], opening, message, *before[cut:])
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return Refusal("the context would have grown")
        new: State = {"messages": dump(after), "cycle": cycle}
        return Outcome(new, "compacted", spans_between(before, after, message.id))

    async def _fresh_start(
        self, state: State, before: Sequence[Message], context: Context
    ) -> Outcome[State] | Refusal:
        """Version 2: one user message with summary, commands and folded files."""
        first = leading_system(before)
        waiting = pending_calls(before)
        if first >= len(before):
            return Refusal("there is nothing to condense")
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        commands = state.get("commands", commands_in(before[first]))
        blocks = blocks_of(commands, state["files"], room, context)
        room -= sum(context.tokens.text(block) for block in blocks)
        read = (*before[first:], *cancelled(waiting))
        written = await self.written(read, room, context)
        if written.error:
            return Refusal(written.error)
        cycle = self.cycle(state)
        texts = (f"{PREAMBLE}\n\n{written.text}", *blocks)
        id = f"roo-summary-{cycle}"
        message = Message(id, "user", tuple(map(Text, texts)), "synthetic")
        after = (*before[:first], message)
        return rewritten(state, before, after, id, cycle=cycle, commands=commands)


def commands_in(message: Message) -> list[str]:
    """The ``<command>`` blocks of a message, word for word."""
    return _COMMAND.findall(message.text)


def cancelled(calls: Iterable[str]) -> tuple[Message, ...]:
    """A result for each call without one, so that the summariser can read the call."""
    return tuple(
        Message(f"roo-cancelled-{id}", "tool", (ToolResult(id, CANCELLED),), "synthetic")
        for id in calls
    )


def blocks_of(commands: Sequence[str], files: Contents, room: int, context: Context) -> list[str]:
    """The blocks after the summary: commands and folded files, each in a quarter of ``room``."""
    text = "\n".join(commands)
    blocks = [text] if text and context.tokens.text(text) <= room // 4 else []
    characters = scaled(FOLDED_CHARACTERS, PRODUCT_WINDOW, context)
    folded = folded_files(files, characters, room // 4, context.tokens)
    return [*blocks, folded] if folded else blocks


def without_oldest(messages: Sequence[Message], fraction: float) -> tuple[Message, ...]:
    """The messages without a ``fraction`` of those after the first one, in whole groups.

    The same messages if nothing can go.
    """
    head = leading_system(messages)
    first = next((end for begin, end in groups(messages) if begin >= head), len(messages))
    if first >= len(messages):
        return tuple(messages)
    removable = len(messages) - first
    count = int(removable * fraction)
    count = max(count - count % 2, min(2, removable))
    cut = first + count
    starts = {begin for begin, _ in groups(messages)}
    while cut < len(messages) and cut not in starts:
        cut += 1
    if cut >= len(messages):
        cut = max((s for s in starts if first < s < len(messages)), default=first)
    return (*messages[:first], *messages[cut:])


def half_dropped(
    state: State, before: Sequence[Message], error: str, context: Context, noted: bool
) -> Outcome[State]:
    """One step of the window, however much is left; ``error`` is why condensing was refused.

    With ``noted`` a message says how many are hidden.
    """
    visible = [message for message in before if message.id != HIDDEN_ID]
    if len(visible) - leading_system(visible) - 1 < _LEAST_TO_HALVE:
        return unchanged(state, error)
    shorter = without_oldest(visible, _FRACTION)
    hidden = int(state.get("hidden", 0)) + len(visible) - len(shorter)
    after = shorter
    if noted:
        place = leading_system(shorter) + 1
        note = f"[{hidden} earlier messages are hidden to save space]"
        marker = text_message(HIDDEN_ID, "user", note, "synthetic")
        after = (*shorter[:place], marker, *shorter[place:])
    if context.tokens.messages(after) >= context.tokens.messages(before):
        return unchanged(state, error)
    return rewritten(state, before, after, status="truncated", hidden=hidden)
