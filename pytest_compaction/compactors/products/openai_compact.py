"""``openai-compact``: compaction by the endpoint itself, OpenAI's ``responses.compact``.

The endpoint (public SDK, openai 3.54) takes the conversation and returns the start of
the next input: every user message, then one compaction item that only the endpoint can
read. That output is passed on unchanged and in its order, its opaque item
byte-identical. The system prompt is not part of the input (it is sent with every
request) and stays where it is.

The faithful profile takes whatever the endpoint returns: nothing checks that it fits
a budget, and a call without a result is lost (its result is left out when it comes).
The hardened profile waits for open calls, sends nothing that is larger than the window,
and refuses an output that is over the budget or not smaller. With a model that has no
native compaction, such as the offline model, the compaction fails with one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.native_output import compacted_natively
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, leading_system, pending_calls

VIOLATIONS: Final = {
    "pending-call-kept": "the endpoint keeps user messages only, so an open call goes",
    "within-budget": "every user message comes back, whatever they take",
    "never-larger": "the output is taken whatever its size",
    "progress-or-stop": "nothing checks whether compacting once more is of use",
    "summariser-input-bounded": "the whole conversation is sent, whatever its size",
}


class OpenAICompact(ProductCompactor):
    """Continues with the output of the endpoint: user messages, then one opaque item."""

    name = "openai-compact"
    description = "responses.compact: user messages and one opaque item, as the endpoint returns"
    drops_calls = True

    def __init__(self, profile: str = FAITHFUL) -> None:
        self.set_profile(profile)
        traits = Traits(needs_model=True, opaque=True, keeps_tail=True)
        self.set_traits(traits, VIOLATIONS)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Let the endpoint compact everything after the system prompt."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        first = leading_system(before)
        if first >= len(before):
            return unchanged(state)
        if self.hardened and pending_calls(before):
            return unchanged(state, "a tool call is still without result; nothing was compacted")
        size = context.tokens.messages(before[first:])
        if self.hardened and size > context.window:
            return unchanged(
                state, f"the conversation takes {size} tokens; the window holds {context.window}"
            )
        cycle = int(state.get("cycle", 0)) + 1
        output = await compacted_natively(before[first:], f"{self.name}-{cycle}", context)
        if output.error:
            return unchanged(state, output.error)
        after = (*before[:first], *output.messages)
        refusal = self._refusal(before, after, context)
        if refusal:
            return unchanged(state, refusal)
        spans = spans_between(before, after, output.item)
        return Outcome({"messages": dump(after), "cycle": cycle}, "compacted", spans)

    def _refusal(
        self, before: Sequence[Message], after: Sequence[Message], context: Context
    ) -> str | None:
        if self.faithful:
            return None
        tokens = context.tokens.messages(after)
        if tokens > context.budget:
            return f"the endpoint's output takes {tokens} tokens; the budget is {context.budget}"
        if tokens >= context.tokens.messages(before):
            return "the endpoint's output is not smaller than what it was made from"
        return None


STRATEGY: Final = OpenAICompact
