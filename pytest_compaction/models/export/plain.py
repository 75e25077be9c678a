"""A request as text for a model without an API, and the reply that such a model wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.models.wire.call import Call
from pytest_compaction.models.wire.refusals import added

_MARK_DIGITS: Final = 12
"""Digits of the digest in each heading: no text knows the digest of the request it stands in."""


def can_be_plain(call: Call) -> bool:
    """Whether text can say all that the request says: no images, server edits, opaque items."""
    if call.operation != "chat.completions" or added(call.body):
        return False
    contents = [message.get("content") for message in call.body["messages"]]
    return not any(
        part.get("type") != "text"
        for content in contents
        if isinstance(content, list)
        for part in content
    )


def request_text(call: Call) -> str:
    """The request: what is asked for, then every message under a heading with its role."""
    mark = call.digest[:_MARK_DIGITS]
    lines = [
        f"Write the next message of the assistant in the conversation below, in at most "
        f"{call.body['max_tokens']} tokens.",
        f"Lines that begin with {mark} separate its messages. Reply with that message alone.",
    ]
    schema = _schema(call.body)
    if schema is not None:
        lines += ["The reply is JSON that fits this schema:", schema]
    for message in call.body["messages"]:
        lines += ["", f"{mark} {message['role']}", *_said(message)]
    lines += ["", f"{mark} assistant", ""]
    return "\n".join(lines)


def reply_body(text: str) -> dict[str, Any]:
    """The reply as an endpoint sends it; it does not say how many tokens were used."""
    message = {"role": "assistant", "content": text}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }


def _schema(body: Mapping[str, Any]) -> str | None:
    form = body.get("response_format")
    if form is None:
        return None
    found = form.get("json_schema", {}).get("schema", {"type": "object"})
    return json.dumps(found, ensure_ascii=False)


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, list):
        yield from (str(part["text"]) for part in content)
    elif content:
        yield str(content)
    for call in message.get("tool_calls", ()):
        yield f"[calls {call['function']['name']} with {call['function']['arguments']}]"
