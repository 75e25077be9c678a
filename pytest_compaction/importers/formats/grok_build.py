"""Sessions of Grok Build (``chat_history.jsonl``): a line a message, a thought or a result.

Its ``updates.jsonl`` are session updates of the Agent Client Protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.shapes import CALL, Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(
    role=("type",),
    kinds={"backend_tool_call": CALL},
    content=("content",),
    joined=True,
    read=("encrypted_content", "summary"),
)


class _HistoryReader(TurnReader):
    def record(self, record: Mapping[str, Any]) -> None:
        """Read a line; what the program wrote in the user's name is a notice."""
        kind = record.get("type")
        if kind == "user" and record.get("synthetic_reason") not in (None, "", "interjection"):
            record = {**record, "type": "system"}
        if kind == "backend_tool_call":
            call = mapping(record.get("kind"))
            record = {**call, "type": kind, "name": call.get("tool_type")}
            record = {**record, "input": call.get("action"), "action": None}
        super().record(record)


def _recognised(value: Any) -> bool:
    line = mapping(value)
    kind = line.get("type")
    if "role" in line or "content" not in line:
        return kind == "backend_tool_call" and isinstance(line.get("kind"), Mapping)
    return (
        (kind == "user" and ("prompt_index" in line or "synthetic_reason" in line))
        or (kind == "assistant" and "model_id" in line)
        or (kind == "tool_result" and isinstance(line.get("tool_call_id"), str))
    )


IMPORTER: Final = shaped(
    "grok-build",
    "Grok Build, chat history (JSONL)",
    _SHAPE,
    _recognised,
    under("messages"),
    reader=_HistoryReader,
)
