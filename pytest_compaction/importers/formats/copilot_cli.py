"""Events of GitHub Copilot CLI (``events.jsonl``), with its compactions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.protocol import (
    SUMMARY_IN_RECORD,
    counted_tokens,
    seconds_between,
)
from pytest_compaction.importers.shapes import CALL, RESULT, Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(
    inner=("data",),
    role=("type",),
    roles={
        "user.message": "user",
        "assistant.message": "assistant",
        "system.message": "system",
        "system.notification": "system",
    },
    leave={"abort": "event of the program: abort"},
    kinds={"tool.execution_start": CALL, "tool.execution_complete": RESULT},
    content=("content",),
    read=("transformedContent", "encryptedContent", "reasoningOpaque"),
)
_USED: Final = (
    ("inputTokens", "input"),
    ("cacheReadTokens", "cachedInput"),
    ("outputTokens", "output"),
)
_PROGRAM: Final = ("session.", "assistant.", "subagent.", "hook.", "tool.", "permission.", "skill.")


class _EventReader(TurnReader):
    _began: Mapping[str, Any] = MappingProxyType({})

    def record(self, record: Mapping[str, Any]) -> None:
        kind = string(record.get("type"))
        if kind == "session.compaction_start":
            self._began = record
        known = kind in self.shape.roles or kind in self.shape.kinds
        if kind == "session.compaction_complete" and record.get("success") is not False:
            summary = string(record.get("summaryContent"))
            used = mapping(record.get("compactionTokensUsed"))
            self.compacted(
                summary,
                record.get("preCompactionTokens"),
                tokens_after=counted_tokens(record.get("postCompactionTokens")),
                seconds=seconds_between(self._began, record),
                spent=_spent(string(used.get("model")) or self.model, used),
            )
            self._began = {}
            self.tally.left_out[SUMMARY_IN_RECORD] += bool(summary)
        elif record.get("parentToolCallId"):
            reason = "sub-agent message; its result is in the call that started it"
            self.tally.left_out[reason] += 1
        elif kind == "tool.execution_start" and self.knows(string(record.get("toolCallId"))):
            self.tally.left_out["start of a call"] += 1
        elif not known and kind.startswith(_PROGRAM):
            self.model = string(record.get("newModel")) or self.model
            self.tally.left_out[f"event of the program: {kind[:40]}"] += 1
        else:
            super().record(record)


def _spent(model: str, used: Mapping[str, Any]) -> tuple[str, int, int, int] | None:
    """Model and tokens of the call of a compaction; older versions name the tokens otherwise."""
    read, cached, written = (
        next(filter(None, (counted_tokens(used.get(key)) for key in keys)), 0) for keys in _USED
    )
    return (model, read, cached, written) if model and read and written else None


def _recognised(value: Any) -> bool:
    event = mapping(value)
    if not isinstance(event.get("data"), Mapping):
        return False
    return event.get("type") in (*_SHAPE.roles, *_SHAPE.kinds) or (
        event.get("type") == "session.start" and "copilotVersion" in event["data"]
    )


IMPORTER: Final = shaped(
    "copilot-cli",
    "GitHub Copilot CLI, events (JSONL)",
    _SHAPE,
    _recognised,
    under("events"),
    reader=_EventReader,
)
