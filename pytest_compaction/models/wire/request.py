"""Bodies of requests: the parameters besides the messages, and the room for a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

Json = dict[str, Any]

REASONING_TOKENS: Final = 8192
"""Added to the limit of models that think before they reply, and when a reply was cut."""
SLACK_TOKENS: Final = 64
"""Room for the few tokens by which a short reply differs between tokenizers."""

_REASONS: Final = re.compile(
    r"(?:^|[/:_-])(?:o\d|gpt-(?:[5-9]|oss)|r1|qwq)|reason|think", re.IGNORECASE
)


def chat_body(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    limit: int,
    trial: int,
    extra: Mapping[str, Any] | None = None,
) -> Json:
    """A request for ``chat.completions``; ``limit`` is in tokens, ``extra`` are more members."""
    return {
        "model": model,
        "messages": list(messages),
        "max_tokens": _room(model, limit),
        "temperature": 0,
        "seed": trial,
        **(extra or {}),
    }


def responses_body(
    model: str,
    items: Sequence[Mapping[str, Any]],
    limit: int,
    extra: Mapping[str, Any] | None = None,
) -> Json:
    """A request for the responses API, which is told to store nothing."""
    return {
        "model": model,
        "input": list(items),
        "max_output_tokens": _room(model, limit),
        "temperature": 0,
        "store": False,
        **(extra or {}),
    }


def roomier(body: Mapping[str, Any]) -> Json:
    """The request with more room for its reply, after a reply was cut before its text began."""
    name = next(name for name in ("max_tokens", "max_output_tokens") if name in body)
    return {**body, name: body[name] + REASONING_TOKENS}


def texts_of(body: Mapping[str, Any]) -> list[str]:
    """The texts of all messages or input items of a request."""
    said = body.get("messages") or body.get("input") or []
    if isinstance(said, str):
        return [said]
    return [text for message in said for text in _texts(message)]


def _room(model: str, tokens: int) -> int:
    """The limit with slack for other tokenizers, and with room to think: that is output too."""
    roomy = int(tokens * 1.25) + SLACK_TOKENS
    return roomy + REASONING_TOKENS if _REASONS.search(model) else roomy


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
