"""``openai-compact``: compaction by the endpoint itself, OpenAI's ``responses.compact``.

The endpoint (public SDK, openai 3.57.0, read on 2026-11-30) takes the conversation and returns the
start of the next input: every user message, then one compaction item that only the endpoint can
read. That output is passed on unchanged and in its order, its opaque item
byte-identical. The system prompt is not part of the input (it is sent with every
request) and stays where it is.

Whatever the endpoint returns is taken: nothing checks that it fits a budget, and a call without
a result is lost (its result is left out when it comes). With a model that has no native
compaction, such as the offline model, the compaction fails with one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_compaction.compactors.base.history import rewritten, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, Opaque
from pytest_compaction.models import CompactRequest, ModelError, UnsupportedError


@dataclass(eq=False)
class OpenAICompact(ProductCompactor):
    """Continues with the output of the endpoint: user messages, then one opaque item."""

    name = "openai-compact"
    description = "responses.compact: user messages and one opaque item, as the endpoint returns"
    drops_calls = True
    takes_instruction = True

    traits = Traits(needs_model=True, opaque=True, keeps_tail=True)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        cycle = self.cycle(state)
        sent = before[first:]
        try:
            reply = await context.model.compact(CompactRequest(sent, context.instructions))
        except UnsupportedError as error:
            return unchanged(state, str(error))
        except ModelError as error:
            return unchanged(state, f"the endpoint could not compact: {error}")
        items = sum(map(compaction_items, reply.messages))
        if items != 1:
            return unchanged(state, f"the endpoint returned {items} compaction items; expected one")
        output = _recognised(reply.messages, sent, f"{self.name}-{cycle}")
        item = next(message for message in output if compaction_items(message))
        return rewritten(state, before, (*before[:first], *output), item.id, cycle=cycle)


def compaction_items(message: Message) -> int:
    """Number of compaction items in the message."""
    payloads = (json.loads(part.payload) for part in message.parts if isinstance(part, Opaque))
    return sum(
        isinstance(item, dict) and str(item.get("type", "")).startswith("compaction")
        for item in payloads
    )


def _recognised(
    returned: Sequence[Message], before: Sequence[Message], id: str
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
            result.append(replace(message, id=f"{id}-{index}", origin="synthetic"))
        else:
            result.append(before[match])
            position = match + 1
    return tuple(result)
