"""Images and documents: placeholders with media type and size instead of the bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import Image, Opaque, canonical_json
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.fields import mapping, string

MAX_URL: Final = 500
"""The most characters kept of an address; signed addresses are long and soon expire."""
_REASON: Final = "image replaced by a placeholder with its size"


def image(tally: Tally, media_type: Any, data: Any) -> Image:
    """The placeholder of an image that the transcript holds as base64."""
    tally.repaired[_REASON] += 1
    return Image(_payload("image", media_type, data))


def image_at(tally: Tally, url: Any) -> Image:
    """The placeholder of an image by its address, which may be a ``data:`` address."""
    text = string(url)
    if text.startswith("data:"):
        head, _, data = text.partition(",")
        return image(tally, head.removeprefix("data:").split(";")[0], data)
    tally.repaired[_REASON] += 1
    return Image(canonical_json({"type": "image", "media_type": "image", "url": text[:MAX_URL]}))


def anthropic_image(tally: Tally, block: Mapping[str, Any]) -> Image:
    """The placeholder of an image block of Anthropic's interface."""
    source = mapping(block.get("source"))
    if source.get("type") == "url":
        return image_at(tally, source.get("url"))
    return image(tally, source.get("media_type"), source.get("data"))


def document(tally: Tally, media_type: Any, data: Any) -> Opaque:
    """The placeholder of a file that the transcript holds as base64."""
    tally.repaired["document replaced by a placeholder with its size"] += 1
    return Opaque(_payload("document", media_type, data))


def _payload(kind: str, media_type: Any, data: Any) -> str:
    # Base64 spends four characters on three bytes.
    size = len(string(data)) * 3 // 4
    media = string(media_type) or kind
    return canonical_json({"type": kind, "media_type": media, "bytes": size})
