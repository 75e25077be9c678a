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

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, Opaque, leading_system, pending_calls
from pytest_compaction.models.protocol import CompactRequest, ModelError, UnsupportedError

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
        request = CompactRequest(before[first:], context.instructions)
        try:
            reply = await context.model.compact(request)
        except UnsupportedError as error:
            return unchanged(state, str(error))
        except ModelError as error:
            return unchanged(state, f"the endpoint could not compact: {error}")
        items = sum(map(_compaction_items, reply.messages))
        if items != 1:
            return unchanged(state, f"the endpoint returned {items} compaction items; expected one")
        cycle = int(state.get("cycle", 0)) + 1
        after = (*before[:first], *_recognised(reply.messages, before[first:], cycle))
        refusal = self._refusal(before, after, context)
        if refusal:
            return unchanged(state, refusal)
        item = next(message for message in after[first:] if _compaction_items(message))
        spans = spans_between(before, after, item.id)
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


def _compaction_items(message: Message) -> int:
    """How many parts of the message are compaction items."""
    payloads = (json.loads(part.payload) for part in message.parts if isinstance(part, Opaque))
    return sum(
        isinstance(item, dict) and str(item.get("type", "")).startswith("compaction")
        for item in payloads
    )


def _recognised(
    returned: Sequence[Message], before: Sequence[Message], cycle: int
) -> tuple[Message, ...]:
    """The output, with messages of the input recognised; all parts stay as they came."""
    result: list[Message] = []
    position = 0
    for index, message in enumerate(returned):
        match = next(
            (
                place
                for place in range(position, len(before))
                if (before[place].role, before[place].parts) == (message.role, message.parts)
            ),
            None,
        )
        if match is None:
            id = f"openai-compact-{cycle}-{index}"
            result.append(replace(message, id=id, origin="synthetic"))
        else:
            result.append(before[match])
            position = match + 1
    return tuple(result)


STRATEGY: Final = OpenAICompact
