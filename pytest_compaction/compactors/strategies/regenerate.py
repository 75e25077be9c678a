"""``regenerate``: one structured summary, written from scratch at each compaction.

Everything in the view, an earlier summary included, is read as conversation
and replaced by one user message. This is the scheme of SDKs that ask the model
to summarise the whole conversation and continue from that text alone; nothing
protects the content of an earlier summary.
"""

from __future__ import annotations

from typing import Final

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    sections_of,
    summary_message,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import leading_system, pending_calls

SECTIONS: Final = sections_of("regenerate")

PREAMBLE: Final = (
    "This conversation was summarised to save space. The summary below replaces all that came "
    "before; go on from it."
)


class Regenerate(HistoryCompactor):
    """Replaces everything but the system prompt by a fresh summary."""

    name = "regenerate"
    description = "one structured summary, rewritten from scratch at each compaction"
    traits = Traits(needs_model=True)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Summarise the whole view anew."""
        before = load(state["messages"])
        first = leading_system(before)
        if pending_calls(before):
            return unchanged(state, "a tool call is still without result; nothing was summarised")
        if first >= len(before):
            return unchanged(state)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        if room <= 0:
            return unchanged(state, "the system prompt alone takes the budget")
        read = without_preamble(before[first:], PREAMBLE)
        written = await write_summary(context, read, SECTIONS, room)
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"summary-{cycle}", written.text, PREAMBLE)
        after = (*before[:first], message)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            if context.tokens.messages(before) <= context.budget:
                return unchanged(state)
            return unchanged(state, "the summary is no shorter than what it stands for")
        spans = spans_between(before, after, message.id)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)


STRATEGY: Final = Regenerate
