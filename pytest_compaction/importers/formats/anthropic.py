"""Anthropic messages: request and response bodies, logs of them, lists of messages.

Three things mark them: content blocks for tool use or thinking, a system prompt beside
the messages, or a response of type ``message``. A compaction block of the interface is a
recorded compaction: its summary replaces everything before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.formats.anthropic import Blocks, read_blocks
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.chat_messages import NESTED_LISTS
from pytest_compaction.importers.exchanges import Exchange, exchange_format, name_of, unwrapped
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    SHAPED,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder

BLOCKS: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking", "compaction")
_FOREIGN: Final = ("tool_calls", "tool_call_id", "function_call")
_ROLES: Final = ("system", "user", "assistant")
_READ: Final = (
    "role content name refusal tool_calls tool_call_id function_call reasoning reasoning_content "
    "reasoning_details usage logprobs"
).split()
"""Members of a message that are read, or of no matter to the conversation."""


def leave_compactions(blocks: Blocks, tally: Tally) -> None:
    """Count the compactions in a message of a format that cannot place them."""
    reason = "summary of a compaction by the provider, not recorded"
    tally.left_out[reason] += len(blocks.compactions)


def _recognised(value: Any, lists: int = NESTED_LISTS) -> bool:
    if isinstance(value, list):
        if value and not any("role" in mapping(item) for item in value[:5]):
            return lists > 0 and any(_recognised(item, lists - 1) for item in value[:5])
        return _ours(value)
    request, response = unwrapped(value)
    messages = request.get("messages")
    if isinstance(messages, list):
        beside = "system" in request or "anthropic_version" in request
        return _ours(messages) or (beside and not _foreign(messages))
    return _is_response(response) or _is_response(request) or _ours([value])


def _ours(messages: list[Any]) -> bool:
    """Whether a message has a block of Anthropic's and no message has a field of OpenAI's."""
    return not _foreign(messages) and any(
        mapping(block).get("type") in BLOCKS
        for message in map(mapping, messages)
        if message.get("role") in _ROLES and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def _foreign(messages: list[Any]) -> bool:
    return any(key in mapping(message) for message in messages for key in _FOREIGN)


def _is_response(body: Mapping[str, Any]) -> bool:
    return body.get("type") == "message" and body.get("role") == "assistant"


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    request, response = unwrapped({"messages": value} if is_list(value) else value)
    messages = request.get("messages")
    messages = messages if is_list(messages) else []
    answers = [response] if _is_response(response) else []
    if not messages and not answers:
        return None
    model = string(request.get("model") or response.get("model"))
    logged = "model" in request and bool(messages)
    system = request.get("system")
    return Exchange(place, messages, answers, system, name_of(value), model, logged=logged)


def _transcript(exchange: Exchange, path: Path) -> Transcript:
    tally = exchange.tally
    thread = ThreadBuilder(tally)
    boundaries: list[Boundary] = []
    if exchange.system:
        system = read_blocks(exchange.system, exchange.place, tally)
        thread.add_unless_empty("system", system.parts)
    for number, message in enumerate(chain(exchange.request, exchange.response)):
        place = f"{exchange.place}, message {number}"
        if not isinstance(message, Mapping):
            raise ImportFormatError(
                f"{place}: the message is {type(message).__name__}; expected an object with role "
                "and content"
            )
        role = message.get("role")
        if role not in _ROLES:
            tally.skip(unknown("message role", role))
            continue
        tally.note_unread(message, _READ)
        blocks = read_blocks(message.get("content"), place, tally)
        for summary in blocks.compactions:
            if not tally.has_room(boundaries):
                continue
            if log := thread.finished():
                missing = "" if summary else "its block has no content"
                boundaries.append(Boundary(log[-1].id, summary, missing=missing))
                tally.compacted(boundaries[-1])
            else:
                tally.left_out[BEFORE_FIRST_MESSAGE] += 1
        for result, rest in blocks.results:
            thread.add_result(result, rest)
        if blocks.parts or not (blocks.results or blocks.compactions):
            thread.add_unless_empty(str(role), blocks.parts)
    return exchange.transcript(path, thread.finished(), boundaries)


IMPORTER: Final = exchange_format(
    "anthropic",
    "Anthropic messages: bodies, logs, lists of messages (JSON, JSONL)",
    _recognised,
    _exchange,
    _transcript,
    SHAPED,
)
