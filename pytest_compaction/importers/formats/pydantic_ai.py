"""Messages of pydantic-ai (``all_messages_json``): requests and responses with parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.shapes import MEDIA, RESULT, Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(
    role=("kind",),
    roles={"request": "user", "response": "assistant"},
    content=("parts",),
    kinds={
        "image-url": MEDIA,
        "document-url": MEDIA,
        "audio-url": MEDIA,
        "video-url": MEDIA,
        "binary": MEDIA,
        "retry-prompt": RESULT,
    },
    read=("instructions", "usage", "provider_details"),
)


class _MessageReader(TurnReader):
    _instructions = ""

    def record(self, record: Mapping[str, Any]) -> None:
        """Read a request or response; each part of a request says whose words it has."""
        given = string(record.get("instructions"))
        if given and given != self._instructions:
            self._instructions = given
            self.say("system", [given])
        if record.get("kind") != "request":
            super().record(record)
            return
        for part in map(mapping, listed(record.get("parts"))):
            kind, content = part.get("part_kind"), part.get("content")
            if kind == "tool-return" and part.get("outcome") not in (None, "success"):
                part = {**part, "status": "error"}
            if kind == "retry-prompt":
                part = {**part, "status": "error"}
                if not part.get("tool_name"):
                    self.say("system", [self.output(content)[0]])
                    continue
            parts = listed(content) if kind in ("user-prompt", "system-prompt") else [part]
            self.say("system" if kind == "system-prompt" else "user", parts)


def _recognised(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    parts = mapping(first).get("parts")
    kind = mapping(first).get("kind")
    if kind not in ("request", "response") or not isinstance(parts, list):
        return False
    return any("part_kind" in mapping(part) for part in parts)


IMPORTER: Final = shaped(
    "pydantic-ai",
    "pydantic-ai, all_messages_json (JSON)",
    _SHAPE,
    _recognised,
    under("messages", "all_messages", "message_history"),
    reader=_MessageReader,
    is_message=lambda value: "kind" in mapping(value) and "parts" in mapping(value),
)
