"""``anthropic``: compaction by the endpoint, or by the client as an older SDK did it.

Version 2.14 of the Python SDK (public source, read on 2026-11-30) compacts nothing itself: the edit
``compact_20260112`` of a request makes the endpoint do it. That is ``mode=server``, the default.
The view is the whole log, and with every
request for an answer goes ``context_management`` with the edit ``compact_20260112``
(trigger: ``threshold``, by default the API's 150,000 tokens; ``instructions``: the instruction
of the user, if there is one), and before it
``clear_tool_uses_20250919`` if ``clear`` is given, so that a summary is written only of
what clearing left. Anthropic's own endpoint takes that in its Messages API; a gateway
with chat completions that passes it on, as LiteLLM does, is asked here. Without such an endpoint,
as with the offline model, the compaction fails with a sentence that names ``mode=client``.

Triggers are in proportion to the window of the case, but for a compaction the API accepts no
trigger below
50,000 tokens: a log that reaches no trigger cannot be compacted this way, and no question
is asked about it. The view is what the reply reports (see
:mod:`pytest_compaction.run.responder`): the tokens that were read, the tool results
without those that were cleared, and the summary if it can be read. An endpoint that
refuses the parameter is not asked again. An answer is not scored if an edit was due and
the reply does not report it. No compaction block goes back to the endpoint: each answer
is requested with the whole log, like the first request over the threshold. The server
therefore writes its summary with the question in sight, which no client-side strategy
does. SDK 2.14 has a second way, which is not modelled: the request parameter ``compaction``
(``summarize``, beta) makes the endpoint compact everything at once, without a trigger, into a
signed block that the next request sends back.

``mode=client`` follows ``compaction_control`` of the tool runner in the Python SDK (0.79 to 0.125;
0.121.0 read on 2026-11-30; gone by 1.x): when the usage of a reply reaches 100,000 tokens, the
messages before that reply and a prompt for a summary are sent without system
prompt and tools. The reply, its tag included, becomes the one user message with
which the conversation continues.

Kept from the original: the reply that set compaction off is neither in the summary nor in
the conversation afterwards; its calls are lost and their tools never run (if the log has
results for them, these are left out); the last user message is gone as such; nothing
checks whether compaction helped. Adapted: the
threshold is in proportion to the window of the case (the product's is 200,000 tokens),
and the summary is held to the budget, while the original passes on the reply limit of
the conversation.

``clear=3`` adds what the API calls clearing tool uses (``clear_tool_uses_20250919``)
as the client can do it: the results of all but the newest tool uses give way to a
placeholder, and a summary is written only if that did not suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import (
    dump,
    load,
    rewritten,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    ProductCompactor,
    ToolUseClearing,
    scaled,
)
from pytest_compaction.compactors.base.summaries import SUMMARY_OVERHEAD, sections_of
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits, View
from pytest_compaction.conversation import Message, leading_system, text_message
from pytest_compaction.models import (
    CLEARING,
    COMPACTION,
    LEAST_TRIGGER,
    PARAMETER,
    due_edits,
    edits_of,
    refusal_of,
)

PRODUCT_WINDOW: Final = 200_000
THRESHOLDS: Final = {"server": 150_000, "client": 100_000}
"""Tokens of the product's window at which the SDK and the API compact by themselves."""
SECTIONS: Final = sections_of("anthropic")


