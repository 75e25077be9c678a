"""OpenAI chat completions: request and response bodies, logs of them, lists of messages.

Supported are ``{"messages": […]}`` with or without the rest of a request, pairs of
request and response, batch files, tau-bench's ``{"traj": […], "reward": …}``, and
lists of messages with tool calls: one per document, one per line, or a list of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.chat_messages import NESTED_LISTS, ROLES
from pytest_compaction.importers.exchanges import (
    Exchange,
    exchange_format,
    name_of,
    unwrapped,
)
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import LOOSE, Transcript
from pytest_compaction.importers.shapes import Shape, TurnReader
from pytest_compaction.importers.text_actions import with_calls

LISTS: Final = ("messages", "traj")
"""The keys under which a conversation has its list of messages."""
_MARKS: Final = ("tool_calls", "tool_call_id", "function_call")
_BLOCKS: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking")


_SHAPE: Final = Shape(role=("role",), content=("content", "refusal"), read=("usage", "logprobs"))


def transcript_of(exchange: Exchange, path: Path) -> Transcript:
    """The transcript of one conversation of chat messages."""
    reading = TurnReader(_SHAPE, exchange.tally)
    if exchange.system is not None:
        reading.say("system", [exchange.system])
    for message in with_calls(chain(exchange.request, exchange.response), exchange.tally):
        reading.add(message)
    return reading.transcript(exchange, path)


def _recognised(value: Any, lists: int = NESTED_LISTS) -> bool:
    if isinstance(value, list):
        if value and not any("role" in mapping(item) for item in value[:5]):
            return lists > 0 and any(_recognised(item, lists - 1) for item in value[:5])
        return any(_is_openai(item) for item in value)
    request, response = unwrapped(value)
    if isinstance(mapping(value).get("traj"), list) or _answers(response) or _answers(request):
        return True
    messages = request.get("messages")
    if not isinstance(messages, list):
        return _is_openai(value)
    contents = (mapping(message).get("content") for message in messages)
    blocks = (block for content in contents if isinstance(content, list) for block in content)
    if "system" in request or any(mapping(b).get("type") in _BLOCKS for b in blocks):  # Anthropic's
        return _is_openai(value)
    return any(str(mapping(message).get("role")) in ROLES for message in messages)


def _is_openai(message: Any) -> bool:
    given = mapping(message)
    return "role" in given and any(mark in given for mark in _MARKS)


def _choices(body: Mapping[str, Any]) -> Sequence[Any]:
    choices = body.get("choices")
    return choices if is_list(choices) else []


def _answers(body: Mapping[str, Any]) -> list[Any]:
    messages = (mapping(choice).get("message") for choice in _choices(body)[:1])
    return [message for message in messages if isinstance(message, Mapping)]


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    if is_list(value):
        return Exchange(place, value) if value else None
    request, response = unwrapped(value)
    messages: Sequence[Any] = next((request[key] for key in LISTS if is_list(request.get(key))), [])
    answers = _answers(response) or _answers(request)
    if not messages and not answers:
        return None
    exchange = Exchange(
        place,
        messages,
        answers,
        name=name_of(value),
        model=string(request.get("model")),
        logged="model" in request and bool(messages),
    )
    others = len(_choices(response)[1:]) or len(_choices(request)[1:])
    if others:
        exchange.tally.records += others
        exchange.tally.left_out["further choice of a response; only the first is kept"] += others
    return exchange


IMPORTER: Final = exchange_format(
    "openai-chat",
    "OpenAI chat completions: bodies, logs, lists of conversations (JSON, JSONL)",
    _recognised,
    _exchange,
    transcript_of,
    LOOSE,
)
