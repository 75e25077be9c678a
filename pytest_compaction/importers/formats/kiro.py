"""Conversations of Kiro CLI (event lines; the older document) and chats of the Kiro IDE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import SUMMARY_IN_RECORD
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped

_SHAPE: Final = Shape(
    inner=("data",),
    role=("kind", "role"),
    roles={"Prompt": "user", "AssistantMessage": "assistant"}
    | dict.fromkeys(("ToolResults", "ToolResult"), "tool"),
    content=("content",),
    read=("results", "meta"),
)


class _EventReader(TurnReader):
    def record(self, record: Mapping[str, Any]) -> None:
        if record.get("kind") in ("Compaction", "CompactionSummary"):
            summary = self.output(record.get("summary") or record.get("content"))[0]
            self.compacted(summary)
            self.tally.left_out[SUMMARY_IN_RECORD] += bool(summary)
        else:
            super().record(record)


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    data = mapping(value)
    turns = data.get("history")
    if is_list(data.get("chat")):
        return Exchange(place, data["chat"])
    if not is_list(turns):
        return None
    records = [record for turn in turns for record in _records(mapping(turn))]
    return Exchange(place, records)


def _records(turn: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The messages of a turn: each side is an object with the name of its variant as key."""
    content = mapping(mapping(turn.get("user")).get("content"))
    said = mapping(next(iter(content.values()), None))
    results = listed(said.get("tool_use_results"))
    if results:
        answers = [{"type": "tool_result", **mapping(result)} for result in results]
        yield {"role": "tool", "content": answers}
    if said.get("prompt"):
        yield {"role": "user", "content": said["prompt"]}
    answer = mapping(turn.get("assistant"))
    reply = mapping(next(iter(answer.values()), None))
    if reply:
        yield {"role": "assistant", **reply}


def _recognised(value: Any) -> bool:
    data = mapping(value)
    chat, turns = data.get("chat"), data.get("history")
    if isinstance(chat, list) and "executionId" in data:
        return string(mapping(chat[0]).get("role")) in ("human", "bot", "tool") if chat else False
    if isinstance(turns, list) and turns and "conversation_id" in data:
        return isinstance(mapping(mapping(turns[0]).get("user")).get("content"), Mapping)
    return string(data.get("kind")) in _SHAPE.roles and isinstance(data.get("data"), Mapping)


IMPORTER: Final = shaped(
    "kiro",
    "Kiro: CLI session (JSONL), CLI conversation and IDE chat (JSON)",
    _SHAPE,
    _recognised,
    _exchange,
    reader=_EventReader,
    is_message=lambda value: "kind" in mapping(value) or "role" in mapping(value),
)
