"""Replies that come as a stream of server-sent events: read, written, and what they say.

Clients of OpenAI and of Anthropic put such a stream together to a reply. Here the events are kept
as they came, each with its name if it has one and with its data as JSON, so that a stored reply
is the same stream again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.models.wire.call import Operation

Event = Mapping[str, Any]
"""``data``: a JSON value, or a text that is none; ``event``: the name, if there is one."""

KEY: Final = "events"
"""The member of a reply's body that holds its events."""
_SAID: Final = frozenset({"content", "text", "arguments", "partial_json", "thinking", "refusal"})
"""Members of an event that hold a piece of what the model said."""

_LAST: Final = frozenset({"message_stop", "response.completed", "response.incomplete"})
"""Types of the event with which a stream ends."""
_FAILED: Final = frozenset({"error", "response.failed"})


def read_events(data: bytes) -> list[dict[str, Any]]:
    """The events of a stream; comments and fields that no client reads are left out."""
    found: list[dict[str, Any]] = []
    for block in data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "data" in fields:
            event = {"event": fields["event"][-1]} if "event" in fields else {}
            found.append({**event, "data": _value("\n".join(fields["data"]))})
    return found


def written_events(events: Iterable[Event]) -> bytes:
    """The stream of these events."""
    lines: list[str] = []
    for event in events:
        if "event" in event:
            lines.append(f"event: {event['event']}")
        data = event["data"]
        # A piece may end within a pair of surrogates, which only an escape can carry.
        text = data if isinstance(data, str) else json.dumps(data)
        lines += [f"data: {line}" for line in text.split("\n")]
        lines.append("")
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def events_of(body: Mapping[str, Any]) -> Sequence[Event]:
    """The events of a reply; empty for one that came at once."""
    found = body.get(KEY)
    return found if isinstance(found, list) else []


def payloads(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The objects that the events of a reply hold."""
    for event in events_of(body):
        if isinstance(event, Mapping) and isinstance(event.get("data"), Mapping):
            yield event["data"]


def is_usage_alone(event: Event) -> bool:
    """Whether an event of chat completions only tells the usage, which not all clients ask for."""
    data = event.get("data")
    return isinstance(data, Mapping) and data.get("choices") == [] and bool(data.get("usage"))


def is_whole(operation: Operation, events: Sequence[Event]) -> bool:
    """Whether a stream came to its end: some servers end a broken one as they end any other."""
    if operation == "chat.completions":
        return any(event.get("data") == "[DONE]" or _is_finished(event) for event in events)
    return any(_type_of(event) in _LAST for event in events)


def failure_in(events: Iterable[Event]) -> Any:
    """The data of the event that tells of an error in place of a reply; ``None`` without one.

    A chunk of a chat completion may hold the error beside choices; clients raise it then too.
    """
    for event in events:
        data = event.get("data")
        if _type_of(event) in _FAILED or (isinstance(data, Mapping) and data.get("error")):
            return data
    return None


def joined(events: Iterable[Event]) -> dict[str, Any]:
    """The reply that a stream spells out, as it would have come at once: its first choice."""
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"index": 0, "message": message}
    for payload in payloads({KEY: list(events)}):
        if isinstance(payload.get("response"), dict):  # the last one of the responses API is whole
            whole = payload["response"]
            continue
        if "choices" not in payload:
            continue
        whole |= {name: value for name, value in payload.items() if value is not None}
        whole |= {"object": "chat.completion", "choices": [choice]}
        choices = payload["choices"]
        piece = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(piece, Mapping) or piece.get("index", 0) != 0:
            continue
        said = piece.get("delta") or piece.get("message")
        for name, value in said.items() if isinstance(said, Mapping) else ():
            before = message.get(name)
            extends = (
                name != "role" and type(before) is type(value) and isinstance(value, str | list)
            )
            message[name] = before + value if extends else value if value is not None else before
        if piece.get("finish_reason"):
            choice["finish_reason"] = piece["finish_reason"]
    for name, value in message.items():
        if isinstance(value, str):  # two pieces may hold one surrogate each of a pair
            pairs = value.encode("utf-16-le", "surrogatepass")
            message[name] = pairs.decode("utf-16-le", "replace")
    return whole


def said_in(body: Mapping[str, Any]) -> str:
    """All that a reply says, in one text: of its events, or of a reply that came at once."""
    pieces = (_said(payload) for payload in payloads(body)) if KEY in body else (_said(body),)
    return "".join(text for piece in pieces for text in piece)


def _said(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        kind = str(value.get("type"))
        if kind.startswith("response."):
            # The events of the responses API that are no pieces say again what was said.
            if kind.endswith(".delta") and isinstance(value.get("delta"), str):
                yield value["delta"]
            return
        for name, inner in value.items():
            if name in _SAID and isinstance(inner, str):
                yield inner
            elif isinstance(inner, Mapping | list):
                yield from _said(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _said(inner)


def _type_of(event: Event) -> str:
    data = event.get("data")
    return str(data.get("type")) if isinstance(data, Mapping) else ""


def _is_finished(event: Event) -> bool:
    data = event.get("data")
    choices = data.get("choices") if isinstance(data, Mapping) else None
    return isinstance(choices, list) and any(
        isinstance(choice, Mapping) and choice.get("finish_reason") for choice in choices
    )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
