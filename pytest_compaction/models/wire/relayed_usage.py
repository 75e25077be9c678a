"""The tokens of replies in every form that is passed on to the client of a strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import ANTHROPIC, Operation
from pytest_compaction.models.wire.events import payloads
from pytest_compaction.models.wire.reply import usage_of, whole_tokens

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
