"""``anthropic``: full regeneration by the client at a token threshold, after Anthropic's SDK.

Follows ``compaction_control`` of the tool runner in the Python SDK (0.79 to 0.125,
public source; gone by 1.x): when the usage of a reply reaches 100,000 tokens, the
messages before that reply and a prompt for a summary are sent without system
prompt and tools, and what comes back, its tag included, becomes the one user
message that the conversation goes on from.

What the original does and the faithful profile keeps: the reply that set it off
is neither in the summary nor in the conversation afterwards; its calls are lost,
their tools never run (results that a log brings all the same are left out); the
last user message is gone as such; nothing counts whether it helped. Adapted: the
threshold is in proportion to the window of the case (the product's is 200,000
tokens); the summary is held to the budget, where the original passes the reply
limit of the conversation.

``clear=3`` adds what the API calls clearing tool uses (``clear_tool_uses_20250919``)
as the client can do it: the results of all but the newest tool uses give way to a
placeholder, and a summary is written only if that did not suffice. The API's
own compaction (``compact_20260112``) is a parameter of Anthropic's endpoint, which no
model of this package talks to: ``mode=server`` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.history import (
    HistoryCompactor,
    dump,
    is_needed,
    leading_system,
    live_request,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.parts.cuts import pending_start, without_orphans
from pytest_compaction.compactors.parts.parameters import check_choice, check_whole
from pytest_compaction.compactors.parts.profiles import (
    FAITHFUL,
    HARDENED,
    Profile,
    checked_profile,
    scaled,
    traits_of,
)
from pytest_compaction.compactors.parts.summaries import SUMMARY_OVERHEAD, write_summary
from pytest_compaction.compactors.parts.tool_uses import ToolUseClearing
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, pending_calls, text_message
from pytest_compaction.summary import Section

PRODUCT_WINDOW: Final = 200_000
SECTIONS: Final = (
    Section(
        "task_overview",
        "Task overview",
        "What the user asked for, how success is to be judged, and every limit that was set.",
        ("intent",),
        1.0,
    ),
    Section(
        "current_state",
        "Current state",
        "What is finished, which files were made or changed, what was produced.",
        ("files", "state"),
        1.2,
    ),
    Section(
        "discoveries",
        "Important discoveries",
        "Technical limits found, decisions with reasons, errors and how they were solved.",
        ("decisions", "errors"),
        1.2,
    ),
    Section(
        "next_steps",
        "Next steps",
        "What has to be done to finish, in order, with what stands in the way.",
        ("next",),
        0.6,
    ),
    Section(
        "context_to_preserve",
        "Context to preserve",
        "Preferences of the user, details of the domain, promises made, exact values.",
        ("values",),
        0.8,
    ),
)
VIOLATIONS: Final = {
    "pending-call-kept": "the reply that set compaction off is discarded, its open calls with it",
}
_SERVER: Final = (
    "mode=server needs an endpoint of Anthropic with context management (the edit "
    "compact_20260112), which {model} does not offer; use mode=client"
)


class Anthropic(HistoryCompactor):
    """Replaces the conversation by one tagged summary, written from scratch each time.

    ``threshold`` is in tokens of a 200,000-token window. ``clear`` is how many of
    the newest tool uses keep their results when older ones are cleared first;
    without it nothing is cleared. See :class:`ToolUseClearing` for the parameters
    that go with it.
    """

    name = "anthropic"
    description = "Anthropic SDK: one tagged summary rewritten from scratch at 100k tokens"

    def __init__(
        self,
        threshold: int = 100_000,
        mode: str = "client",
        clear: int | None = None,
        clear_trigger: int = 100_000,
        clear_at_least: int = 0,
        exclude_tools: str = "",
        clear_tool_inputs: bool | str = False,
        profile: Profile = FAITHFUL,
    ) -> None:
        check_whole("threshold", threshold, 1)
        check_choice("mode", mode, ("client", "server"))
        self.clearing = None
        if clear is not None:
            self.clearing = ToolUseClearing(
                clear, clear_trigger, clear_at_least, exclude_tools, clear_tool_inputs
            )
        self.profile = checked_profile(profile)
        self.mode = mode
        self.limit = threshold
        hardened = self.profile == HARDENED
        self.traits = traits_of(
            self.profile, Traits(needs_model=True, keeps_tail=hardened), VIOLATIONS
        )

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """Add messages; results of calls that were discarded never come in the original."""
        answered = without_orphans(load(state["messages"]), new)
        return super().observe(state, answered, context)

    def due(self, state: State, context: Context) -> str | None:
        """Due when the view reaches the threshold, or that of clearing while there is any to do."""
        messages = load(state["messages"])
        used = context.tokens.messages(messages)
        limit = scaled(self.limit, PRODUCT_WINDOW, context)
        if used >= limit:
            return f"{used} tokens used, {limit} is the threshold"
        if self.clearing is None:
            return None
        return self.clearing.due(messages, PRODUCT_WINDOW, context)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Clear tool uses if asked for and if that suffices; otherwise summarise everything."""
        if self.mode == "server":
            return unchanged(state, _SERVER.format(model=f"the model {context.model.name}"))
        if not is_needed(self, state, context):
            return unchanged(state)
        before = load(state["messages"])
        cleared = before
        if self.clearing is not None:
            cleared = self.clearing.cleared(before, PRODUCT_WINDOW, context)
            if cleared != before and context.tokens.messages(cleared) <= context.budget:
                new = {**state, "messages": dump(cleared)}
                return Outcome(new, "compacted", spans_between(before, cleared))
        if self.profile == HARDENED and pending_calls(before):
            return unchanged(state, "a tool call is still without result; nothing was summarised")
        return await self._regenerate(state, before, cleared, context)

    async def _regenerate(
        self,
        state: State,
        before: Sequence[Message],
        read: Sequence[Message],
        context: Context,
    ) -> Outcome[State]:
        first = leading_system(before)
        conversation = read[first : self._end(read)]
        if not conversation:
            return unchanged(state, "there is nothing before the reply that set compaction off")
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        live = None
        if self.profile == HARDENED and (live := live_request(before, context)):
            room -= context.tokens.message(live)
        written = await write_summary(context, conversation, SECTIONS, room)
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        text = f"<summary>\n{written.text}\n</summary>"
        message = text_message(f"anthropic-summary-{cycle}", "user", text, "synthetic")
        after = (*before[:first], message, *((live,) if live else ()))
        larger = context.tokens.messages(after) >= context.tokens.messages(before)
        if larger and self.profile == HARDENED:
            return unchanged(state)
        end = first + len(conversation)
        spans = (
            *spans_between(before[:end], after, message.id),
            *spans_between(before[end:], after),
        )
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    def _end(self, messages: Sequence[Message]) -> int:
        """Where the summarised part ends: before the reply that set compaction off."""
        if self.profile == HARDENED:
            return len(messages)
        end = pending_start(messages)
        if end == len(messages) and messages and messages[-1].role == "assistant":
            end -= 1
        return end


STRATEGY: Final = Anthropic
