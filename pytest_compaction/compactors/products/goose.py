"""``goose``: one summary, a note that the work goes on, and the last request again.

After the context management of goose (public source, Apache-2.0, commit 0036b819, read on
2026-11-29). It is due
above 80 % of the window. The whole conversation becomes one summary in six sections, written as
a user message. A note in the assistant's name follows, which asks for the work to go on and not to
mention the summary, and then the text of the last user message once more, so that the view ends
on the request even if most of it is done. If a user asks for the compaction, that message is not
repeated.

A request that is longer than the window is asked again with fewer tool results: without 10, 20, 50
and 100 % of them, from the middle outwards. If that does not help, nothing is compacted.

Kept from the original: whatever the model writes is the summary, an empty text too; an open
call is lost (its result is left out when it comes), and so are images of the request; of an odd
number of results the newest stays even at 100 %.

Adapted: whether a request is too long is counted, because no endpoint refuses it here. A line says
that the summary is one; the note alone does in the original.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    SIX_SECTIONS,
    ProductCompactor,
)
from pytest_compaction.compactors.base.summaries import Written, summary_room, without_preamble
from pytest_compaction.compactors.parameters import within
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, Text, text_message

REMOVED: Final = (0, 10, 20, 50, 100)
"""Percentages of the tool results that are left out, one after the other."""
GOES_ON: Final = (
    "The context was compacted; the message before this one sums up what was said. I go on from "
    "there as if nothing had happened, without a word about the summary."
)
TOOLS_GO_ON: Final = (
    "The context was compacted; the message before this one sums up what was said. I go on calling "
    "tools until the task is done, without a word about the summary."
)
ASKED_GOES_ON: Final = GOES_ON.replace("compacted;", "compacted because the user asked for it;")


@dataclass(eq=False)
class Goose(ProductCompactor):
    """Summarises everything; the text of the last user message comes last.

    ``threshold`` is the share of the window above which it is due; 0 and 1 switch that off.
    """

    name = "goose"
    asks = "goose"
    description = "one summary, a note to go on, and the last request again (goose)"
    sections = SIX_SECTIONS
    drops_calls = True
    traits = Traits(needs_model=True, keeps_tail=True)
    takes_empty = True

    threshold: float = within(0.8, 0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.threshold < LOW_TRIGGER:
            self.also_violates("set-off-again")

    def due(self, state: State, context: Context) -> str | None:
        return None if self.threshold in {0, 1} else super().due(state, context)

    def due_at(self, context: Context) -> int:
        return math.floor(self.threshold * context.window) + 1

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        cycle = self.cycle(state)
        by_hand = context.reason == "manual"
        request = None if by_hand else _request(before)
        follow = _following(request, before, cycle, by_hand)
        room = summary_room((*before[:first], *follow), context)
        written = await self._asked(before[first:], room, context)
        return self.replaced(state, before, before[:first], written, follow)

    async def _asked(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        """The summary of the messages with as many tool results as the window holds."""
        told = [message for message in messages if not message.id.startswith("goose-note-")]
        told = [*without_preamble(told, self.preamble)]
        if room <= 0 or not told:
            return Written(error="there is no room for a summary within the budget")
        limit = context.window - room
        read = tuple(told)
        for percent in REMOVED:
            read = without_results(told, percent)
            if context.tokens.messages(read) <= limit:
                break
        else:
            return Written(
                error="the conversation is longer than the window even without tool results"
            )
        return await self.written(read, room, context)


def _request(messages: Sequence[Message]) -> Message | None:
    written = (m for m in reversed(messages) if m.role == "user" and m.origin == "log")
    found = next((message for message in written if message.text.strip()), None)
    if found is None or all(isinstance(part, Text) for part in found.parts):
        return found
    return replace(found, parts=(Text(found.text),))


def _following(
    request: Message | None, before: Sequence[Message], cycle: int, by_hand: bool
) -> tuple[Message, ...]:
    """The note and the request, which come after the summary."""
    newest = request is not None and request.id == before[-1].id
    text = ASKED_GOES_ON if by_hand else GOES_ON if newest or request is None else TOOLS_GO_ON
    note = text_message(f"goose-note-{cycle}", "assistant", text, "synthetic")
    return (note, request) if request is not None else (note,)


def without_results(messages: Sequence[Message], percent: int) -> tuple[Message, ...]:
    """The messages without a share of those with tool results, from the middle outwards.

    At least one goes if any is to go, the one before the middle first. Of an odd number the
    last never goes, as in the original.
    """
    places = [index for index, message in enumerate(messages) if message.results]
    if not percent or not places:
        return tuple(messages)
    middle = len(places) // 2
    steps = range(max(len(places) * percent // 100, 1))
    chosen = {middle - step // 2 - 1 if step % 2 == 0 else middle + step // 2 for step in steps}
    gone = {places[place] for place in chosen if 0 <= place < len(places)}
    return tuple(message for index, message in enumerate(messages) if index not in gone)
