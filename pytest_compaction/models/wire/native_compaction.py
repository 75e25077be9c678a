"""The reply to a native compaction, read as messages of a view."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_compaction.conversation.messages import Message, Opaque, canonical_json, text_message
from pytest_compaction.models.wire.rendering import NATIVE_ITEMS, responses_input
from pytest_compaction.text.words import printable


class NotCompactedError(ValueError):
    """The reply is not a compacted conversation; the text says what it is instead."""


def compacted(body: Mapping[str, Any], before: Sequence[Message]) -> tuple[Message, ...]:
    """The messages to go on with; raises :class:`NotCompactedError` for another reply.

    A message that came back unchanged is the message that was sent, each used once. An
    item that only the endpoint can read becomes an opaque part. Its payload is the item's
    canonical JSON, which nothing here reads.
    """
    output = body.get("output")
    if not isinstance(output, list):
        raise NotCompactedError("its reply has no list of output items")
    sent: dict[tuple[str, str], list[Message]] = defaultdict(list)
    for message in before:
        for item in responses_input([message]):
            if item["type"] == "message":
                sent[_key(item)].append(message)
    messages: list[Message] = []
    for item in output:
        if not isinstance(item, Mapping):
            raise NotCompactedError(f"an output item is a {type(item).__name__}, not an object")
        messages.append(_message(item, sent))
    if not any(item.get("type") in NATIVE_ITEMS for item in output):
        raise NotCompactedError("its reply holds no compaction item")
    return tuple(messages)


def _message(item: Mapping[str, Any], sent: Mapping[tuple[str, str], list[Message]]) -> Message:
    kind = item.get("type")
    if kind in NATIVE_ITEMS:
        payload = canonical_json(item)
        digest = hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()
        return Message(f"compaction-{digest[:12]}", "assistant", (Opaque(payload),), "synthetic")
    if kind not in {"message", None} or not isinstance(item.get("role"), str):
        raise NotCompactedError(f"an output item of type {printable(str(kind), 40)} is not known")
    key = _key(item)
    if sent.get(key):
        return sent[key].pop(0)
    digest = hashlib.sha256(canonical_json(key).encode("utf-8", "surrogatepass")).hexdigest()
    return text_message(f"returned-{digest[:12]}", key[0], key[1], "synthetic")


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    """Role and text of a message item, whose content is a text or a list of parts."""
    content = item.get("content")
    if isinstance(content, str):
        return str(item.get("role")), content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return str(item.get("role")), "\n".join(text for text in texts if isinstance(text, str))
