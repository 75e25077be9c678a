"""Payloads are JSON with sorted keys, so that equal payloads are equal bytes."""

from __future__ import annotations

import json
from typing import Any

from porterq.errors import PayloadTooLarge

MAX_PAYLOAD_BYTES = 32 * 1024


def encode(payload: Any) -> str:
    """JSON text of a payload."""
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    size = len(text.encode("utf-8"))
    if size > MAX_PAYLOAD_BYTES:
        raise PayloadTooLarge(f"payload of {size} bytes exceeds {MAX_PAYLOAD_BYTES}")
    return text


def decode(text: str) -> Any:
    """The payload of a JSON text."""
    return json.loads(text)
