"""Tokens of a call: those that the endpoint reports, or else a count of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import ANTHROPIC, Call, CallReply, Operation
from pytest_compaction.models.wire.events import payloads, said_in
from pytest_compaction.models.wire.reply import read_reply, usage_of, whole_tokens


def counted(call: Call, reply: CallReply, tokens: TokenCounter) -> Usage:
    """The usage of a reply; figures that it lacks are counted by our own tokenizer.

    Thoughts that are not in the reply are not counted, nor are items that only the endpoint
    can read.
    """
    usage = reply.usage
    read, written = usage.input_tokens, usage.output_tokens
    if not read:
        read = sum(map(tokens.text, texts_of(call.body)))
    if not written:
        said = read_reply(call.operation, reply.body).text if call.is_ours else said_in(reply.body)
        written = tokens.text(said)
    return replace(usage, input_tokens=read, output_tokens=written)


def texts_of(body: Mapping[str, Any]) -> list[str]:
    """The texts of all messages or input items of a request."""
    said = body.get("messages") or body.get("input") or []
    if isinstance(said, str):
        return [said]
    return [text for message in said for text in _texts(message)]


def _texts(message: Any) -> list[str]:
    """The texts of a message or input item, which others than the plugin may have written."""
    if not isinstance(message, Mapping):
        return [message] if isinstance(message, str) else []
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    found = [part.get("text") for part in parts if isinstance(part, Mapping)]
    found += [text for part in parts if isinstance(part, Mapping) for text in _texts(part)]
    found += [content, message.get("output"), message.get("arguments")]
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        named = call.get("function") if isinstance(call, Mapping) else None
        found += [named.get("arguments")] if isinstance(named, Mapping) else []
    return [text for text in found if isinstance(text, str)]


_AN_HOUR: Final = "ephemeral_1h_input_tokens"


def relayed_usage(operation: Operation, body: Mapping[str, Any]) -> Usage:
    """One call with the tokens that a reply charges for; a figure that it lacks is 0."""
    used = _streamed(body) or body.get("usage")
    if not isinstance(used, Mapping):
        return Usage(1)
    if operation not in ANTHROPIC:
        return usage_of({"usage": used})
    cached = whole_tokens(used.get("cache_read_input_tokens"))
    kept = whole_tokens(used.get("cache_creation_input_tokens"))
    read = whole_tokens(used.get("input_tokens")) + cached + kept
    apart = used.get("cache_creation")
    long = whole_tokens(apart.get(_AN_HOUR)) if isinstance(apart, Mapping) else 0
    long = min(long, kept)
    return Usage(1, read, cached, whole_tokens(used.get("output_tokens")), kept - long, long)


def _streamed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The usage that the events of a reply tell; later ones complete earlier ones."""
    found: dict[str, Any] = {}
    for payload in payloads(body):
        inner = payload.get("response") or payload.get("message")
        for holder in (payload, inner):
            used = holder.get("usage") if isinstance(holder, Mapping) else None
            if isinstance(used, Mapping):
                found |= {name: value for name, value in used.items() if value is not None}
    return found
