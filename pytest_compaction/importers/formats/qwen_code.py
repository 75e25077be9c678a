"""Sessions of Qwen Code: lines with contents of the Gemini API, which form a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped, under
from pytest_compaction.importers.threads import TreeLine, left_lines

_SHAPE: Final = Shape(
    inner=("message",),
    role=("type", "role"),
    roles={"tool_result": "tool"},
    content=("parts",),
    read=("toolCallResult", "usageMetadata", "systemPayload", "contextWindowSize"),
)
_WRITTEN: Final = ("notification", "cron")
"""Lines with the type of the user that the program wrote."""


class _SessionReader(TurnReader):
    def prepare(self, records: Iterable[Any]) -> Iterable[Any]:
        held = [mapping(record) for record in records]
        lines = [
            TreeLine(
                string(record.get("uuid")),
                string(record.get("parentUuid")) or None,
                record.get("type") in ("user", "assistant"),
                record.get("type") == "user" and not record.get("subtype"),
            )
            for record in held
            if string(record.get("uuid"))
        ]
        left = left_lines(lines, self.tally)
        for record in held:
            if string(record.get("uuid")) in left:
                self.tally.left_out["line on a branch that the user left"] += 1
            else:
                yield record

    def record(self, record: Mapping[str, Any]) -> None:
        kind, subtype = record.get("type"), string(record.get("subtype"))
        payload = mapping(record.get("systemPayload"))
        if kind == "system" and subtype == "chat_compression":
            tokens = mapping(payload.get("info")).get("originalTokenCount")
            self.compacted("", tokens, view=listed(payload.get("compressedHistory")))
        elif kind == "system":
            self.tally.left_out[f"record of the program: {subtype[:40]}"] += 1
        elif kind == "user" and subtype in _WRITTEN:
            super().record({**record, "type": "system"})
        else:
            super().record(record)


def _recognised(value: Any) -> bool:
    line = mapping(value)
    message = mapping(line.get("message"))
    spoken = isinstance(message.get("parts"), list) and "role" in message
    return "sessionId" in line and line.get("type") in ("user", "assistant") and spoken


IMPORTER: Final = shaped(
    "qwen-code",
    "Qwen Code, session JSONL",
    _SHAPE,
    _recognised,
    under("messages"),
    reader=_SessionReader,
)
