"""The output of an endpoint that compacts by itself, OpenAI's ``responses.compact``.

The endpoint gives back the user's messages and one compaction item that only it can read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, Opaque
from pytest_compaction.models.protocol import CompactRequest, ModelError, UnsupportedError


@dataclass(frozen=True, slots=True)
class NativeOutput:
    """The messages to go on with and the id of the one with the item, or ``error``: a sentence."""

    messages: tuple[Message, ...] = ()
    item: str = ""
    error: str | None = None


async def compacted_natively(
    messages: Sequence[Message], id: str, context: Context
) -> NativeOutput:
    """Let the endpoint compact the messages; new ones get ids that begin with ``id``."""
    try:
        reply = await context.model.compact(CompactRequest(messages, context.instructions))
    except UnsupportedError as error:
        return NativeOutput(error=str(error))
    except ModelError as error:
        return NativeOutput(error=f"the endpoint could not compact: {error}")
    items = sum(map(_compaction_items, reply.messages))
    if items != 1:
        return NativeOutput(error=f"the endpoint returned {items} compaction items; expected one")
    output = _recognised(reply.messages, messages, id)
    item = next(message for message in output if _compaction_items(message))
    return NativeOutput(output, item.id)


def _compaction_items(message: Message) -> int:
    """How many parts of the message are compaction items."""
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
