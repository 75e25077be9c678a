"""``anchored``: a persistent structured summary that merges in only newly dropped messages.

Anchored-iterative summarisation after Factory's public description ("Compressing
Context", 2025): four sections (session intent, file modifications, decisions,
next steps), an anchor that marks how far the summary reaches, and a recent tail
kept verbatim. Prompts and production constants are not public; the shares below
are ours. The known gaps of open re-implementations are closed: the summary is a
user message, tool-call pairs stay whole, the last user message always stays.

``regenerate``: one structured summary, written from scratch at each compaction.

Everything in the view, an earlier summary included, is read as conversation
and replaced by one user message. This is the scheme of SDKs that ask the model
to summarise the whole conversation and continue from that text alone; nothing
protects the content of an earlier summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import tail_start
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    sections_of,
    summary_message,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.parameters import portion
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, last_user, leading_system, pending_calls
from pytest_compaction.models import AskedBy, frame, summary_from_json

SECTIONS: Final = sections_of("anchored")

PREAMBLE: Final = (
    "Summary of the earlier part of this conversation, kept up to date as it grows. The messages "
    "after it are the most recent ones, word for word."
)
SUMMARY_ID: Final = "anchored-summary"


@dataclass(eq=False)
class Anchored(HistoryCompactor):
    """Keeps system prompt, one live summary, the last user message and the newest tail.

    ``summary`` is the share of the budget that is kept for the summary. The tail is
    made of whole groups; the part of its share that it does not need goes to the summary.
    A last user message that takes more than half of the budget without the system prompt
    is summarised like any other, because nothing else would fit beside it.
    """

    name = "anchored"
    description = "persistent summary; only newly dropped messages are merged; recent tail verbatim"
    traits = Traits(needs_model=True, keeps_tail=True, reads_once=True)

    summary: float = portion(0.7)

    def prompts(self) -> list[AskedBy]:
        return [AskedBy(frame(), SECTIONS)]

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        if context.tokens.messages(before) <= context.budget:
            return unchanged(state)
        first = leading_system(before)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        if room <= 0:
            return unchanged(state, "the system prompt alone takes the budget")
        has_summary = "summary" in state and before[first].id == SUMMARY_ID
        body = first + (1 if has_summary else 0)
        start, live = self._tail(before, body, room, context)
        dropped = [message for message in before[body:start] if message is not live]
        if not dropped:
            return unchanged(state, "the messages that may not be touched take the budget alone")
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        tail = (*((live,) if live else ()), *before[start:])
        budget = room - context.tokens.messages(tail)
        written = await write_summary(context, dropped, SECTIONS, budget, previous)
        if written.error:
            return unchanged(state, written.error)
        message = summary_message(SUMMARY_ID, written.text, PREAMBLE)
        after = (*before[:first], message, *tail)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return unchanged(state, "the summary is no shorter than what it stands for")
        noted: State = {"summary": written.summary.as_json(), "anchor": dropped[-1].id}
        return rewritten(state, before, after, SUMMARY_ID, **noted)

    def _tail(
        self, messages: Sequence[Message], first: int, room: int, context: Context
    ) -> tuple[int, Message | None]:
        """Start of the verbatim tail, and the last user message if it lies before it.

        That message is part of the tail's budget unless it takes more than half of the
        whole room.
        """
        budget = int(room * (1 - self.summary))
        start = tail_start(messages, budget, context, first)
        live = last_user(messages[first:])
        if live is None or any(message is live for message in messages[start:]):
            return start, None
        cost = context.tokens.message(live)
        if cost * 2 > room + SUMMARY_OVERHEAD:
            return start, None
        start = tail_start(messages, budget - cost, context, first)
        return start, live


REPLACED: Final = (
    "This conversation was summarised to save space. The summary below replaces all that came "
    "before; go on from it."
)


class Regenerate(HistoryCompactor):
    """Replaces everything but the system prompt by a fresh summary."""

    name = "regenerate"
    description = "one structured summary, rewritten from scratch at each compaction"
    traits = Traits(needs_model=True)

    def prompts(self) -> list[AskedBy]:
        return [AskedBy(frame(), sections_of("regenerate"))]

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        first = leading_system(before)
        if pending_calls(before):
            return unchanged(state, "a tool call is still without result; nothing was summarised")
        if first >= len(before):
            return unchanged(state)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        if room <= 0:
            return unchanged(state, "the system prompt alone takes the budget")
        read = without_preamble(before[first:], REPLACED)
        written = await write_summary(context, read, sections_of("regenerate"), room)
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"summary-{cycle}", written.text, REPLACED)
        after = (*before[:first], message)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            if context.tokens.messages(before) <= context.budget:
                return unchanged(state)
            return unchanged(state, "the summary is no shorter than what it stands for")
        return rewritten(state, before, after, message.id, cycle=cycle)