@dataclass(eq=False)
class Anthropic(ProductCompactor):
    """Lets the endpoint compact; ``mode=client`` replaces the conversation by one tagged summary.

    ``threshold`` is in tokens of a 200,000-token window (150,000, with ``mode=client``
    100,000). ``clear`` is the number of newest tool uses that keep their results when
    older ones are cleared first, from ``clear_trigger`` tokens on; without it nothing is cleared.
    """

    name = "anthropic"
    asks = "anthropic"
    description = "Anthropic: the endpoint compacts; mode=client: one tagged summary at 100k tokens"
    sections = SECTIONS
    drops_calls = True

    threshold: int | None = whole(None, 1)
    mode: str = choice(*THRESHOLDS)
    clear: int | None = whole(None, 0)
    clear_trigger: int = whole(100_000, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is None:
            self.threshold = THRESHOLDS[self.mode]
        self.due_tokens = self.threshold
        self.by_server = self.takes_instruction = self.mode == "server"
        clear = self.clear
        self.clearing = None if clear is None else ToolUseClearing(clear, self.clear_trigger)
        if self.by_server:
            self.traits = Traits(needs_model=True, by_server=True)
        elif self.due_tokens < PRODUCT_WINDOW * LOW_TRIGGER:
            self.also_violates("set-off-again")

    def due_at(self, context: Context) -> int:
        return scaled(self.due_tokens, PRODUCT_WINDOW, context)

    def due(self, state: State, context: Context) -> str | None:
        """Due if the view reaches the threshold, or that of clearing and something can be cleared.

        Never due again once the log was handed over to the server.
        """
        messages = load(state["messages"])
        if self.by_server:
            edits = due_edits(self._parameters(context), messages, context.tokens)
            return None if state.get("handed_over") else "; ".join(edits) or None
        reached = super().due(state, context)
        if reached or self.clearing is None:
            return reached
        return self.clearing.due(messages, PRODUCT_WINDOW, context)

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        messages = super().render(state, context, probe).messages
        return View(messages, self._parameters(context)) if self.by_server else View(messages)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        if self.by_server:
            return self._handed_over(state, context)
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        cleared = before
        if self.clearing is not None:
            cleared = self.clearing.cleared(before, context)
            if cleared != before and context.tokens.messages(cleared) <= context.budget:
                return rewritten(state, before, cleared)
        return await self._regenerate(state, before, cleared, context)

    def _handed_over(self, state: State, context: Context) -> Outcome[State]:
        """Leave the messages; the server compacts them when it answers."""
        parameters = self._parameters(context)
        refusal = refusal_of(context.model, parameters)
        if refusal is not None:
            return unchanged(state, refusal)
        messages = load(state["messages"])
        if due_edits(parameters, messages, context.tokens):
            spans = spans_between(messages, messages)
            return Outcome({**state, "handed_over": True}, "compacted", spans)
        if context.tokens.messages(messages) <= context.budget:
            return unchanged(state)
        triggers = {str(edit["type"]): edit["trigger"]["value"] for edit in edits_of(parameters)}
        said = ", ".join(f"{kind} from {value:,} tokens on" for kind, value in triggers.items())
        return unchanged(
            state,
            f"the log gives the server nothing to do ({said}; it takes no trigger below "
            f"{LEAST_TRIGGER:,} for a compaction, and clears old tool uses only); take a longer "
            f"log, {'' if self.clearing else 'clear=3, '}or mode=client",
        )

    def _parameters(self, context: Context) -> dict[str, Any]:
        """The edits for the server: clearing first, then a summary of the rest."""
        edits = [] if self.clearing is None else [_clearing(self.clearing, context)]
        value = max(LEAST_TRIGGER, self.due_at(context))
        compaction: dict[str, Any] = {"type": COMPACTION, "trigger": _tokens(value)}
        if context.instructions:
            compaction["instructions"] = context.instructions
        return {PARAMETER: {"edits": [*edits, compaction]}}

    async def _regenerate(
        self,
        state: State,
        before: Sequence[Message],
        read: Sequence[Message],
        context: Context,
    ) -> Outcome[State]:
        first = leading_system(before)
        end = pending_start(read)
        if end == len(read) and read and read[-1].role == "assistant":
            end -= 1  # the reply that set compaction off
        conversation = read[first:end]
        if not conversation:
            return unchanged(state, "there is nothing before the reply that set compaction off")
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        written = await self.written(conversation, room, context)
        if written.error:
            return unchanged(state, written.error)
        cycle = self.cycle(state)
        text = f"<summary>\n{written.text}\n</summary>"
        message = text_message(f"anthropic-summary-{cycle}", "user", text, "synthetic")
        after = (*before[:first], message)
        end = first + len(conversation)
        spans = (
            *spans_between(before[:end], after, message.id),
            *spans_between(before[end:], after),
        )
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)


def _clearing(clearing: ToolUseClearing, context: Context) -> dict[str, Any]:
    return {
        "type": CLEARING,
        "trigger": _tokens(scaled(clearing.trigger, PRODUCT_WINDOW, context)),
        "keep": {"type": "tool_uses", "value": clearing.keep},
    }


def _tokens(value: int) -> dict[str, Any]:
    return {"type": "input_tokens", "value": value}
